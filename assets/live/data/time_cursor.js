// Step of the run that the whole page shows: the newest step, a pinned step, or the steps around a break, one after the
// other. This module also determines the step that a page shows first, and the opening step of the page's preset.

import { Emitter } from "../lib/emitter.js";
import { readFromTab, storeInTab } from "../lib/storage.js";

const BEFORE_BREAK = 6; // number of steps that are played before a break
const AFTER_BREAK = 14; // number of steps that are played after a break
const ROOM = 25; // number of steps that the time axes show before and after the break
const SLOW = 1000; // ms per step during playback
const SHOWN_STEP = "bnviz-looks-at"; // key of the shown step in the tab's storage

/** The step shown by a page. Emits "shown" when another frame is to be drawn, and "mode" when `mode` changes. */
export class TimeCursor extends Emitter {
  mode = "live"; // "live" | "pinned" | "playing"
  frame = null; // the past frame that is shown; null if the newest frame is shown or the past frame has not arrived yet
  wanted = null; // the past step that was requested; the page shows the kept frame nearest to it
  centre = null; // the step around which frames are being played or were last played
  #store;
  #busy = false; // whether a frame is being fetched
  #timer = null;
  #held = false; // whether the step is pinned because playback is paused

  constructor(store) {
    super();
    this.#store = store;
  }

  /** Return whether the page shows a past step. */
  get rewound() {
    return this.mode !== "live";
  }

  /** Return true while frames around a break are being played, false while playback is paused, and null otherwise. */
  get replays() {
    if (this.mode === "playing") return true;
    return this.#held ? false : null;
  }

  /** Pinned step, or null. */
  get pinned() {
    return this.mode === "pinned" ? this.wanted : null;
  }

  /** Steps [first, last] that the time axes show during playback, or null at other times. */
  get around() {
    return this.mode === "playing" ? [Math.max(0, this.centre - ROOM), this.centre + ROOM] : null;
  }

  /**
   * Pause playback, or resume it.
   *
   * @returns whether there was playback to pause or resume
   */
  hold() {
    const { centre, mode, wanted } = this;
    if (mode === "playing") this.pin(wanted);
    else if (this.#held) this.playAround(centre, wanted);
    else return false;
    this.#held = mode === "playing";
    return true;
  }

  /** Show the kept frame nearest to a step, and keep showing it. */
  pin(step) {
    this.#stop();
    this.#setMode("pinned");
    this.#show(step);
  }

  /** Show the newest frame and follow the run. */
  live() {
    this.#stop();
    this.wanted = null;
    this.frame = null;
    this.#setMode("live");
    this.emit("shown");
  }

  /**
   * Move to the kept frame before (-1) or after (+1) the frame shown. If there is no later frame, follow the newest
   * frame.
   */
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
   * Play the kept frames around a step, one step per second, and then pin the last of these frames.
   *
   * @param from first step to play, or null to begin a few steps before `step`
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
   * Fetch and show the kept frame nearest to a step. If several steps are requested during a fetch, only the last of
   * these steps is fetched next.
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

/** Store the step that the page shows, so that `FirstStep` can restore it after a reload. */
export function saveShownStep(run, { mode, frame, wanted, centre }) {
  storeInTab(SHOWN_STEP, mode === "live" ? null : { run, step: wanted ?? frame?.step, centre: mode === "playing" ? centre : null });
}

/** The first step that a page shows: the step shown before a reload, or the step in the address. */
export class FirstStep {
  #view;
  #done = null; // run and address for which the first step has been shown

  constructor(view) {
    this.#view = view;
  }

  /** Show the first step as soon as the run has kept frames. Do this once per run and address. */
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
 * Return the opening step of the page's preset, at which there is something to see.
 *
 * @returns {step, text: description of what to see, reached: whether the run has reached the step, at: step of the
 * frame that shows it}. Null if the preset has no such step. Also null after a live change before this step, because
 * the description may not be true for the changed run.
 */
export function stepToSee({ step_to_see: given }, store) {
  if (!given || store.changes.some(({ step }) => step < given.step)) return null;
  const reached = store.live !== null && store.live.step >= given.step;
  return { ...given, reached, at: reached ? (store.nearest(given.step)?.[1] ?? given.step) : given.step };
}
