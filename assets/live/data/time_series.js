// Values over time, in columns. Past values are fetched from the server's history, each new frame adds a point, and a
// column is thinned out before it is drawn.

import { decode, parseIndex, slice } from "./frame.js";

const MOST = 4000; // maximum number of points in a column; a longer column is thinned out to half as many points
const MOST_COLUMNS = 400; // maximum number of columns in memory; the least recently drawn column is dropped first
/** Number of steps on each side of a break or a change for which the server keeps every frame, or computes it again. */
export const AROUND = 50;
const NOTHING_UNSEEN = { version: -1, spans: [] };
const SOON = 500; // time in ms during which several requests are collected for one fetch

/** Return the key of a column, which consists of a field and the index into the field. */
export function seriesKey(field, index, selectors) {
  const parts = parseIndex(index, selectors);
  return parts ? `${field}:${parts.join(",")}` : field;
}

/**
 * Thin a curve out to about `points` points. Each bucket of steps keeps its smallest and its largest value, in the
 * order of steps. The first and the last point of the curve are kept. All points near a step of `centres` are also
 * kept, so that a break is not smoothed over, and so are the points on both sides of each span of `unseen`.
 *
 * @returns {steps, values} plain arrays
 */
export function thin(steps, values, points, centres = [], unseen = []) {
  if (steps.length <= points) return { steps, values };
  const kept = thinned(steps, values, points, centres, unseen);
  return { steps: kept.map((i) => steps[i]), values: kept.map((i) => values[i]) };
}

/**
 * Interrupt a curve with null wherever its line would cross steps that have no frames.
 *
 * @param unseen ascending spans of such steps, [first, last]
 */
export function interrupt({ steps, values }, unseen) {
  const ends = crossings(steps, unseen);
  if (!ends.size) return { steps, values };
  const parted = (list) => list.flatMap((one, i) => (ends.has(i) ? [one, null] : [one]));
  return { steps: parted(steps), values: parted(values) };
}

/** Return the indices of the points from which the line to the next point would cross a step without frames. */
function crossings(steps, unseen) {
  const found = new Set();
  let at = 0;
  for (let i = 0; i + 1 < steps.length; i++) {
    const [low, high] = [steps[i] + 1, steps[i + 1] - 1]; // the steps between the two points
    while (at < unseen.length && unseen[at][1] < low) at++;
    if (at < unseen.length && low <= high && unseen[at][0] <= high) found.add(i);
  }
  return found;
}

/** Return the indices of the points that are kept when a curve is thinned out. */
function thinned(steps, values, points, centres, unseen) {
  const n = steps.length;
  const buckets = Math.max(1, Math.floor(points / 2) - 1);
  const width = (steps[n - 1] - steps[0]) / buckets || 1;
  const near = (step) => centres.some((at) => Math.abs(step - at) <= AROUND);
  const ends = crossings(steps, unseen);
  const kept = [0];
  let start = 1;
  for (let bucket = 0; bucket < buckets && start < n - 1; bucket++) {
    const end = steps[0] + (bucket + 1) * width;
    let [low, high] = [start, start];
    const close = [];
    let i = start;
    for (; i < n - 1 && (steps[i] <= end || bucket === buckets - 1); i++) {
      if (values[i] < values[low] || !Number.isFinite(values[low])) low = i;
      if (values[i] > values[high] || !Number.isFinite(values[high])) high = i;
      if (near(steps[i]) || ends.has(i) || ends.has(i - 1)) close.push(i);
    }
    if (i > start) kept.push(...new Set([...close, low, high].sort((a, b) => a - b)));
    start = i;
  }
  kept.push(n - 1);
  return kept;
}

/** Columns of values over time of one run, fetched from the server. */
export class FetchedSeries {
  #address;
  #onChange;
  #columns = new Map(); // columns by key, as {steps, values, seqs, version, settled}, least recently drawn first
  #fetching = false;
  #generation = 0; // number that increases when the run starts over, so that replies to earlier requests are ignored
  #timer = null;
  #due = Infinity; // time in ms at which the next fetch begins
  #all = false; // whether the next fetch includes columns that have been fetched before
  #closed = false;
  #steps = new Set(); // steps of the frames whose values have arrived
  centres = []; // steps around which curves are not thinned out
  unseen = NOTHING_UNSEEN; // spans [first, last] of steps that have no frames because nobody watched the run

  /**
   * @param address address of `/series/<run>`, or null if there is no run
   * @param onChange called when a fetch has brought values or has failed
   */
  constructor(address, onChange) {
    this.#address = address;
    this.#onChange = onChange;
  }

