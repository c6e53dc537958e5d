// A page that answers: what can be played on it begins when it comes into view.
import { Python } from "./python.js";

// What a page has none of does not come.
const KINDS = {
  card: async () => (await import("./host.js")).card,
  explorer: async () => (await import("./host.js")).explorer,
  exercise: async () => (await import("./exercise.js")).exercise,
  progress: async () => (await import("./progress.js")).progress,
};

export async function begin(parts, about) {
  const wanted = new Set([...parts].map((part) => JSON.parse(part.dataset.lab).kind));
  const kinds = Object.fromEntries(await Promise.all([...wanted].map(async (kind) => [kind, await KINDS[kind]()])));
  // Whoever does nothing on a page needs no Python.
  const awake = new Promise((resolve) => {
    for (const done of ["scroll", "pointermove", "pointerdown", "keydown"]) addEventListener(done, resolve, { once: true, passive: true });
  });
  // An answer that never ends must not stop a picture, nor change what judges it: each has a Python of its own, and only where it is wanted.
  const page = { ...about, awake, drawing: new Python(about.archive), judging: new Python(about.archive, true) };
  const near = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) if (isIntersecting) target.dispatchEvent(new Event("lab-near"));
  }, { rootMargin: "200px" });
  const linked = [];
  for (const part of parts) {
    const about = JSON.parse(part.dataset.lab);
    const made = kinds[about.kind](part, about, page);
    if (made?.show) linked.push([part, made]);
    near.observe(part);
  }
  const follow = () => {
    const [name, query] = decodeURIComponent(location.hash.slice(1)).split("?");
    const found = linked.find(([part]) => part.id === name);
    if (!found || query === undefined) return;
    for (let fold = found[0].closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    found[0].scrollIntoView({ block: "nearest" });
    found[1].show(Object.fromEntries(new URLSearchParams(query)));
  };
  addEventListener("hashchange", follow);
  follow();
}
