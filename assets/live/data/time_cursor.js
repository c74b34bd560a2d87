// Which step of the run the whole page shows: the newest, a pinned one, or one after the other around a
// break; the step that is shown first; and the step at which the page's preset says that there is something
// to see.

import { Emitter } from "../lib/emitter.js";
import { readFromTab, storeInTab } from "../lib/storage.js";

const BEFORE_BREAK = 6; // steps that are played before a break
const AFTER_BREAK = 14; // and after it
const ROOM = 25; // steps on the time axes before and after the break
const SLOW = 1000; // ms a step while they are played
const SHOWN_STEP = "bnviz-looks-at"; // key in the tab's storage

/**
 * The step shown by a page. Emits "shown" when another frame is to be drawn, and "mode" when the mode
 * changes.
 */
export class TimeCursor extends Emitter {
  mode = "live"; // "live" | "pinned" | "playing"
  frame = null; // the past frame that is shown; null when live, or before it has arrived
  wanted = null; // the past step that was asked for; the frame shown is the nearest kept one
  centre = null; // the step around which frames are played, or were played last
  #store;
  #busy = false; // whether a frame is being fetched
  #timer = null;
  #held = false; // whether it is pinned because playing was paused

  constructor(store) {
    super();
    this.#store = store;
  }

  /** Whether the page shows the past. */
  get rewound() {
    return this.mode !== "live";
  }

  /** Whether frames around a break are being played (true) or paused (false); null when neither. */
  get replays() {
    if (this.mode === "playing") return true;
    return this.#held ? false : null;
  }

  /** The pinned step; null: none. */
  get pinned() {
    return this.mode === "pinned" ? this.wanted : null;
  }

  /** The steps [first, last] on the time axes while frames are played; else null. */
  get around() {
    return this.mode === "playing" ? [Math.max(0, this.centre - ROOM), this.centre + ROOM] : null;
  }

  /**
   * Pause the playing of frames, or continue it.
   *
   * @returns whether there was something to pause or continue
   */
  hold() {
    const { centre, mode, wanted } = this;
    if (mode === "playing") this.pin(wanted);
    else if (this.#held) this.playAround(centre, wanted);
    else return false;
    this.#held = mode === "playing";
    return true;
  }

  /** Show the kept frame nearest to a step, and stay there. */
  pin(step) {
    this.#stop();
    this.#setMode("pinned");
    this.#show(step);
  }

  /** Show the newest frame, and every further one. */
  live() {
    this.#stop();
    this.wanted = null;
    this.frame = null;
    this.#setMode("live");
    this.emit("shown");
  }

  /** Go to the kept frame before (-1) or after (+1) the one shown; after the newest one, go live. */
  move(direction) {
    const { history } = this.#store;
    const step = this.rewound ? (this.wanted ?? this.frame?.step) : this.#store.live?.step;
    if (step === undefined || !history.length) return;
    const at = history.findIndex((entry) => entry[1] === this.#store.nearest(step)[1]);
    const target = at + direction;
    if (target >= history.length) this.live();
    else this.pin(history[Math.max(0, target)][1]);
  }

  /**
   * Play the kept frames around a step, one step a second, then pin the last one.
   *
   * @param from the step to begin with; null: a few steps before
   */
  playAround(step, from = null) {
    this.#stop();
    this.centre = step;
    const first = Math.max(0, step - BEFORE_BREAK);
    const last = Math.min(step + AFTER_BREAK, this.#store.history.at(-1)?.[1] ?? step);
    let at = from ?? first;
    this.#setMode("playing");
    this.#show(at);
    this.#timer = setInterval(() => {
      at += 1;
      if (at > last) this.pin(last);
      else this.#show(at);
    }, SLOW);
  }

  #stop() {
    this.#held = false;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #setMode(mode) {
    if (this.mode === mode) return;
    this.mode = mode;
    this.emit("mode", mode);
  }

  /**
   * Fetch and show the kept frame nearest to a step. Of the steps asked for during a fetch only the last is
   * fetched.
   */
  async #show(step) {
    this.wanted = step;
    if (this.#busy) return;
    this.#busy = true;
    for (let asked = null; asked !== this.wanted && this.wanted !== null; ) {
      asked = this.wanted;
      const entry = this.#store.nearest(asked);
      const frame = entry && (await this.#store.fetchFrame(entry[0]));
      if (frame && this.rewound && frame !== this.frame) {
        this.frame = frame;
        this.emit("shown");
      }
    }
    this.#busy = false;
  }

  /** Stop playing and remove all listeners. */
  close() {
    this.#stop();
    this.clear();
  }
}

/** Store which step of a run is shown, before the page is loaded again. `FirstStep` shows it again. */
export function saveShownStep(run, { mode, frame, wanted, centre }) {
  storeInTab(SHOWN_STEP, mode === "live" ? null : { run, step: wanted ?? frame?.step, centre: mode === "playing" ? centre : null });
}

/** Which step a page shows first: the one before it was loaded again, or the one in its address. */
export class FirstStep {
  #view;
  #done = null; // run and address whose step has been shown

  constructor(view) {
    this.#view = view;
  }

  /** Show that step as soon as the run has kept frames; once for each run and address. */
  show() {
    const { data, store, time } = this.#view;
    if (!store.history.length) return;
    const stamp = `${store.run} ${data.read}`;
    const saved = readFromTab(SHOWN_STEP);
    if (saved?.run === store.run) {
      storeInTab(SHOWN_STEP, null);
      this.#done = stamp;
      if (saved.centre === null) time.pin(saved.step);
      else time.playAround(saved.centre, saved.step);
    }
    if (data.at == null || this.#done === stamp) return;
    this.#done = stamp;
    time.pin(data.at);
  }
}

/**
 * The step at which the preset of the page says that there is something to see.
 *
 * @returns {step, text: what is to be seen, reached: whether the run has got there, at: the step of the frame that
 *   shows it}; null where the preset names no step, and after a live change before that step: the preset's words
 *   do not hold for the changed run
 */
export function stepToSee({ step_to_see: given }, store) {
  if (!given || store.changes.some(({ step }) => step < given.step)) return null;
  const reached = store.live !== null && store.live.step >= given.step;
  return { ...given, reached, at: reached ? (store.nearest(given.step)?.[1] ?? given.step) : given.step };
}
