// What the live view tells the page's script (Python): commands, and the state of the view. Every call makes
// Streamlit run the script again.

const MOST_UNCONFIRMED = 16; // commands sent with one message, as many as the script accepts
// Reasons for which a run ends. The script is told then as if the run had passed its last step.
const OVER = new Set(["diverged", "limit", "failed"]);

export class PageScript {
  #view;
  #trigger;
  #setState;
  #sent = 0;
  #unconfirmed = []; // commands that the script has not confirmed, the oldest first

  /** @param id the view's number on this page */
  constructor(id) {
    this.#view = `${id}-${Date.now()}`;
  }

  /**
   * The script has run.
   *
   * @param trigger Streamlit's function that hands over a command, valid until the next run; `setState`
   *   likewise
   * @param done by view, the number of the last command that the script has done
   */
  update(trigger, setState, done = {}) {
    this.#trigger = trigger;
    this.#setState = setState;
    this.#unconfirmed = this.#unconfirmed.filter(({ sent }) => sent > (done[this.#view] ?? 0));
  }

  /** Whether the script has not confirmed all commands. */
  get waiting() {
    return this.#unconfirmed.length > 0;
  }

  /**
   * Send a command. All unconfirmed commands are sent with it, because of several triggers during one run of
   * the script Streamlit keeps only the newest.
   */
  send(name, values = {}) {
    this.#sent += 1;
    this.#unconfirmed = [...this.#unconfirmed, { ...values, name, sent: this.#sent }].slice(-MOST_UNCONFIRMED);
    this.#trigger("commands", { view: this.#view, commands: this.#unconfirmed });
  }

  /**
   * Tell a state of the view: "charts", the names of those that the reader has added; "drawn", true once the script
   * may create the rest of the page; "drawing", the points of a curve that was drawn over a chart; "reached", {run,
   * step} that the script waits for.
   */
  tell(state, value) {
    this.#setState(state, value);
  }
}

/** Whether a run goes no further, wherever it stands. */
export function isOver({ status, reason }) {
  return status !== "running" && OVER.has(reason);
}

/**
 * Tells the script when the run has passed one of the steps for which the page waits (`tells`), or has ended.
 */
export class PassedSteps {
  #view;
  #told = new Set(); // "run step" pairs that the script knows

  constructor(view) {
    this.#view = view;
  }

  /** Called after the frame of a step has been drawn, because the script computes with that frame. */
  draw({ live }) {
    const { script, store, data } = this.#view;
    const { tells } = data;
    const over = tells.length > 0 && isOver(store);
    const passed = over ? live.step : tells.filter((step) => step <= live.step).at(-1);
    if (passed === undefined) this.#told.clear(); // the run has started over
    const stamp = `${store.run} ${passed}`;
    if (passed === undefined || this.#told.has(stamp)) return;
    this.#told.add(stamp);
    script.tell("reached", { run: store.run, step: passed });
  }
}

/** The figures of charts for pictures of them, which the page's script makes when one is asked for. */
export class PictureTemplates {
  #view;
  #waiting = []; // [{chart, resolve}]

  constructor(view) {
    this.#view = view;
  }

  /**
   * Ask for a chart's figures with large type.
   *
   * @returns promise of {chart, light, dark}, of each {id: of its templates, colours: of the picture}
   */
  get(chart) {
    const { picture } = this.#view.data;
    if (picture?.chart === chart) return Promise.resolve(picture);
    return new Promise((resolve) => {
      this.#waiting.push({ chart, resolve });
      this.#view.script.send("picture", { chart });
    });
  }

  /** The script has run. */
  update() {
    const { picture } = this.#view.data;
    const mine = this.#waiting.filter(({ chart }) => chart === picture?.chart);
    this.#waiting = this.#waiting.filter((one) => !mine.includes(one));
    for (const { resolve } of mine) resolve(picture);
  }
}
