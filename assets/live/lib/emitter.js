// The smallest thing that lets modules hear of changes without knowing one another.

export class Emitter {
  #listeners = new Map();

  /** Call `listener` whenever `name` is emitted; returns the function that ends it. */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name)?.delete(listener);
  }

  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }

  clear() {
    this.#listeners.clear();
  }
}
