// What the page's script hears from the live view: commands, and what stands on the page.

export class PageScript {
  #id;
  #trigger;
  #setState;
  #commands = 0;

  /** @param id the view's number in this page */
  constructor(id) {
    this.#id = id;
  }

  /** The page has run its script again, and hears by other functions. */
  update(trigger, setState) {
    this.#trigger = trigger;
    this.#setState = setState;
  }

  /** Send a command. No two are alike, so that the script hears of each. */
  send(name, values = {}) {
    this.#commands += 1;
    this.#trigger("command", { name, ...values, nonce: `${this.#id}-${Date.now()}-${this.#commands}` });
  }

  /** Which charts were added belongs into the page's address. */
  opened(names) {
    this.#setState("charts", names);
  }

  /** The networks are on screen: what stands beside them may be made. */
  drawn() {
    this.#setState("drawn", true);
  }

  /** The run has passed a step of which the page wants to be told. */
  reached(run, step) {
    this.#setState("reached", { run, step });
  }
}
