// The `model` of the anywidget specification without a kernel: `told(message)` gets what a view sends.
export class Model {
  #state; #listening = new Map(); #told;

  constructor(state, told) { this.#state = { ...state }; this.#told = told; }

  get(name) { return this.#state[name]; }

  // All at once, as from a kernel: who hears of one trait finds the others as they are now.
  receive(traits) {
    const changed = Object.keys(traits).filter((name) => JSON.stringify(this.#state[name]) !== JSON.stringify(traits[name]));
    Object.assign(this.#state, traits);
    for (const name of changed) for (const heard of [...this.#listening.get(`change:${name}`) ?? []]) heard();
  }

  send(message) { this.#told(message); }
  on(event, heard) { this.#listening.set(event, [...this.#listening.get(event) ?? [], heard]); }
  off(event, heard) {
    this.#listening.set(event, (this.#listening.get(event) ?? []).filter((each) => heard && each !== heard));
  }
}
