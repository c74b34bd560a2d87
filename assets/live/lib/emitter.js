// Emitter of named events, which connects modules that do not import one another.

export class Emitter {
  #listeners = new Map();

  /**
   * Call `listener` with the value of every event of this name.
   *
   * @returns function that removes the listener
   */
  on(name, listener) {
    if (!this.#listeners.has(name)) this.#listeners.set(name, new Set());
    this.#listeners.get(name).add(listener);
    return () => this.#listeners.get(name)?.delete(listener);
  }

  emit(name, value) {
    for (const listener of this.#listeners.get(name) ?? []) listener(value);
  }

  /** Remove all listeners. */
  clear() {
    this.#listeners.clear();
  }
}
