// What an explorer of a notebook has of its kernel: here from Python in the browser.
import view from "./explorer.js";
import { Model } from "./model.js";

export function explorer(part, { lesson, scene, ...state }, { drawing, language, words }) {
  const place = part.querySelector(".lab-place");
  const ask = (question) => drawing.ask({ lesson, scene, language, ...question });
  let busy = false, next;

  // While one picture is drawn, only the newest wish is kept.
  async function draw(values) {
    next = values;
    if (busy) return;
    busy = true;
    const slow = setTimeout(() => model.receive({ busy: true }), 300);
    try {
      while (next) {
        const wanted = next;
        next = undefined;
        const drawn = await ask({ ask: "draw", values: wanted });
        if (drawn.error) model.receive({ warning: drawn.error, values: model.get("drawn") });
        else if (!next) { model.receive({ ...drawn, drawn: drawn.values }); remember(drawn.values); }
      }
    } catch (error) {
      model.receive({ warning: words.failed.replace("{why}", error.message) });
    } finally {
      clearTimeout(slow);
      model.receive({ busy: false });
      busy = false;
    }
  }

  let later;
  function remember(values) {
    clearTimeout(later);
    later = setTimeout(() => history.replaceState(null, "", link(values)), 300);
  }
  const link = (values) => {
    const moved = Object.entries(values).filter(([name, value]) => value !== state.defaults[name]);
    return `#${part.id}?${new URLSearchParams(moved)}`;
  };

  async function told(model, content) {
    if (content.ask === "link") {
      await navigator.clipboard?.writeText(new URL(link(model.get("values")), location.href).href);
      return model.tell({ about: "link", says: words.copied });
    }
    try {
      const answer = await ask(content);
      if (content.ask === "question") draw(answer.values);
      model.tell({ about: content.ask, number: content.number, says: answer.says ?? answer.error ?? "" });
    } catch (error) {
      model.tell({ about: content.ask, number: content.number, says: words.failed.replace("{why}", error.message) });
    }
  }

  const model = new Model({ ...state, drawn: state.values, words, busy: false, warning: "" },
    (model, names) => names.includes("values") && draw(model.get("values")), told);
  place.replaceChildren();
  view.render({ model, el: place });
  part.classList.add("lab-live");
  part.addEventListener("lab-near", () => { if (!navigator.connection?.saveData) drawing.warm(); }, { once: true });
  part.addEventListener("pointerdown", () => drawing.warm(), { once: true });
  return { show: (values) => draw(values) };
}
