// What explorers and question cards of a notebook have of their kernel: here from Python in the browser.
import cardView from "./front/card.js";
import explorerView from "./front/explorer.js";
import * as memory from "./memory.js";
import { Model } from "./model.js";

export function host(part, what, { awake, drawing, language, words }, view) {
  const { lesson, state, ...about } = what;
  const ask = (question) => drawing.ask({ lesson, language, part: part.id, about, ...question });
  const failed = (error, turn) => {
    // It may repeat what stood in an address or in a file of points: text, and no markup.
    const why = document.createElement("p");
    why.textContent = words.failed.replace("{why}", () => error.message);
    model.receive({ sentence: why.outerHTML, said: why.innerHTML, error: true, ...(turn ? { answered: turn } : {}) });
  };
  const model = new Model({ answered: 0, ...state, words: { ...state.words, busy: words.loading } }, async (message) => {
    try {
      const traits = await ask({ ask: "receive", message });
      if (traits.error && traits.error !== true) throw new Error(traits.error);
      model.receive({ ...traits, ...(message.turn ? { answered: message.turn } : {}) });
      part.dispatchEvent(new CustomEvent("lab-changed", { detail: traits }));
    } catch (error) { failed(error, message.turn); }
  });
  async function begin(more) {
    Object.assign(about, more);
    try {
      const traits = await ask({ ask: "begin" });
      if (traits.error && traits.error !== true) throw new Error(traits.error);
      const { words: _, ...moving } = traits;
      model.receive(moving);
    } catch (error) { failed(error); }
  }
  view.render({ model, el: part.querySelector(".lab-place") });
  // What scrolls is scrolled by keyboard, too.
  const frame = part.querySelector(".lab-frame");
  if (frame && frame.scrollWidth > frame.clientWidth) frame.tabIndex = 0;
  part.classList.add("lab-live");
  part.addEventListener("lab-near", () => { if (!navigator.connection?.saveData) awake.then(() => drawing.warm()); }, { once: true });
  for (const touched of ["pointerdown", "focusin"]) part.addEventListener(touched, () => drawing.warm(), { once: true });
  return { model, begin };
}

export function explorer(part, what, page) {
  const picture = decodeURIComponent(part.querySelector(".lab-picture").src.replace(/^[^,]*,/, ""));
  const { model, begin } = host(part, { ...what, state: { ...what.state, picture } }, page, explorerView);
  const link = () => {
    const first = what.state.values;
    const moved = Object.entries(model.get("values")).filter(([name, value]) => value !== first[name]).map(([name, value]) => {
      const control = what.state.controls.find((each) => each.name === name);
      return [name, control.kind === "list" ? what.names[name][value] : value];
    });
    return `#${part.id}?${new URLSearchParams(moved)}`;
  };
  let later;
  part.addEventListener("lab-changed", ({ detail }) => {
    if (!detail.values) return;
    clearTimeout(later);
    later = setTimeout(() => history.replaceState(history.state, "", link()), 300);
  });
  const status = part.querySelector(".lab-copied");
  part.querySelector(".lab-link").addEventListener("click", async () => {
    const address = new URL(link(), location.href).href;
    try { await navigator.clipboard.writeText(address); status.textContent = page.words.copied; } catch { status.textContent = address; }
  });
  return { show: (link) => begin({ link }) };
}

export function card(part, what, page) {
  const { model, begin } = host(part, what, page, cardView);
  const name = what.prediction;
  const reveal = () => {
    for (const fold of document.querySelectorAll(`details[data-lab-why~="${name}"]`)) fold.open = true;
  };
  part.addEventListener("lab-changed", ({ detail }) => {
    if (detail.guess !== undefined) memory.remember(what.lesson, (now) => { now.guesses[name] = detail.guess; });
    if (detail.result) { part.querySelector(".lab-show").hidden = true; reveal(); }
  });
  part.querySelector(".lab-show").addEventListener("click", () => model.send({ event: "show" }));
  const guess = memory.of(what.lesson).guesses[name];
  // What was bet the other day stands there again, when its reader comes by.
  if (guess !== undefined) part.addEventListener("lab-near", () => { begin({ guess }); reveal(); }, { once: true });
}
