// What is known of the run: newest frame, kept frames, changes, breaks; one socket, one cache.

import { Emitter } from "../lib/emitter.js";
import { Frame } from "./frame.js";
import { AROUND, Series } from "./series.js";
import { Socket, socketUrl } from "./socket.js";

const CACHED = 80; // frames of the past kept for scrubbing, about 12 KB each
const MOST_WHOLE = 12; // breaks and newest changes whose surroundings are drawn step by step
const SELDOM = 10_000; // ms between fetches of values that were merely passed over

/** Emits "frame", "hello", "status", "history", "series", "notice", "best", "connection",
 * "knob", "refused", "knobs", "moved", "error". */
export class Store extends Emitter {
  live = null;
  status = "connecting";
  reason = null;
  pace = null;
  history = []; // [[seq, step], …] ascending
  changes = [];
  breaks = {};
  best = null; // {rates, steps, knobs} of the last search for the best rates
  searching = null; // how far the one is that goes on, 0 to 1
  viewers = null;
  behind = null; // the server has no time for a frame of every step
  queue = null;
  standIn = false; // the run learns from other data than it was asked for
  keepsAt = null; // the step whose frame is kept for good, however thin the past becomes
  #keptFrame = null; // that frame, or the first one after it of a run that was seen to pass it
  #statusNumber = 0; // of the newest status since the greeting
  #unacknowledged = [];
  #greeted = false;
  #cache = new Map();
  #socket;

  /** @param initial the run's config before any live change, where the page knows it */
  constructor(run, base, wire, initial = null) {
    super();
    this.initial = initial;
    this.run = run;
    this.base = base;
    this.wire = wire;
    const address = run ? `${base}/series/${run}` : null;
    this.series = new Series(address, () => this.emit("series"));
    if (run) this.#connect();
    else this.status = "disconnected"; // no run could be started; the page says why
  }

  #connect() {
    const { base, run, wire } = this;
    this.#socket = new Socket(
      socketUrl(base, run, wire),
      (message) => this.#receive(message),
      (state) => this.#connection(state),
    );
  }

  #connection(state) {
    this.#unacknowledged = [];
    if (state !== "open") this.status = "disconnected";
    this.emit("connection", state);
  }

  #receive(message) {
    if (message.v !== undefined && message.v !== this.wire) {
      this.#socket.close();
      this.status = "disconnected";
      this.emit("notice", { key: "reload", values: {} });
      return;
    }
    const handle = HANDLERS[message.type];
    if (handle) handle(this, message);
  }

  /** Take in a frame: the newest one wins, and everything received is acknowledged when drawn. */
  frame(message) {
    this.#unacknowledged.push(message.seq);
    if (this.live && message.seq < this.live.seq) return;
    const before = this.live?.step ?? Infinity;
    this.live = new Frame(message, this.live);
    this.stands(message);
    this.changes = mergeChanges(this.changes, this.live.changes);
    this.found(breaksOf(this.live.networks));
    const last = this.history.at(-1);
    // A frame of the same step, in which more is measured, takes the place of the one before.
    if (last?.[1] === message.step) last[0] = message.seq;
    else if (!last || last[0] < message.seq) this.history.push([message.seq, message.step]);
    this.#remember(this.live);
    this.#keepMoment(before);
    this.series.append(this.live);
    this.emit("frame", this.live);
  }

  /** Take a status, unless a newer one was heard: a frame that waited for its turn has an old one. */
  stands({ status, status_number: number }, anew = false) {
    if (number < this.#statusNumber && !anew) return;
    this.#statusNumber = number;
    this.status = status;
  }

  #keepMoment(before) {
    const { keepsAt, live } = this;
    if (keepsAt === null || this.#keptFrame) return;
    if (live.step === keepsAt || (before < keepsAt && live.step > keepsAt)) this.#keptFrame = live;
  }

  /** The breaks as they are known now, all of them: one that is not among them is none. */
  found(breaks) {
    this.breaks = dropEmpty(breaks);
    this.series.whole = this.#centres().slice(-MOST_WHOLE);
  }

  /** Where something happened: live changes, of a drag its first and its last value; then breaks. */
  #centres() {
    const ends = this.changes.filter(({ drag }, i) =>
      !drag || this.changes[i - 1]?.drag !== drag || this.changes[i + 1]?.drag !== drag);
    return [...ends, ...Object.values(this.breaks)].flatMap(({ step, until }) => (until > step ? [step, until] : [step]));
  }

  /** The step to which the run is taken at once, as long as what is shown of it is from before; else null. */
  get goesTo() {
    const [, last] = this.series.unseen.spans.at(-1) ?? [];
    return this.live && last >= this.live.step ? last + 1 : null;
  }

  /** Say that everything received so far is on screen, or was overtaken. */
  acknowledge() {
    for (const seq of this.#unacknowledged) this.send({ type: "ack", seq });
    this.#unacknowledged = [];
  }

  send(message) {
    this.#socket?.send(message);
  }

  /** The reader looks again: what went by meanwhile is asked for, frames were sent of none of it. */
  hurry() {
    this.#socket?.hurry();
    this.series.refetch(0);
  }

  /** The kept frame nearest to a step, as [seq, step]. */
  nearest(step) {
    const kept = this.history;
    if (this.#keptFrame && step === this.keepsAt) return [this.#keptFrame.seq, this.#keptFrame.step];
    if (!kept.length) return null;
    let low = 0;
    let high = kept.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (kept[middle][1] < step) low = middle + 1;
      else high = middle;
    }
    const before = kept[Math.max(0, low - 1)];
    return step - before[1] < Math.abs(kept[low][1] - step) ? before : kept[low];
  }

  /** A kept frame, from the cache or the server; null where it cannot be had. */
  async fetchFrame(seq) {
    if (seq === this.#keptFrame?.seq) return this.#keptFrame;
    if (this.#cache.has(seq)) {
      const frame = this.#cache.get(seq);
      this.#remember(frame);
      return frame;
    }
    try {
      const answer = await fetch(`${this.base}/history/${this.run}/${seq}`);
      if (!answer.ok) return null;
      const frame = new Frame(await answer.json());
      this.#remember(frame, seq);
      return frame;
    } catch {
      return null;
    }
  }

  /** What this reader has not seen of the kept past: at once around a break, else by and by. */
  #catchUp() {
    const centres = this.series.whole;
    const missed = this.history.filter(([, step]) => !this.series.knows(step));
    const near = missed.some(([, step]) => centres.some((at) => Math.abs(step - at) <= AROUND));
    if (missed.length) this.series.refetch(near ? undefined : SELDOM);
  }

  /** The kept frames, as the server says; `anew` when the run starts over. */
  keep(history, anew = false) {
    this.history = (history ?? []).map((entry) => [...entry]);
    if (anew && !this.#greeted) {
      this.#greeted = true;
      if (!this.series.asking) this.#catchUp();
    } else if (anew) {
      this.live = this.#keptFrame = null; // numbering may begin anew as well
      this.#cache.clear();
      this.series.clear();
      this.series.refetch(0);
    } else this.#catchUp();
  }

  #remember(frame, seq = frame.seq) {
    this.#cache.delete(seq);
    this.#cache.set(seq, frame);
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value);
  }

  close() {
    this.series.close();
    this.#socket?.close();
  }
}

