// An exercise: an editor, and the card that the lesson's own judge gives the answer.
import * as memory from "./memory.js";
import { OutOfTime, Stopped } from "./python.js";

const PATIENCE = 60;  // s, for what is asked of our own Python

export function exercise(part, { lesson, name, stub, given, seconds, label }, { drawing, judging, language, words }) {
  const [place, status, card] = [".lab-place", ".lab-status", ".lab-verdict"].map((each) => part.querySelector(each));
  const [check, stop, hint, again] = ["check", "stop", "hint", "again"].map((each) => part.querySelector(`.lab-${each}`));
  const ask = (python, question, limit) => python.ask({ lesson, exercise: name, language, ...question }, limit);
  let writing, advice = [], running = false, asked, end;

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
    const stopped = new Promise((_, reject) => { end = () => reject(new Stopped()); });
    const orStopped = (answer) => Promise.race([answer, stopped]);
    say(words.runs);
    try {
      judging.warm();
      const text = writing.text();
      const { probe } = await orStopped(ask(drawing, { ask: "probe", text }, PATIENCE));
      asked = { lesson, exercise: name, language, ask: "run", probe, text, given };
      const ran = await orStopped(judging.ask(asked, seconds + 1));
      const found = await orStopped(ask(drawing, { ask: "judge", text, given, ran }, PATIENCE));
      const printed = document.createElement("pre");
      printed.textContent = found.printed ?? found.error;
      card.innerHTML = found.card ?? "";
      if (printed.textContent) card.prepend(printed);
      say(found.card ? "" : found.lacks ?? words.unrun);
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
      asked = undefined;
      stop.disabled = true;
      part.classList.remove("lab-runs");
    }
  }

  check.addEventListener("click", run);
  stop.addEventListener("click", () => { if (asked) judging.drop(asked); end?.(); });
  hint.addEventListener("click", async () => {
    const number = memory.of(lesson).hints[name] ?? 0;
    say(words.loading);
    try {
      const { says } = await ask(drawing, { ask: "hint", advice, number }, PATIENCE);
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
