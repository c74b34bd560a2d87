// An axis of the map: a knob's ladder of values, and places along it in eighths of a step.

import { count, number } from "../live/lib/format.js";

export const FINEST = 8; // parts of a ladder's step
const HALF = FINEST / 2; // the outermost cells reach half a step beyond their rungs
const MOST_DIGITS = 9; // what float32 can tell apart

export class Axis {
  /** @param given {knob, label, rungs, logarithmic, whole, passes?} */
  constructor(given) {
    Object.assign(this, given);
    this.last = FINEST * (this.rungs.length - 1);
  }

  /** Cells of a raster along it; the first begins half a step before the first rung. */
  get cells() {
    return FINEST * this.rungs.length;
  }

  /** The value at a place; beyond the ends by the step of the nearest rungs. */
  value(eighths) {
    const { rungs } = this;
    if (rungs.length === 1) return rungs[0];
    const rung = Math.min(rungs.length - 2, Math.max(0, Math.floor(eighths / FINEST)));
    const share = eighths / FINEST - rung;
    const [low, high] = [rungs[rung], rungs[rung + 1]];
    return this.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  }

  /** The place of a value in eighths; null where it is not drawn. */
  place(value) {
    const { rungs } = this;
    if (rungs.length === 1) return value === rungs[0] ? 0 : null;
    let rung = rungs.findIndex((each) => each > value) - 1;
    if (rung === -2) rung = rungs.length - 2;
    rung = Math.min(rungs.length - 2, Math.max(0, rung));
    const [low, high] = [rungs[rung], rungs[rung + 1]];
    const share = this.logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    const place = FINEST * (rung + share);
    return place >= -HALF && place <= this.last + HALF ? place : null;
  }

  /** By cell of this axis, the cell of another one of the same knob at whose value it lies; -1: beyond it. */
  onto(other) {
    return Int32Array.from({ length: this.cells }, (_, cell) => {
      const place = other.place(this.value(cell - HALF + 0.5));
      return place === null ? -1 : Math.min(other.cells - 1, Math.max(0, Math.floor(place + HALF)));
    });
  }

  /** A value with as many digits as tell it from its neighbours. */
  write(value) {
    if (this.whole) return count(value);
    const { rungs } = this;
    if (rungs.length === 1) return number(value, 3);
    const steps = rungs.slice(1).map((high, i) => (high - rungs[i]) / FINEST / high);
    const digits = Math.ceil(-Math.log10(Math.min(...steps)));
    return number(value, Math.min(MOST_DIGITS, Math.max(3, digits)));
  }

  /**
   * Where numbers stand.
   *
   * @param most about how many there is room for
   * @returns [{at: eighths, text, under: passes over the data or null}, …]
   */
  ticks(most) {
    const { rungs } = this;
    if (this.whole || rungs.length === 1) {
      const every = Math.ceil(rungs.length / Math.max(1, most));
      return rungs.map((value, i) => ({ at: FINEST * i, text: this.write(value), under: this.passes?.[i] ?? null }))
        .filter((_, i) => i % every === 0);
    }
    const [low, high] = [this.value(-HALF), this.value(this.last + HALF)];
    const values = this.logarithmic && high / low > 4 ? decades(low, high, most) : even(low, high, most);
    const step = values.length > 1 ? values[1] - values[0] : values[0];
    const digits = this.logarithmic && high / low > 4 ? 2 : Math.min(MOST_DIGITS, Math.max(1, Math.ceil(Math.log10(high / step)) + 1));
    return values.map((value) => ({ at: this.place(value), text: number(value, digits), under: null })).filter(({ at }) => at !== null);
  }
}

/** 1, 10, 100; with 3 between them, or 2 and 5, as far as there is room. */
function decades(low, high, most) {
  const all = (parts) => {
    const found = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++)
      for (const part of parts) found.push(Number(`${part}e${power}`));
    return found.filter((value) => value >= low && value <= high);
  };
  const [fine, middle, coarse] = [[1, 2, 5], [1, 3], [1]].map(all);
  if (fine.length <= most) return fine;
  if (middle.length <= most) return middle;
  return coarse.filter((_, i) => i % Math.ceil(coarse.length / most) === 0);
}

/** Even steps of 1, 2 or 5. */
function even(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
