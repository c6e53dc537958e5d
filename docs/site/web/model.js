// The `model` of the anywidget specification, without a kernel: `changed(model, names)` is called when a view has saved.
export class Model {
  #state; #listening = new Map(); #unsaved = new Set(); #changed; #told;

  constructor(state, changed, told = () => {}) { this.#state = { ...state }; this.#changed = changed; this.#told = told; }

  get(name) { return this.#state[name]; }

  set(name, value) {
    if (JSON.stringify(this.#state[name]) === JSON.stringify(value)) return;
    this.#state[name] = value;
    this.#unsaved.add(name);
    this.#tell(`change:${name}`, value);
    this.#tell("change", value);
  }

  // What comes from Python is no change of the view's.
  receive(state) {
    for (const [name, value] of Object.entries(state)) { this.set(name, value); this.#unsaved.delete(name); }
  }

  save_changes() {
    const names = [...this.#unsaved];
    this.#unsaved.clear();
    if (names.length) this.#changed(this, names);
  }

  send(content) { this.#told(this, content); }
  on(event, callback) { this.#listening.set(event, [...(this.#listening.get(event) ?? []), callback]); }
  off(event, callback) {
    this.#listening.set(event, (this.#listening.get(event) ?? []).filter((each) => callback && each !== callback));
  }
  tell(content) { this.#tell("msg:custom", content); }
  #tell(event, ...values) { for (const callback of this.#listening.get(event) ?? []) callback(...values); }
}