/** Changes arrive as the whole log (hello) or its last twenty (frames). */
function mergeChanges(known, newer) {
  if (!newer.length) return known;
  const first = newer[0].step;
  return known.filter((change) => change.step < first).concat(newer);
}

const HANDLERS = {
  frame: (store, message) => store.frame(message),
  hello(store, message) {
    store.changes = message.changes ?? [];
    store.found(message.breaks);
    // A run that was started over has begun with the knobs that it has now.
    if (store.initial && !store.changes.length) store.initial = { ...store.initial, ...message.knobs?.values };
    store.keep(message.history, true);
    store.stands(message, true); // a server that was restarted counts anew
    for (const name of ["pace", "viewers", "queue", "behind"]) store[name] = message[name] ?? null;
    if (message.unseen) store.series.hearUnseen(message.unseen);
    store.best = message.best ?? null;
    store.searching = message.searching ?? null;
    store.reason = message.reason ?? null;
    store.emit("hello", message);
    store.emit("status", message);
  },
  status(store, message) {
    store.stands(message);
    store.pace = message.pace ?? store.pace;
    store.reason = message.reason ?? null;
    store.viewers = message.viewers ?? store.viewers;
    store.behind = message.behind ?? store.behind;
    store.queue = message.queue ?? null;
    store.emit("status", message);
  },
  history(store, message) {
    store.keep(message.kept);
    store.emit("history", store.history);
  },
  unseen(store, message) {
    store.series.hearUnseen(message);
    store.emit("series");
  },
  best(store, message) {
    store.best = message;
    store.searching = null;
    store.emit("best", message);
  },
  searching(store, { share }) {
    store.searching = share;
    store.emit("best", null);
  },
  notice(store, message) {
    if (message.key === "note") store.standIn = true;
    store.emit("notice", message);
  },
  knob: (store, message) => store.emit("knob", message),
  refused: (store, message) => store.emit("refused", message),
  knobs: (store, message) => store.emit("knobs", message),
  moved: (store, message) => store.emit("moved", message),
  error: (store, message) => store.emit("error", message),
};

function breaksOf(networks) {
  return Object.fromEntries(Object.entries(networks).map(([norm, { broke }]) => [norm, broke]));
}

function dropEmpty(breaks) {
  return Object.fromEntries(Object.entries(breaks ?? {}).filter(([, found]) => found));
}
