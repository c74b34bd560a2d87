// Messages from the live view to the page's script (Python). They are commands, or states of the view. Every message
// makes Streamlit run the script again.

const MOST_UNCONFIRMED = 16; // maximum number of commands that the script accepts in one message
// Reasons for which a run has ended. For such a run, `PassedSteps` reports the last step that the run reached.
const OVER = new Set(["diverged", "limit", "failed"]);

export class PageScript {
  #view;
  #trigger;
  #setState;
  #sent = 0;
  #held = false; // whether some commands have not been sent, because the script's connection is away
  #unconfirmed = []; // commands that the script has not confirmed, the oldest first

  /** @param id the view's number on this page */
  constructor(id) {
    this.#view = `${id}-${Date.now()}`;
  }

  /**
   * Update the state after a run of the script.
   *
   * @param trigger Streamlit's function that passes on a command; like `setState`, it is valid until the next run of
   * the script
   * @param done number of the last command that the script has executed, by view
   */
  update(trigger, setState, done = {}) {
    this.#trigger = trigger;
    this.#setState = setState;
    this.#unconfirmed = this.#unconfirmed.filter(({ sent }) => sent > (done[this.#view] ?? 0));
  }

  /** Return whether some commands have not been confirmed by the script yet. */
  get waiting() {
    return this.#unconfirmed.length > 0;
  }

  /** Forget the commands that were sent while there was no connection. The reader sees that they had no effect. */
  forget() {
    this.#unconfirmed = [];
    this.#held = false;
  }

  /**
   * Send a command together with all unconfirmed commands, because during one run of the script Streamlit keeps only
   * the newest of several triggers. @param hold whether to wait for `release`
   */
  send(name, values = {}, hold = false) {
    this.#sent += 1;
    this.#unconfirmed = [...this.#unconfirmed, { ...values, name, sent: this.#sent }].slice(-MOST_UNCONFIRMED);
    this.#held = true;
    if (!hold) this.release();
  }

  release() {
    if (this.#held) this.#trigger("commands", { view: this.#view, commands: this.#unconfirmed });
    this.#held = false;
  }

  /**
   * Send a state of the view to the script. The states are "charts", the names of the charts that the reader has added;
   * "drawn", true once the script may create the rest of the page; "drawing", the points of a curve that was drawn over
   * a chart; and "reached", the {run, step} for which the script waits.
   */
  tell(state, value) {
    this.#setState(state, value);
  }
}

/** Return whether a run has ended, so that it cannot advance any further. */
export function isOver({ status, reason }) {
  return status !== "running" && OVER.has(reason);
}

/**
 * Report to the script that the run has passed one of the steps for which the page waits (`report_steps`), or that the
 * run has ended.
 */
export class PassedSteps {
  #view;
  #told = new Set(); // "run step" texts of the steps that have been reported

  constructor(view) {
    this.#view = view;
  }

  /**
   * Report a step that the run has passed. Call this after the step's frame has been drawn, because the script computes
   * with that frame.
   */
  draw({ live }) {
    const { script, store, data } = this.#view;
    const { report_steps: reportSteps } = data;
    const over = reportSteps.length > 0 && isOver(store);
    const passed = over ? live.step : reportSteps.filter((step) => step <= live.step).at(-1);
    if (passed === undefined) this.#told.clear(); // the run has started over
    const stamp = `${store.run} ${passed}`;
    if (passed === undefined || this.#told.has(stamp)) return;
    this.#told.add(stamp);
    script.tell("reached", { run: store.run, step: passed });
  }
}

/** Chart templates for pictures. The page's script makes them on request. */
export class PictureTemplates {
  #view;
  #waiting = []; // [{chart, resolve}]

  constructor(view) {
    this.#view = view;
  }

  /**
   * Request a chart's figures with large type.
   *
   * @returns promise of {chart, light, dark}; `light` and `dark` are {id: id of the templates, colours: colours of the
   * picture}
   */
  get(chart) {
    const { picture } = this.#view.data;
    if (picture?.chart === chart) return Promise.resolve(picture);
    return new Promise((resolve) => {
      this.#waiting.push({ chart, resolve });
      this.#view.script.send("picture", { chart });
    });
  }

  /** After a run of the script, resolve the requests for the chart whose templates it has made. */
  update() {
    const { picture } = this.#view.data;
    const mine = this.#waiting.filter(({ chart }) => chart === picture?.chart);
    this.#waiting = this.#waiting.filter((one) => !mine.includes(one));
    for (const { resolve } of mine) resolve(picture);
  }
}
