// An axis of the map: a knob's ladder of values, its rungs, and places along it: 0 at the first rung, 1 at
// the second, and so on.

import { count, formatNumber, within } from "../live/lib/format.js";

export const HALF = 0.5; // a cell reaches half a step to both sides of its rung
const MOST_DIGITS = 9; // float32 has no more

export class MapAxis {
  /** @param given {knob, label, said: the knob in a sentence, rungs, logarithmic, whole: only integers} */
  constructor(given) {
    Object.assign(this, given);
    this.last = this.rungs.length - 1;
  }

  /** The number of cells along it, one for each rung. */
  get cells() {
    return this.rungs.length;
  }

  /** The value at a place; beyond the ends the steps are those between the nearest rungs. */
  value(place) {
    const { rungs } = this;
    if (rungs.length === 1) return rungs[0];
    const rung = within(Math.floor(place), 0, rungs.length - 2);
    const share = place - rung;
    const [low, high] = [rungs[rung], rungs[rung + 1]];
    return this.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  }

  /** The place of a value; null where the axis does not reach. */
  place(value) {
    const { rungs } = this;
    if (rungs.length === 1) return value === rungs[0] ? 0 : null;
    let rung = rungs.findIndex((each) => each > value) - 1;
    if (rung === -2) rung = rungs.length - 2;
    rung = within(rung, 0, rungs.length - 2);
    const [low, high] = [rungs[rung], rungs[rung + 1]];
    const share = this.logarithmic ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
    const place = rung + share;
    return place >= -HALF && place <= this.last + HALF ? place : null;
  }

  /** For each cell of this axis, the cell of another one of the same knob that has its value; -1: beyond that axis. */
  onto(other) {
    return Int32Array.from({ length: this.cells }, (_, cell) => {
      const place = other.place(this.value(cell));
      return place === null ? -1 : within(Math.round(place), 0, other.cells - 1);
    });
  }

  /** A value, with as many digits as distinguish it from the next rung's. */
  write(value) {
    if (this.whole) return count(value);
    const { rungs } = this;
    if (rungs.length === 1) return formatNumber(value, 3);
    const steps = rungs.slice(1).map((high, i) => (high - rungs[i]) / 8 / high);
    const digits = Math.ceil(-Math.log10(Math.min(...steps)));
    return formatNumber(value, within(digits, 3, MOST_DIGITS));
  }

  /** The numbers of its cells: [{at: place, text}, …]; of so many at most, each second, third … one. */
  rungTicks(most) {
    const every = Math.ceil(this.rungs.length / Math.max(1, most));
    return this.rungs.map((value, at) => ({ at, text: this.whole ? count(value) : formatNumber(value, 3) })).filter(({ at }) => at % every === 0);
  }

  /**
   * Round numbers along it.
   *
   * @param most about as many as there is room for
   * @returns [{at: place, text}, …]
   */
  ticks(most) {
    const { rungs } = this;
    if (this.whole || rungs.length === 1) return this.rungTicks(most);
    const [low, high] = [this.value(-HALF), this.value(this.last + HALF)];
    const values = this.logarithmic && high / low > 4 ? decades(low, high, most) : even(low, high, most);
    const step = values.length > 1 ? values[1] - values[0] : values[0];
    const digits = this.logarithmic && high / low > 4 ? 2 : within(Math.ceil(Math.log10(high / step)) + 1, 1, MOST_DIGITS);
    return values.map((value) => ({ at: this.place(value), text: formatNumber(value, digits) })).filter(({ at }) => at !== null);
  }
}

/** 1, 10, 100, …; if there is room, with 3 between them, or with 2 and 5. */
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

/** Even steps: 1, 2 or 5 times a power of ten. */
function even(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
