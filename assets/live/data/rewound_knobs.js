// Knobs moved while the page is rewound: the run that was goes on as it is, and a new one starts at
// the step shown, with these knobs. Where a page's runs have no forks, the page goes back to live.

const REST = 600; // ms that a knob is at rest before the new run starts
const PATIENCE = 5000; // ms after which a new run that has not come is not waited for

export class RewoundKnobs {
  #view;
  #link;
  #time;
  #moved = new Map(); // knob → value
  #goesTo = null; // the step to which the run is taken
  #timer = null;
  #undo;

  /** @param view the live view whose `link` and `time` these are by now */
  constructor(view) {
    this.#view = view;
    this.#link = view.link;
    this.#time = view.time;
    const tell = () => this.#link.emit("values");
    const { store } = view;
    const arrives = () => {
      if (this.#goesTo === store.goesTo) return;
      this.#goesTo = store.goesTo;
      tell();
    };
    this.#undo = [this.#time.on("mode", tell), this.#time.on("shown", tell), ...["hello", "series", "frame"].map((name) => store.on(name, arrives))];
  }

  /** The step from which a knob that is moved now starts a new run; null: it acts on this one. */
  get step() {
    const { data, block } = this.#view;
    // A pointer that merely rests on a chart has not rewound the page.
    if (block || !data.can_control || !this.#time.rewound || this.#time.mode === "hover") return null;
    return this.#view.scene()?.step ?? null;
  }

  has(knob) {
    return this.#moved.has(knob);
  }

  get(knob) {
    return this.#moved.get(knob);
  }

  /** What a knob was at the step shown, where that is another value than now: {value, step}; else null. */
  past(knob) {
    const { store } = this.#view;
    const scene = this.#view.scene();
    if (!scene?.rewound || !store.initial) return null;
    const value = knobsAt(store.initial, store.changes, scene.step)[knob] ?? null;
    return JSON.stringify(value) === JSON.stringify(this.#link.values[knob] ?? null) ? null : { value, step: scene.step };
  }

  /** What the newest step was made with, while the run is taken to a later one, where that may be another value; else null. */
  onWay(knob) {
    const { store } = this.#view;
    if (store.goesTo === null || !store.initial) return null;
    return knobsAt(store.initial, store.changes, store.live.step)[knob] ?? null;
  }

  /** @returns whether the value was taken; if not, it is for the run that goes on */
  take(knob, value) {
    if (!this.#time.rewound) return false;
    if (this.step === null) {
      this.#time.live(); // to be seen where it acts
      return false;
    }
    this.#moved.set(knob, value);
    this.#wait();
    return true;
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#fork(), REST);
  }

  #fork() {
    if (document.querySelector("input[type=range]:active")) return this.#wait(); // a hand holds it
    const { step } = this;
    if (step !== null) this.#view.act("fork", { step, moved: Object.fromEntries(this.#moved) });
    this.#timer = setTimeout(() => this.#forget(), step === null ? 0 : PATIENCE);
  }

  #forget() {
    this.#moved.clear();
    this.#link.emit("values");
  }

  close() {
    clearTimeout(this.#timer);
    for (const undo of this.#undo) undo?.();
  }
}

/** The knobs with which the run came to a step; a change acts from the step after its own. */
export function knobsAt(initial, changes, step) {
  const shared = (values) => ("learning_rate" in values ? { learning_rates: null } : {}); // no longer each its own
  return changes.filter((change) => change.step < step)
    .reduce((values, change) => ({ ...values, ...shared(change.values), ...change.values }), initial);
}
