// What a page asks of Python: it begins when something is asked for the first time, and after it was stopped.
export class OutOfTime extends Error {}
export class Stopped extends Error {}

export class Python {
  #worker; #waiting = new Map(); #last = 0; #archive;

  constructor(archive) { this.#archive = archive; }

  // Load it before somebody asks.
  warm() { if (!this.#worker) this.#begun().postMessage({ archive: this.#archive }); }

  // The answer to a question. `seconds` count from where Python begins with it, not while it is loaded.
  ask(question, seconds = 0) {
    const id = ++this.#last;
    const worker = this.#begun();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, seconds });
      worker.postMessage({ id, question, archive: this.#archive });
    });
  }

  stop(reason = new Stopped()) {
    this.#worker?.terminate();
    this.#worker = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject, timer } of waiting) { clearTimeout(timer); reject(reason); }
  }

  #begun() {
    if (this.#worker) return this.#worker;
    this.#worker = new Worker(new URL("worker.js", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#heard(data));
    this.#worker.addEventListener("error", (event) => this.stop(new Error(event.message || "worker")));
    return this.#worker;
  }

  #heard({ id, begins, answer, failed }) {
    const asked = this.#waiting.get(id);
    if (!asked) return;
    if (begins) {
      if (asked.seconds) asked.timer = setTimeout(() => this.stop(new OutOfTime()), 1000 * asked.seconds);
      return;
    }
    clearTimeout(asked.timer);
    this.#waiting.delete(id);
    failed === undefined ? asked.resolve(answer) : asked.reject(new Error(failed));
  }
}
