// What the page's script hears from the live view: commands, and what stands on the page.

const MOST_UNHEARD = 16; // commands, as many as the page's script takes

export class PageScript {
  #view;
  #trigger;
  #setState;
  #sent = 0;
  #unheard = []; // commands that the script has not confirmed, the oldest first

  /** @param id the view's number in this page */
  constructor(id) {
    this.#view = `${id}-${Date.now()}`;
  }

  /**
   * The page has run its script again, and hears by other functions.
   *
   * @param done the last command that it did, by view: its place among those that were sent
   */
  update(trigger, setState, done = {}) {
    this.#trigger = trigger;
    this.#setState = setState;
    this.#unheard = this.#unheard.filter(({ sent }) => sent > (done[this.#view] ?? 0));
  }

  /** Whether a command is on its way. */
  get waiting() {
    return this.#unheard.length > 0;
  }

  /**
   * Send a command, with those before it that the script has not confirmed yet: of two within one of
   * its runs it hears the newest only.
   */
  send(name, values = {}) {
    this.#sent += 1;
    this.#unheard = [...this.#unheard, { ...values, name, sent: this.#sent }].slice(-MOST_UNHEARD);
    this.#trigger("commands", { view: this.#view, commands: this.#unheard });
  }

  /** Which charts were added belongs into the page's address. */
  opened(names) {
    this.#setState("charts", names);
  }

  /** The networks are on screen: what stands beside them may be made. */
  drawn() {
    this.#setState("drawn", true);
  }

  /** Somebody has drawn a curve over a chart: its five points. */
  drew(points) {
    this.#setState("drawing", points);
  }

  /** The run has passed a step of which the page wants to be told. */
  reached(run, step) {
    this.#setState("reached", { run, step });
  }
}
