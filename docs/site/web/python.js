// What a page asks of Python: it begins when something is asked for the first time, and after it was stopped.
export class OutOfTime extends Error {}
export class Stopped extends Error {}

const LONGEST = 8e6;  // characters of an answer
// A thread whose script has a name of its own, and not an address, is held to the policy of its page.
const script = new URL("worker.js", import.meta.url);
const named = URL.createObjectURL(new Blob([`import ${JSON.stringify(script)};`], { type: "text/javascript" }));
const thread = () => new Worker(named, { type: "module" });

export class Python {
  static #kept = false;
  #worker; #waiting = new Map(); #last = 0; #archive; #locked; #turn = Promise.resolve(); #running; #dropped = new WeakSet();

  // `locked`: for what strangers wrote. Each question then has a Python of its own, out of which nothing leads but the answer: a text,
  // which is no more than what that stranger says.
  constructor(archive, locked = false) { this.#archive = archive; this.#locked = locked; }

  // Load it before somebody asks.
  warm() { if (!this.#worker) this.#begun().postMessage({ archive: this.#archive }); }

  // The answer to a question. `seconds` count from where Python begins with it, not while it is loaded.
  ask(question, seconds = 0) {
    if (!this.#locked) return this.#ask(question, seconds);
    const mine = this.#turn.then(() => {
      if (this.#dropped.has(question)) throw new Stopped();
      this.#running = question;
      return this.#ask(question, seconds);
    });
    this.#turn = mine.catch(() => {});
    return mine;
  }

  #ask(question, seconds) {
    const id = ++this.#last;
    const worker = this.#begun();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, seconds });
      worker.postMessage({ id, question, archive: this.#archive, locked: this.#locked });
    });
  }

  // Forget a question that was asked of a locked Python, whether its turn has come or not.
  drop(question) {
    if (question === this.#running) this.stop();
    else this.#dropped.add(question);
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
    this.#worker = thread();
    this.#worker.addEventListener("message", ({ data }) => this.#heard(data));
    this.#worker.addEventListener("error", (event) => this.stop(new Error(event.message || "worker")));
    return this.#worker;
  }

  #heard({ id, begins, answer, failed, fresh }) {
    const asked = this.#waiting.get(id);
    if (!asked) return;
    if (begins) {
      if (asked.seconds) asked.timer ??= setTimeout(() => this.stop(new OutOfTime()), 1000 * asked.seconds);
      return;
    }
    clearTimeout(asked.timer);
    this.#waiting.delete(id);
    if (this.#locked) {
      this.stop();
      this.warm();
    }
    if (fresh) this.#keep();
    if (failed !== undefined || typeof answer !== "string" || answer.length > LONGEST) asked.reject(new Error(failed ?? "?"));
    else asked.resolve(this.#locked ? answer : JSON.parse(answer));
  }

  // The memory for later visits is made once, in a thread of its own.
  #keep() {
    if (!Python.#kept) thread().postMessage({ keeps: new URL(this.#archive, import.meta.url).href });
    Python.#kept = true;
  }
}
