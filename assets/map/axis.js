// An axis of the map. Its rungs are the knob's values, in increasing order. A place is a position along the axis: 0 at
// the first rung, 1 at the second, and so on.

import { count, formatNumber, within } from "../live/lib/format.js";

export const HALF = 0.5; // half the width of a cell, in rungs; a cell is centred on its rung
const MOST_DIGITS = 9; // significant digits of a float32

export class MapAxis {
  /**
   * @param given {knob, label, said: the knob's name within a sentence, rungs, logarithmic, whole: whether the knob
   * takes only integers}
   */
  constructor(given) {
    Object.assign(this, given);
    this.last = this.rungs.length - 1;
  }

  /** Number of cells along the axis, one per rung. */
  get cells() {
    return this.rungs.length;
  }

  /** Return the value at a place. A place beyond either end is extrapolated from the two nearest rungs. */
  value(place) {
    const { rungs } = this;
    if (rungs.length === 1) return rungs[0];
    const rung = within(Math.floor(place), 0, rungs.length - 2);
    const share = place - rung;
    const [low, high] = [rungs[rung], rungs[rung + 1]];
    return this.logarithmic ? low * (high / low) ** share : low + (high - low) * share;
  }

  /** Return the place of a value, or null if it is beyond the axis. */
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

  /**
   * Return, for each cell along this axis, the index of the cell with the same value on another axis of the same knob,
   * or -1 if the other axis does not contain the value.
   */
  onto(other) {
    return Int32Array.from({ length: this.cells }, (_, cell) => {
      const place = other.place(this.value(cell));
      return place === null ? -1 : within(Math.round(place), 0, other.cells - 1);
    });
  }

  /** Format a value with enough digits to distinguish it from neighbouring rungs. */
  write(value) {
    if (this.whole) return count(value);
    const { rungs } = this;
    if (rungs.length === 1) return formatNumber(value, 3);
    const steps = rungs.slice(1).map((high, i) => (high - rungs[i]) / 8 / high);
    const digits = Math.ceil(-Math.log10(Math.min(...steps)));
    return formatNumber(value, within(digits, 3, MOST_DIGITS));
  }

  /**
   * Return tick labels of the rungs, [{at: place, text}, …]. If there are more than `most` rungs, label only every
   * second, third, … rung.
   */
  rungTicks(most) {
    const every = Math.ceil(this.rungs.length / Math.max(1, most));
    return this.rungs.map((value, at) => ({ at, text: this.whole ? count(value) : formatNumber(value, 3) })).filter(({ at }) => at % every === 0);
  }

  /**
   * Return ticks at round numbers.
   *
   * @param most approximate maximum number of ticks
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

/**
 * Return round values: 1, 2 and 5 times the powers of ten. If these are more than `most`, return 1 and 3 times the
 * powers of ten, or only some of the powers of ten.
 */
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

/** Return evenly spaced values. Their spacing is 1, 2 or 5 times a power of ten. */
function even(low, high, most) {
  const rough = (high - low) / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((each) => each * power >= rough) * power;
  const first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}
