// State of a run in this browser: the newest frame, the kept frames, the live changes, the breaks and the status. All
// of these arrive through one socket, or are fetched from the run's history.

import { Emitter } from "../lib/emitter.js";
import { Frame } from "./frame.js";
import { Socket, socketUrl } from "./socket.js";
import { AROUND, FetchedSeries } from "./time_series.js";

const CACHED = 80; // maximum number of past frames in the cache; a frame has about 12 KB
// maximum number of breaks and live changes (the newest ones) around which curves show every step
const MOST_CENTRES = 12;
const SELDOM = 10_000; // ms between fetches of missing values that are not near a break or a change

/**
 * The state of a run. Emits "frame", "hello", "status", "history", "series", "notice", "best", "connection", "knob",
 * "acted", "refused", "dropped", "knobs", "moved_to_run", "shown", "error".
 */
export class Store extends Emitter {
  live = null; // the newest frame
  status = "connecting";
  reason = null; // why the run is not advancing, or null
  pace = null;
  history = []; // [[seq, step], …] of the frames that the server keeps, ascending
  changes = []; // live changes
  breaks = {}; // by network
  best = null; // {rates, steps, knobs}: result of the last search for the best learning rates, or null
  searching = null; // progress of the current search, 0 to 1, or null if no search is running
  viewers = null;
  // Time, by this browser's clock, until which the server keeps the run even if nobody watches it, or null if the run
  // is not pinned
  pinnedUntil = null;
  behind = null; // whether the server is too slow to send a frame of every step
  device = null; // device on which the server computes the run: "cpu" or "cuda"
  queue = null; // position of the run in the queue while the server has no capacity for it, or null
  standIn = false; // whether the run uses a different data set than the page requested
  // Opening step of the preset (see time_cursor.js). Its frame is kept even when the history is thinned out.
  stepToSee = null;
  connected = false; // whether the server has sent its first message, `hello`, on this connection
  restoredAt = null; // step at which a restart of the server discarded the earlier frames, or null
  over = false; // whether the server no longer has the run, or refuses this browser
  lostAt = null; // while this browser is not connected: time of the last message from the server; otherwise null
  #frameToSee = null; // frame of the step `stepToSee`, or the first later frame that arrived
  #statusNumber = 0; // number of the newest status since the last hello message
  #unacknowledged = []; // sequence numbers
  #greeted = false;
  #cache = new Map(); // cached frames by sequence number, least recently used first
  #socket;
  #wants = new Map(); // names of the probes that a view's charts draw, by view id
  #wanted = ""; // names of the probes that were requested on this connection

  /**
   * Connect to a run.
   *
   * @param run id of the run, or "" if no run could be started
   * @param base path of the server
   * @param wire version of the messages
   * @param initial the run's config before any live change, if the page knows it
   * @param tab name of this tab; the server stores under this name which run the tab is about to show
   */
  constructor(run, base, wire, initial = null, tab = "") {
    super();
    this.tab = tab;
    this.initial = initial;
    this.run = run;
    this.base = base;
    this.wire = wire;
    const address = run ? `${base}/series/${run}` : null;
    this.series = new FetchedSeries(address, () => this.emit("series"));
    if (run) this.#connect();
    else this.status = "disconnected"; // because the page says why there is no run
  }

