// A case on a page: its script, its desk and its closing card, each with Python behind it. They share what this browser remembers.
import { host } from "./host.js";
import view from "./front/case.js";
import * as memory from "./memory.js";

const cards = [];
let now;  // a private window remembers it only here

// The closing card is HTML and a picture; until the case is closed it shows what stands on the page.
const closing = {
  render({ model, el }) {
    const stored = [...el.childNodes], part = el.closest(".lab-part");
    const said = Object.assign(document.createElement("div"), { className: "lab-said" });
    said.setAttribute("role", "status");
    const show = () => {
      const board = model.get("board");
      part.classList.toggle("lab-closed", Boolean(board));
      said.innerHTML = model.get("said");
      el.replaceChildren(said, ...(board ? [] : stored));
      if (board) el.insertAdjacentHTML("beforeend", board);
    };
    for (const trait of ["board", "said"]) model.on(`change:${trait}`, show);
    show();
  },
};

export function partOfCase(part, what, page) {
  now ??= memory.of(what.lesson).case ?? {};
  const state = what.card === "script" ? { ...what.state, accused: now.accused ?? [] } : what.state;
  const { model, about, begin } = host(part, { ...what, state, case: now }, page, what.card === "closing" ? closing : view);
  const mine = { begin };
  cards.push(mine);
  part.addEventListener("lab-changed", ({ detail }) => {
    if (!detail.case) return;
    now = detail.case;
    about.case = now;
    memory.remember(what.lesson, (kept) => { kept.case = now; });
    for (const card of cards) if (card !== mine) card.begin({ case: now });
    // The button that closed the case is gone, and the keyboard goes on from the one beside it.
    if (detail.picture) part.querySelector(".lab-keep").focus({ preventScroll: true });
  });
  for (const event of ["again", "rest"]) {
    part.querySelector(`.lab-${event}`)?.addEventListener("click", () => model.send({ event }));
  }
  part.querySelector(".lab-keep")?.addEventListener("click", () => keep(model.get("picture")));
  // What was done the other day stands there again, when its reader comes by.
  if (now.steps?.length && what.card !== "script") part.addEventListener("lab-near", () => begin(), { once: true });
}

// The picture as a PNG of twice as many pixels, as a notebook's `save()` writes it.
async function keep(svg) {
  const image = Object.assign(new Image(), { src: `data:image/svg+xml,${encodeURIComponent(svg)}` });
  await image.decode();
  const sheet = Object.assign(document.createElement("canvas"), { width: 2 * image.naturalWidth, height: 2 * image.naturalHeight });
  sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
  const address = URL.createObjectURL(await new Promise((resolve) => { sheet.toBlob(resolve, "image/png"); }));
  Object.assign(document.createElement("a"), { href: address, download: "my_case.png" }).click();
  URL.revokeObjectURL(address);
}