  /** Keep a column in memory from now on, and fetch its past values. */
  need(key) {
    const column = this.#columns.get(key);
    if (column) this.#columns.delete(key);
    this.#columns.set(key, column ?? { steps: [], values: [], seqs: [], version: 0, settled: false });
    if (column) return;
    if (this.#columns.size > MOST_COLUMNS) this.#columns.delete(this.#columns.keys().next().value);
    this.refetch(0, false);
  }

  /** Return whether, for all these columns, the past values have been fetched or the fetch has failed. */
  settled(keys) {
    // request all columns before the result is read, so that they share one fetch
    for (const key of keys) this.need(key);
    return keys.every((key) => this.#columns.get(key)?.settled ?? true);
  }

  /** Return whether a fetch is running or planned. */
  get asking() {
    return this.#fetching || this.#due < Infinity;
  }

  /**
   * Return a column as {steps, values, version}. It is empty until its past values have arrived, and `version`
   * increases with each change.
   */
  get(key) {
    this.need(key);
    return this.#columns.get(key);
  }

  /** Add the values of a new frame to the columns, each at the step at which it was measured. */
  append(frame) {
    this.#steps.add(frame.step);
    for (const [key, column] of this.#columns) {
      const [field, index] = split(key);
      const found = slice(frame.field(field), index);
      if (!found?.data.length) continue;
      put(column, { step: frame.measuredAt(field), value: found.data[0], seq: frame.seq });
      if (column.steps.length > MOST) {
        const kept = thinned(column.steps, column.values, MOST / 2, this.centres, this.unseen.spans);
        for (const name of POINT) column[`${name}s`] = kept.map((i) => column[`${name}s`][i]);
      }
    }
  }

  /** Adopt the server's list of spans without frames, unless a newer list is known. */
  setUnseen({ version, spans }) {
    if (version > this.unseen.version) this.unseen = { version, spans };
  }

  /** Return whether the values of a step have arrived. */
  knows(step) {
    return this.#steps.has(step);
  }

  /** Drop all values, because the run starts over. */
  clear() {
    this.#generation++;
    this.#steps.clear();
    this.unseen = NOTHING_UNSEEN;
    for (const column of this.#columns.values()) {
      Object.assign(column, { settled: false, steps: [], values: [], seqs: [] });
      column.version++;
    }
  }

  /**
   * Begin to fetch columns within `wait` ms. All calls before the fetch begins share this fetch.
   * @param all whether to fetch again the columns that have already been fetched
   */
  refetch(wait = SOON, all = true) {
    this.#all ||= all;
    const due = performance.now() + wait;
    if (this.#closed || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    const begin = () => {
      this.#due = Infinity;
      this.#fetch();
    };
    if (wait > 0) this.#timer = setTimeout(begin, wait);
    else queueMicrotask(begin); // because a timer would fire only after Plotly has been parsed
  }

  async #fetch() {
    if (this.#fetching) return this.refetch(SOON, this.#all);
    const columns = new Map([...this.#columns].filter(([, { settled }]) => this.#all || !settled));
    this.#all = false;
    if (!columns.size) return;
    if (this.#address === null) return this.#settle(columns);
    const generation = this.#generation;
    const current = () => !this.#closed && generation === this.#generation;
    this.#fetching = true;
    try {
      const query = [...columns.keys()].map((key) => `field=${encodeURIComponent(key)}`);
      const answer = await fetch(`${this.#address}?${query.join("&")}`);
      const found = answer.ok ? await answer.json() : null;
      if (found && current()) this.#merge(found, columns.size === this.#columns.size);
    } catch {
      // Ignore the error, because the socket reports that the connection was lost, and the next hello message starts
      // another fetch.
    } finally {
      this.#fetching = false;
      if (current()) this.#settle(columns);
    }
  }

  /**
   * Mark the columns as settled after a fetch, even if the fetch has failed, so that charts no longer wait for them.
   */
  #settle(columns) {
    const waiting = [...columns.values()].filter(({ settled }) => !settled);
    for (const column of waiting) column.settled = true;
    if (waiting.length) this.#onChange();
  }

  /**
   * Replace columns by the columns in the server's reply. Then add again the points of frames that are newer than the
   * reply.
   */
  #merge(answer, all) {
    if (answer.unseen) this.setUnseen(answer.unseen);
    const shown = decode(answer.step).data;
    const until = shown.at(-1) ?? -1;
    if (all) this.#steps = new Set([...shown, ...[...this.#steps].filter((step) => step > until)]);
    const axes = answer.steps.map((spec) => Array.from(decode(spec).data));
    for (const [key, { step, value }] of Object.entries(answer.fields)) {
      const column = this.#columns.get(key);
      if (!column) continue;
      const later = column.seqs.flatMap((seq, i) => (seq > answer.seq ? [pointAt(column, i)] : []));
      column.steps = axes[step].slice();
      column.values = Array.from(decode(value).data);
      column.seqs = column.steps.map(() => answer.seq);
      for (const point of later) put(column, point);
      column.version++;
      column.settled = true;
    }
    this.#onChange();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}

function split(key) {
  const at = key.indexOf(":");
  return at < 0 ? [key, null] : [key.slice(0, at), parseIndex(key.slice(at + 1))];
}

const POINT = ["step", "value", "seq"];

function pointAt(column, i) {
  return { step: column.steps[i], value: column.values[i], seq: column.seqs[i] };
}

/** Insert a point at its step. If there are two values for the same step, keep the value from the newer frame. */
function put(column, point) {
  let at = column.steps.length;
  while (at > 0 && column.steps[at - 1] > point.step) at--;
  const known = at > 0 && column.steps[at - 1] === point.step;
  if (known && (Object.is(column.values[at - 1], point.value) || column.seqs[at - 1] > point.seq)) return;
  if (known) at--;
  for (const name of POINT) column[`${name}s`].splice(at, known ? 1 : 0, point[name]);
  column.version++;
}
