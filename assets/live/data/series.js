// Values over time: kept frames fetched in columns, live frames appended, thinned for drawing.

import { decode, parseIndex, slice } from "./typed_arrays.js";

const MOST = 4000; // points held per series before the older half is thinned
const MOST_COLUMNS = 400; // series held, and asked for at a time; the one drawn longest ago goes first
/** Steps around a break or a change that the server keeps, or measures again. */
export const AROUND = 50;
const NOTHING_UNSEEN = { version: -1, spans: [] };
const SOON = 500; // ms, time for several reasons to fetch to come together

/** The name of a series: a field, and the index into it. */
export function seriesKey(field, index, selectors) {
  const parts = parseIndex(index, selectors);
  return parts ? `${field}:${parts.join(",")}` : field;
}

/**
 * Keep at most `points` points: each bucket of steps gives its smallest and its largest value, in
 * order of step; the first and the last point always stay, and beyond `points` every one that is
 * near a step of `whole`, where what happens around a break is not to be smoothed over, and those
 * on both sides of each of the `unseen` spans.
 *
 * @returns {steps, values} plain arrays
 */
export function thin(steps, values, points, whole = [], unseen = []) {
  if (steps.length <= points) return { steps, values };
  const kept = chosen(steps, values, points, whole, unseen);
  return { steps: kept.map((i) => steps[i]), values: kept.map((i) => values[i]) };
}

/**
 * The same points with a point that is nowhere in each place where a line would cross steps that nobody
 * looked at.
 *
 * @param unseen spans of steps, [first, last], ascending
 */
export function interrupt({ steps, values }, unseen) {
  const ends = crossings(steps, unseen);
  if (!ends.size) return { steps, values };
  const parted = (list) => list.flatMap((one, i) => (ends.has(i) ? [one, null] : [one]));
  return { steps: parted(steps), values: parted(values) };
}

/** Places of the points from which a line to the next one would cross an unseen step. */
function crossings(steps, unseen) {
  const found = new Set();
  let at = 0;
  for (let i = 0; i + 1 < steps.length; i++) {
    const [low, high] = [steps[i] + 1, steps[i + 1] - 1]; // the steps between the two
    while (at < unseen.length && unseen[at][1] < low) at++;
    if (at < unseen.length && low <= high && unseen[at][0] <= high) found.add(i);
  }
  return found;
}

/** Places of the points that stay. */
function chosen(steps, values, points, whole, unseen) {
  const n = steps.length;
  const buckets = Math.max(1, Math.floor(points / 2) - 1);
  const width = (steps[n - 1] - steps[0]) / buckets || 1;
  const near = (step) => whole.some((at) => Math.abs(step - at) <= AROUND);
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

export class Series {
  #address;
  #onChange;
  #columns = new Map();
  #fetching = false;
  #generation = 0; // grows when the run starts over
  #timer = null;
  #due = Infinity;
  #all = false; // whether columns that are known are asked for again as well
  #closed = false;
  #steps = new Set(); // steps of the frames whose values are known
  whole = []; // steps around which nothing is thinned
  unseen = NOTHING_UNSEEN; // the spans of steps, [first, last], that the run has passed while nobody looked

  /** @param address of `/series/<run>`, null without a run; @param onChange called when a fetch brought values */
  constructor(address, onChange) {
    this.#address = address;
    this.#onChange = onChange;
  }

  /** Make sure a series is kept from now on; its past is fetched. */
  need(key) {
    const column = this.#columns.get(key);
    // In the order in which they were asked for last.
    if (column) this.#columns.delete(key);
    this.#columns.set(key, column ?? { steps: [], values: [], seqs: [], version: 0, settled: false });
    if (column) return;
    if (this.#columns.size > MOST_COLUMNS) this.#columns.delete(this.#columns.keys().next().value);
    this.refetch(0, false);
  }

  /** Whether the past of all these series was fetched, or could not be. */
  settled(keys) {
    for (const key of keys) this.need(key); // all of them in one fetch
    return keys.every((key) => this.#columns.get(key)?.settled ?? true);
  }

  /** Whether a fetch is on its way or due. */
  get asking() {
    return this.#fetching || this.#due < Infinity;
  }

  /** {steps, values, version}; empty while unknown. */
  get(key) {
    this.need(key);
    return this.#columns.get(key);
  }

  /** Take in what a live frame says was measured: each value at its step, once. */
  append(frame) {
    this.#steps.add(frame.step);
    for (const [key, column] of this.#columns) {
      const [field, index] = split(key);
      const found = slice(frame.field(field), index);
      if (!found?.data.length) continue;
      put(column, { step: frame.measuredAt(field), value: found.data[0], seq: frame.seq });
      if (column.steps.length > MOST) {
        const kept = chosen(column.steps, column.values, MOST / 2, this.whole, this.unseen.spans);
        for (const name of POINT) column[`${name}s`] = kept.map((i) => column[`${name}s`][i]);
      }
    }
  }

  /** What the server says of the steps that nobody looked at; what it has said before the last word counts no more. */
  hearUnseen({ version, spans }) {
    if (version > this.unseen.version) this.unseen = { version, spans };
  }

  /** Whether the values of a step are known. */
  knows(step) {
    return this.#steps.has(step);
  }

  /** Forget all values: the run starts over. */
  clear() {
    this.#generation++;
    this.#steps.clear();
    this.unseen = NOTHING_UNSEEN;
    for (const column of this.#columns.values()) {
      Object.assign(column, { settled: false, steps: [], values: [], seqs: [] });
      column.version++;
    }
  }

  /** Ask for all columns again, or for new ones alone, at the latest in `wait` ms; several reasons share one fetch. */
  refetch(wait = SOON, all = true) {
    this.#all ||= all;
    const due = performance.now() + wait;
    if (this.#closed || due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    const ask = () => {
      this.#due = Infinity;
      this.#fetch();
    };
    if (wait > 0) this.#timer = setTimeout(ask, wait);
    else queueMicrotask(ask); // a timer would wait behind Plotly being read
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
      // The socket says that the connection is lost, and a reconnect fetches again.
    } finally {
      this.#fetching = false;
      if (current()) this.#settle(columns);
    }
  }

  /** A series that could not be had is drawn from now on. */
  #settle(columns) {
    const waiting = [...columns.values()].filter(({ settled }) => !settled);
    for (const column of waiting) column.settled = true;
    if (waiting.length) this.#onChange();
  }

  /** Points of kept frames, and after them those of live frames that came since the answer. */
  #merge(answer, all) {
    if (answer.unseen) this.hearUnseen(answer.unseen);
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

/** Put a point in its place. A frame that carries what is known changes nothing; a later word wins. */
function put(column, point) {
  let at = column.steps.length;
  while (at > 0 && column.steps[at - 1] > point.step) at--;
  const known = at > 0 && column.steps[at - 1] === point.step;
  if (known && (Object.is(column.values[at - 1], point.value) || column.seqs[at - 1] > point.seq)) return;
  if (known) at--;
  for (const name of POINT) column[`${name}s`].splice(at, known ? 1 : 0, point[name]);
  column.version++;
}
