// Knobs that a reader sets while the page shows a past step. They start a new run from that step.

import { sameValue } from "../lib/live_actions.js";
import { knobsAt } from "./knob_link.js";

const FORK_DELAY = 600; // a new run starts after this time in ms without a further change

/**
 * Knobs set while the page shows a past step. The run itself continues unchanged. Once the knobs have not changed for a
 * while, a new run (a fork) starts from that step with the values of these knobs. If the page does not allow forks, it
 * shows the newest step instead, and the knob acts on the present run.
 */
export class RewoundKnobs {
  #view;
  #link;
  #time;
  values = new Map(); // values of the knobs for the new run, by name
  #later = new Map(); // values of the knobs that were set after the page had requested the new run, by name
  asked = false; // whether the page has requested the new run
  #goesTo = null; // the step to which the server advances the run
  #timer = null;
  #undo;

  /** @param view the live view, whose `link` and `time` belong to the same run */
  constructor(view) {
    this.#view = view;
    this.#link = view.link;
    this.#time = view.time;
    const changed = () => this.#link.emit("values");
    const { store } = view;
    const advanced = () => {
      if (this.#goesTo === store.goesTo) return;
      this.#goesTo = store.goesTo;
      changed();
    };
    const leave = () => this.asked || this.#forget(); // Back shows another run
    addEventListener("popstate", leave);
    this.#undo = [() => removeEventListener("popstate", leave), this.#time.on("mode", changed), this.#time.on("shown", changed), ...["hello", "series", "frame"].map((name) => store.on(name, advanced))];
  }

  /** Step from which a knob that is set now starts a new run, or null if the knob acts on the present run. */
  get step() {
    const { data, pageLayout } = this.#view;
    if (pageLayout || !data.can_control || !this.#time.rewound) return null;
    return this.#view.scene()?.step ?? null;
  }

  /** Show the newest step. */
  goLive() {
    if (this.#time.rewound) this.#time.live();
  }

  /** See `KnobLink.pastValue`. */
  pastValue(knob) {
    const { store } = this.#view;
    const scene = this.#view.scene();
    if (!scene?.rewound || !store.initial) return null;
    const value = knobsAt(store.initial, store.changes, scene.step)[knob] ?? null;
    return sameValue(value, this.#link.values[knob]) ? null : { value, step: scene.step };
  }

  /**
   * Return the knob's value in the newest frame while the server advances the run. Return null if the server is not
   * advancing it.
   */
  valueInFrame(knob) {
    const { store } = this.#view;
    if (store.goesTo === null || !store.initial) return null;
    return knobsAt(store.initial, store.changes, store.live.step)[knob] ?? null;
  }

  /**
   * Set a knob for the new run.
   *
   * @returns false if the value belongs to the present run
   */
  setKnob(knob, value) {
    if (!this.asked && !this.#time.rewound) return false;
    if (!this.asked && this.step === null) {
      this.#time.live(); // because the newest frame will show the effect of the knob
      return false;
    }
    this.values.set(knob, value);
    if (this.asked) this.#later.set(knob, value);
    else this.#forkSoon();
    return true;
  }

  #forkSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fork(), FORK_DELAY);
  }

  #fork() {
    if (document.querySelector("input[type=range]:active")) return this.#forkSoon(); // a slider is being dragged
    const { step } = this;
    if (step === null) return this.#forget();
    this.asked = true;
    this.#view.act("fork", { step, changed_knobs: Object.fromEntries(this.values) });
  }

  /**
   * Forget the knobs if the new run was refused. This is the case if the script has run, but the page still shows the
   * same run.
   */
  settle() {
    if (this.asked && !this.#view.script.waiting) this.#forget();
  }

  #forget() {
    clearTimeout(this.#timer);
    this.asked = false;
    this.values.clear();
    this.#later.clear();
    this.#link.emit("values");
  }

  /**
   * Stop the timer and remove all listeners.
   * @returns the knobs that were set while the new run was being started, as {name: value}
   */
  close() {
    clearTimeout(this.#timer);
    for (const undo of this.#undo) undo?.();
    return Object.fromEntries(this.#later);
  }
}
