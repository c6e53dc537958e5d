// An exercise: an editor, and the card that the lesson's own judge gives the answer.
import * as memory from "./memory.js";
import { OutOfTime, Stopped } from "./python.js";

export function exercise(part, { lesson, name, stub, given, seconds, label }, { judging, language, words }) {
  const [place, status, card] = [".lab-place", ".lab-status", ".lab-verdict"].map((each) => part.querySelector(each));
  const [check, stop, hint, again] = ["check", "stop", "hint", "again"].map((each) => part.querySelector(`.lab-${each}`));
  const ask = (question, limit) => judging.ask({ lesson, exercise: name, language, ...question }, limit);
  let writing, advice = [], running = false;

  const say = (text) => { status.textContent = text; };
  const points = () => {
    const reached = memory.of(lesson).points[name];
    part.querySelector(".lab-points").textContent = reached === undefined ? "" : words.reached.replace("{points}", reached);
  };

  async function run() {
    if (running || !writing) return;
    running = true;
    part.classList.add("lab-runs");
    stop.disabled = false;
    say(words.runs);
    try {
      // Its own limit says more; this one is for what does not listen to it.
      const found = await ask({ ask: "check", text: writing.text(), given }, seconds + 1);
      const printed = document.createElement("pre");
      printed.textContent = found.printed ?? found.error;
      card.innerHTML = found.card ?? "";
      if (printed.textContent) card.prepend(printed);
      say(found.card ? "" : words.unrun);
      if (found.card) {
        advice = found.advice;
        memory.remember(lesson, (now) => { now.points[name] = Math.max(found.points, now.points[name] ?? 0); });
      }
      points();
    } catch (error) {
      card.replaceChildren();
      say(error instanceof OutOfTime ? words.endless.replace("{seconds}", seconds)
        : error instanceof Stopped ? words.stopped : words.failed.replace("{why}", error.message));
    } finally {
      running = false;
      stop.disabled = true;
      part.classList.remove("lab-runs");
    }
  }

  check.addEventListener("click", run);
  stop.addEventListener("click", () => judging.stop());
  hint.addEventListener("click", async () => {
    const number = memory.of(lesson).hints[name] ?? 0;
    say(words.loading);
    try {
      const { says } = await ask({ ask: "hint", advice, number }, 60);
      status.innerHTML = says;
      memory.remember(lesson, (now) => { now.hints[name] = number + 1; });
    } catch (error) { say(words.failed.replace("{why}", error.message)); }
  });
  again.addEventListener("click", () => writing?.replace(stub));

  async function open() {
    const { editor } = await import("./editor.js");
    place.replaceChildren();
    const changed = (text) => {
      memory.remember(lesson, (now) => { if (text === stub) delete now.answers[name]; else now.answers[name] = text; });
    };
    writing = editor(place, { text: memory.of(lesson).answers[name] ?? stub, label, run, changed });
    part.classList.add("lab-live");
    part.querySelector(".lab-work").hidden = false;
    // The same code stands above, to be read.
    part.closest(".cell")?.querySelector(".cell_input")?.remove();
    points();
    place.addEventListener("focusin", () => judging.warm(), { once: true });
  }
  part.addEventListener("lab-near", () => open().catch((error) => say(words.failed.replace("{why}", error.message))), { once: true });
}
