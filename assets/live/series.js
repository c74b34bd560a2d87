// Values over time: kept frames fetched in columns, live frames appended, thinned for drawing.

import { decode, parseIndex, take } from "./typed.js";

const MOST = 4000; // points held per series before the older half is thinned
/** Steps around a break or a change that the server keeps, or measures again. */
export const AROUND = 50;
const SOON = 500; // ms, time for several reasons to fetch to come together

/** The name of a series: a field, and the index into it. */
export function seriesKey(field, index, selectors) {
  const parts = parseIndex(index, selectors);
  return parts ? `${field}:${parts.join(",")}` : field;
}

/**
 * Keep at most `points` points: each bucket of steps gives its smallest and its largest value, in
 * order of step; the first and the last point always stay, and beyond `points` every one that is
 * near a step of `whole`: what happens around a break is not to be smoothed over.
 *
 * @returns {steps, values} plain arrays
 */
export function thin(steps, values, points, whole = []) {
  const n = steps.length;
  if (n <= points) return { steps, values };
  const buckets = Math.max(1, Math.floor(points / 2) - 1);
  const width = (steps[n - 1] - steps[0]) / buckets || 1;
  const near = (step) => whole.some((at) => Math.abs(step - at) <= AROUND);
  const kept = [0];
  let start = 1;
  for (let bucket = 0; bucket < buckets && start < n - 1; bucket++) {
    const end = steps[0] + (bucket + 1) * width;
    let [low, high] = [start, start];
    const chosen = [];
    let i = start;
    for (; i < n - 1 && (steps[i] <= end || bucket === buckets - 1); i++) {
      if (values[i] < values[low] || !Number.isFinite(values[low])) low = i;
      if (values[i] > values[high] || !Number.isFinite(values[high])) high = i;
      if (near(steps[i])) chosen.push(i);
    }
    if (i > start) kept.push(...new Set([...chosen, low, high].sort((a, b) => a - b)));
    start = i;
  }
  kept.push(n - 1);
  return { steps: kept.map((i) => steps[i]), values: kept.map((i) => values[i]) };
}

export class Series {
  #address;
  #onChange;
  #columns = new Map();
  #fetching = false;
  #generation = 0; // grows when the run starts over
  #timer = null;
  #due = Infinity;
  #closed = false;
  #steps = new Set(); // steps whose values are known
  whole = []; // steps around which nothing is thinned

  /** @param address of `/series/<run>`; @param onChange called when a fetch brought values */
  constructor(address, onChange) {
    this.#address = address;
    this.#onChange = onChange;
  }

  /** Make sure a series is kept from now on; its past is fetched. */
  need(key) {
    if (this.#columns.has(key)) return;
    this.#columns.set(key, { steps: [], values: [], version: 0, settled: false });
    this.refetch(0);
  }

  /** Whether the past of all these series was fetched, or could not be. */
  settled(keys) {
    for (const key of keys) this.need(key); // all of them in one fetch
    return keys.every((key) => this.#columns.get(key).settled);
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

  /** Append what a live frame measured. */
  append(frame) {
    this.#steps.add(frame.step);
    for (const [key, column] of this.#columns) {
      const [field, index] = split(key);
      const found = take(frame.field(field), index);
      if (!found) continue;
      const step = frame.measuredAt(field);
      const last = column.steps.at(-1) ?? -1;
      if (step <= last) continue;
      column.steps.push(step);
      column.values.push(found.data[0]);
      column.version++;
      if (column.steps.length > MOST) {
        Object.assign(column, thin(column.steps, column.values, MOST / 2, this.whole));
      }
    }
  }

  /** Whether the values of a step are known. */
  knows(step) {
    return this.#steps.has(step);
  }

  /** Forget all values: the run starts over. */
  clear() {
    this.#generation++;
    this.#steps.clear();
    for (const column of this.#columns.values()) {
      column.settled = false;
      column.steps = [];
      column.values = [];
      column.version++;
    }
  }

  /** Ask for all columns again, at the latest in `wait` ms; several reasons share one fetch. */
  refetch(wait = SOON) {
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
    if (this.#fetching) return this.refetch();
    const columns = new Map(this.#columns);
    if (!columns.size) return;
    const generation = this.#generation;
    const current = () => !this.#closed && generation === this.#generation;
    this.#fetching = true;
    try {
      const query = [...columns.keys()].map((key) => `field=${encodeURIComponent(key)}`);
      const answer = await fetch(`${this.#address}?${query.join("&")}`);
      const found = answer.ok ? await answer.json() : null;
      if (found && current()) this.#merge(found);
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

  #merge(answer) {
    const steps = Array.from(decode(answer.step)?.data ?? []);
    const until = steps.at(-1) ?? -1;
    for (const step of steps) this.#steps.add(step);
    for (const [key, spec] of Object.entries(answer.fields ?? {})) {
      const column = this.#columns.get(key);
      if (!column) continue;
      const past = measured(steps, decode(spec).data, key);
      const from = column.steps.findIndex((step) => step > until);
      const newer = from < 0 ? column.steps.length : from;
      column.steps = past.steps.concat(column.steps.slice(newer));
      column.values = past.values.concat(column.values.slice(newer));
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

/**
 * A dear probe is not in every kept frame: its column holds NaN there. Such holes are left out;
 * NaN that lasts to the end stays, for it is what was measured.
 */
function measured(steps, data, key) {
  if (key.split(".").length < 3) {
    // A step is timed when it was taken: what was not known yet at the start has no place.
    const first = Math.max(data.findIndex(Number.isFinite), 0);
    return { steps: steps.slice(first), values: Array.from(data.subarray(first)) };
  }
  // What was never measured is not there, not even as something that is not finite.
  if (!data.some((value) => !Number.isNaN(value))) return { steps: [], values: [] };
  let end = data.length;
  while (end > 0 && Number.isNaN(data[end - 1])) end--;
  const kept = steps.map((_, i) => i).filter((i) => i >= end || !Number.isNaN(data[i]));
  return { steps: kept.map((i) => steps[i]), values: kept.map((i) => data[i]) };
}
