// Knobs that a reader sets while the page shows a past step: they start a new run from that step.

import { sameValue } from "../lib/live_actions.js";
import { knobsAt } from "./knob_link.js";

const FORK_DELAY = 600; // ms without a further change before a new run starts

/**
 * Knobs set while the page shows a past step. The run itself continues unchanged. Once the knobs have not changed for a
 * while, a new run starts from that step with their values. If the page allows no such forks, it goes live instead and
 * the knob acts on the run.
 */
export class RewoundKnobs {
  #view;
  #link;
  #time;
  values = new Map(); // knob → value, for the new run
  #later = new Map(); // knob → value, only knobs that were set after the page asked for the fork
  asked = false; // whether the page has asked for the fork
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

  /** Step from which a knob set now starts a new run, or null if the knob acts on this run. */
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

  /** Value used for the newest frame while the server advances the run, or null. */
  valueInFrame(knob) {
    const { store } = this.#view;
    if (store.goesTo === null || !store.initial) return null;
    return knobsAt(store.initial, store.changes, store.live.step)[knob] ?? null;
  }

  /**
   * Set a value for the new run.
   *
   * @returns false if the value belongs to this run
   */
  setKnob(knob, value) {
    if (!this.asked && !this.#time.rewound) return false;
    if (!this.asked && this.step === null) {
      this.#time.live(); // the newest frame will show the effect of the knob
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

  /** Forget the knobs if the fork was refused: the script has run, but the page still shows the same run. */
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

  /** @returns knobs that were set while the new run was on its way, by name */
  close() {
    clearTimeout(this.#timer);
    for (const undo of this.#undo) undo?.();
    return Object.fromEntries(this.#later);
  }
}