  #connect() {
    const { base, run, wire, tab } = this;
    this.#socket = new Socket(
      socketUrl(base, run, wire, tab),
      (message) => this.#receive(message),
      (state, heardAt) => this.#connection(state, heardAt),
    );
  }

  #connection(state, heardAt) {
    this.#unacknowledged = [];
    this.connected = false;
    this.over = state === "over";
    if (state !== "open") this.status = "disconnected";
    // If several attempts in a row fail, they count as one loss of the connection.
    if (state === "open") this.lostAt = null;
    else this.lostAt ??= new Date(Date.now() - (performance.now() - heardAt));
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
    else this.emit(message.type, message);
  }

  /** Handle a frame. A frame that is older than the newest frame is only acknowledged. */
  takeFrame(message) {
    this.#unacknowledged.push(message.seq);
    if (this.live && message.seq < this.live.seq) return;
    const before = this.live?.step ?? Infinity;
    this.live = new Frame(message, this.live);
    this.takeStatus(message);
    this.changes = mergeChanges(this.changes, this.live.changes);
    this.setBreaks(Object.fromEntries(Object.entries(this.live.networks).map(([norm, { broke }]) => [norm, broke])));
    const last = this.history.at(-1);
    // A second frame of the same step contains more measurements, so it replaces the first frame.
    if (last?.[1] === message.step) last[0] = message.seq;
    else if (!last || last[0] < message.seq) this.history.push([message.seq, message.step]);
    this.#addToCache(this.live);
    this.#keepFrameToSee(before);
    this.series.append(this.live);
    this.emit("frame", this.live);
  }

  /**
   * Adopt the status in a message, unless a newer status is known. A frame may have waited in a queue, so its status
   * may be outdated.
   *
   * @param restart whether the server may have restarted the numbering of statuses
   */
  takeStatus({ status, status_number: number }, restart = false) {
    if (number < this.#statusNumber && !restart) return;
    this.#statusNumber = number;
    this.status = status;
  }

  /** Read from a message how long the server keeps a pinned run. */
  takePin({ pinned = null }) {
    this.pinnedUntil = pinned === null ? null : Date.now() + 1000 * pinned;
  }

  #keepFrameToSee(before) {
    const { stepToSee, live } = this;
    if (stepToSee === null || this.#frameToSee) return;
    if (live.step === stepToSee || (before < stepToSee && live.step > stepToSee)) this.#frameToSee = live;
  }

  /** Replace the known breaks by `breaks`, {network: break or null}. */
  setBreaks(breaks) {
    this.breaks = Object.fromEntries(Object.entries(breaks ?? {}).filter(([, found]) => found));
    this.series.centres = this.#centres().slice(-MOST_CENTRES);
  }

  /** Return the steps of live changes (of a drag, only the first and the last), followed by the steps of breaks. */
  #centres() {
    const ends = this.changes.filter(({ drag }, i) =>
      !drag || this.changes[i - 1]?.drag !== drag || this.changes[i + 1]?.drag !== drag);
    return [...ends, ...Object.values(this.breaks)].flatMap(({ step, until }) => (until > step ? [step, until] : [step]));
  }

  /**
   * Step to which the server is advancing the run without frames. It is null if the server is not advancing the run in
   * this way, or if the run has reached that step.
   */
  get goesTo() {
    const [, last] = this.series.unseen.spans.at(-1) ?? [];
    return this.live && last >= this.live.step ? last + 1 : null;
  }

  /** Acknowledge that all received frames have been drawn or skipped, so that the server sends further frames. */
  acknowledge() {
    for (const seq of this.#unacknowledged) this.send({ type: "ack", seq });
    this.#unacknowledged = [];
  }

  /** Set the interval in seconds at which the server sends heartbeats if it sends no other messages. */
  expectBeats(seconds) {
    this.#socket?.expectBeats(seconds);
  }

  /** Send a message if the socket is open. */
  send(message) {
    this.#socket?.send(message);
  }

  /**
   * After a hello message, send what this browser needs: the maximum frame rate, the probes of all views, and whether
   * the tab is hidden and needs no frames.
   */
  sendWishes(frameRate) {
    this.limitRate(frameRate);
    this.#wanted = "";
    this.#sendWants();
    if (document.hidden) this.sendVisibility();
  }

  /** Request at most this many frames per second. If the value is infinity, request no limit. */
  limitRate(most) {
    if (Number.isFinite(most)) this.send({ type: "rate", max_fps: most });
  }

  /** Request the probes that the charts of a view draw. The server need not measure probes that no view requests. */
  wantProbes(view, names) {
    this.#wants.set(view, names);
    this.#sendWants();
  }

  #sendWants() {
    const probes = [...new Set([...this.#wants.values()].flat())].sort();
    if (this.#wanted === probes.join()) return;
    this.#wanted = probes.join();
    this.send({ type: "want", probes });
  }

  /** Report to the server whether the tab is visible. */
  sendVisibility() {
    this.send({ type: "hidden", hidden: document.hidden });
  }

  /** Reconnect at once if the connection is lost. */
  hurry() {
    this.#socket?.hurry();
  }

  /**
   * Resume when the tab is visible again: reconnect at once if necessary, and fetch the values of the frames that the
   * tab did not receive.
   */
  resume() {
    this.hurry();
    this.series.refetch(0);
  }

  /** Return the kept frame whose step is nearest to `step`, as [seq, step], or null if no frame is known. */
  nearest(step) {
    if (this.#frameToSee && step === this.stepToSee) return [this.#frameToSee.seq, this.#frameToSee.step];
    const away = (entry) => Math.abs(entry[1] - step);
    return this.history.reduce((best, entry) => (best && away(best) < away(entry) ? best : entry), null);
  }

  /**
   * Return a kept frame from the cache or the server. Return null if the server no longer has the frame or cannot be
   * reached.
   */
  async fetchFrame(seq) {
    if (seq === this.#frameToSee?.seq) return this.#frameToSee;
    try {
      const frame = this.#cache.get(seq) ?? (await this.#askForFrame(seq));
      if (frame) this.#addToCache(frame, seq);
      return frame;
    } catch {
      return null;
    }
  }

  async #askForFrame(seq) {
    const answer = await fetch(`${this.base}/history/${this.run}/${seq}`);
    return answer.ok ? new Frame(await answer.json()) : null;
  }

  /** Fetch all live changes. Frames contain only the first and the last change of a drag. */
  async fetchChanges() {
    const answer = await fetch(`${this.base}/changes/${this.run}`);
    if (!answer.ok) throw new Error(`/changes: HTTP ${answer.status}`);
    return (await answer.json()).changes;
  }

  /**
   * Fetch the values of kept frames that this browser has not received. Fetch soon if some of them are near a break or
   * a live change, otherwise later.
   */
  #backfill() {
    const { centres } = this.series;
    const missed = this.history.filter(([, step]) => !this.series.knows(step));
    const near = missed.some(([, step]) => centres.some((at) => Math.abs(step - at) <= AROUND));
    if (missed.length) this.series.refetch(near ? undefined : SELDOM);
  }

  /**
   * Replace the list of kept frames, [[seq, step], …].
   *
   * @param hello whether the list came with a hello message; at a second hello, the run has started over or the
   * connection was lost
   */
  setHistory(history, hello = false) {
    this.history = (history ?? []).map((entry) => [...entry]);
    if (hello && !this.#greeted) {
      this.#greeted = true;
      if (!this.series.asking) this.#backfill();
    } else if (hello) {
      this.live = this.#frameToSee = null; // because sequence numbers may start again
      this.#cache.clear();
      this.series.clear();
      this.series.refetch(0);
    } else this.#backfill();
  }

  #addToCache(frame, seq = frame.seq) {
    this.#cache.delete(seq);
    this.#cache.set(seq, frame);
    if (this.#cache.size > CACHED) this.#cache.delete(this.#cache.keys().next().value);
  }

  close() {
    this.series.close();
    this.#socket?.close();
  }
}

/**
 * Merge newer changes into the known changes. A hello message contains all live changes, a frame only the last twenty.
 * The newer changes replace all known changes from their first step on.
 */
function mergeChanges(known, newer) {
  if (!newer.length) return known;
  const first = newer[0].step;
  return known.filter((change) => change.step < first).concat(newer);
}

/** Handlers of the messages that change the store, by type. A message of any other type only emits an event. */
const HANDLERS = {
  frame: (store, message) => store.takeFrame(message),
  hello(store, message) {
    if (message.beat_seconds) store.expectBeats(message.beat_seconds);
    store.changes = message.changes ?? [];
    store.setBreaks(message.breaks);
    store.initial = { ...store.initial, ...message.initial };
    store.setHistory(message.history, true);
    store.takeStatus(message, true);
    store.takePin(message);
    store.device = message.resolved_device ?? null;
    store.restoredAt = message.restored_at ?? null;
    store.connected = true;
    for (const name of ["pace", "viewers", "queue", "behind", "best", "searching", "reason"]) store[name] = message[name] ?? null;
    if (message.unseen) store.series.setUnseen(message.unseen);
    store.emit("hello", message);
    store.emit("status", message);
  },
  status(store, message) {
    store.takeStatus(message);
    store.takePin(message);
    for (const name of ["pace", "viewers", "behind"]) store[name] = message[name] ?? store[name];
    for (const name of ["reason", "queue"]) store[name] = message[name] ?? null;
    store.emit("status", message);
  },
  history(store, message) {
    store.setHistory(message.kept);
    store.emit("history", store.history);
  },
  unseen(store, message) {
    store.series.setUnseen(message);
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
};

