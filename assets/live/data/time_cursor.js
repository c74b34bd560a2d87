// The one time cursor: live, pinned, or playing the frames around a break.

import { Emitter } from "../lib/emitter.js";

const BEFORE_BREAK = 6; // steps shown before a break, and after it
const AFTER_BREAK = 14;
const ROOM = 25; // steps on the axes before and after it
const SLOW = 1000; // ms a step in "show the break"

/** Emits "shown" when another frame is to be drawn and "mode" when the mode changes. */
export class TimeCursor extends Emitter {
  mode = "live"; // "live" | "pinned" | "playing"
  frame = null; // the frame shown while not live
  wanted = null; // the step asked for
  around = null; // [first, last] of the steps on the axes while playing
  centre = null; // the step around which it plays
  #store;
  #busy = false;
  #next = null;
  #timer = null;
  #pinnedStep = null;
  #held = false; // whether it stands because playing was held

  constructor(store) {
    super();
    this.#store = store;
  }

  get rewound() {
    return this.mode !== "live";
  }

  /** The step that is pinned, or null. */
  get pinned() {
    return this.#pinnedStep;
  }

  /** Whether the frames around a break are going by (true) or held (false); null where they are not shown. */
  get replays() {
    if (this.mode === "playing") return true;
    return this.#held ? false : null;
  }

  /** Back to a step that was pinned, or to now where that is null. */
  back(step) {
    if (step === null) this.live();
    else this.pin(step);
  }

  /** Hold what is being played where it is, or let it go on. @returns whether there is such a thing */
  hold() {
    const { centre, mode, wanted } = this;
    if (mode === "playing") this.pin(wanted);
    else if (this.#held) this.playAround(centre, wanted);
    else return false;
    this.#held = mode === "playing";
    return true;
  }

  pin(step) {
    this.#stop();
    this.#pinnedStep = step;
    this.#setMode("pinned");
    this.#show(step);
  }

  live() {
    this.#stop();
    this.#pinnedStep = null;
    this.wanted = null;
    this.#next = null;
    this.frame = null;
    this.#setMode("live");
    this.emit("shown");
  }

  /** One kept frame back (-1) or forward (+1); past the newest one is now. */
  move(direction) {
    const kept = this.#store.history;
    const step = this.rewound ? (this.wanted ?? this.frame?.step) : this.#store.live?.step;
    if (step === undefined || !kept.length) return;
    const at = kept.findIndex((entry) => entry[1] === this.#store.nearest(step)[1]);
    const target = at + direction;
    if (target >= kept.length) this.live();
    else this.pin(kept[Math.max(0, target)][1]);
  }

  /** Play the kept frames around a step, one step a second, and stay on the last. @param from the first of them */
  playAround(step, from = null) {
    this.#stop();
    this.centre = step;
    const first = Math.max(0, step - BEFORE_BREAK);
    const last = Math.min(step + AFTER_BREAK, this.#store.history.at(-1)?.[1] ?? step);
    let at = from ?? first;
    this.around = [Math.max(0, step - ROOM), step + ROOM];
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

  /** Fetch and show the nearest kept frame; of several requests the last one wins. */
  async #show(step) {
    this.wanted = step;
    this.#next = step;
    if (this.#busy) return;
    this.#busy = true;
    while (this.#next !== null) {
      const entry = this.#store.nearest(this.#next);
      this.#next = null;
      const frame = entry && (await this.#store.fetchFrame(entry[0]));
      if (frame && this.rewound && frame !== this.frame) {
        this.frame = frame;
        this.emit("shown");
      }
    }
    this.#busy = false;
  }

  /** End all timers. */
  close() {
    this.#stop();
    this.clear();
  }
}
