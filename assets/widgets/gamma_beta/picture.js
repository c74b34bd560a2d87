// The picture of the *γ and β bench*, all on one horizontal axis: the curve with its best straight line, the bell curve
// of its inputs below it, and the values of a mini-batch before and after batch normalization.

import { h, pathOf, s } from "../../live/lib/dom.js";
import { within } from "../../live/lib/format.js";
import { short } from "../lib/numbers.js";
import { level, rounded, setSize, upright, words } from "../lib/svg.js";
import { CURVES } from "./straightness.js";

const REACH = 8; // the axis runs from −8 to 8
const [SIDE, TOP] = [30, 12]; // px; margin on the left and right, and margin at the top
const [CURVE, BELL, ROW, FOOT] = [150, 74, 40, 22]; // px, heights
const POINTS = 160; // points per drawn curve
const WIDE = 2.5; // number of standard deviations on each side of the mean over which the line is drawn
const TICKS = [-6, -4, -2, 0, 2, 4, 6];
// height of a bell curve with standard deviation 1, as a fraction of the space for bell curves; higher bell curves are
// cut off at the top
const FULL = 0.75;
const MARK = 9; // half the height in px of the stroke that marks a value

export class Picture {
  /** @param words {label; batch and result: names of the two rows of values} */
  constructor(words) {
    this.words = words;
    this.svg = s("svg.bnviz-lines.bnviz-bench", { role: "img", "aria-label": words.label });
    this.element = h("div.bnviz-lines-place", this.svg);
  }

  /**
   * @param shown {curve: name in CURVES; gamma; beta; line: from `bestLine`; x, y: values of the batch before and
   * after}
   * @param width in px
   */
  draw({ curve, gamma, beta, line, x: given, y: made }, width) {
    const { of, flat, low, high } = CURVES[curve];
    const height = TOP + CURVE + BELL + 2 * ROW + FOOT;
    const x = (value) => rounded(SIDE + ((value + REACH) / (2 * REACH)) * (width - 2 * SIDE));
    const up = (value) => rounded(TOP + CURVE - ((value - low) / (high - low)) * (CURVE - 16) - 8);
    const foot = TOP + CURVE + BELL;
    setSize(this.svg, width, height);
    const zone = (from, to) => s("rect.bnviz-bench-zone", { x: x(from), width: Math.max(0, rounded(x(to) - x(from))), y: TOP, height: CURVE + BELL });
    this.svg.replaceChildren(
      zone(-REACH, -flat), zone(flat, REACH),
      ...[low, high].flatMap((value) => [
        level("bnviz-line-grid", x(-REACH), x(REACH), up(value)),
        words("bnviz-line-number", SIDE / 2, up(value) + 4, short(value)),
      ]),
      this.#bell(gamma, beta, x, foot),
      s("path.bnviz-bench-curve", { d: path((value) => up(of(value)), x, -REACH, REACH) }),
      ...this.#line(line, gamma, beta, x, up),
      level("bnviz-line-axis", x(-REACH), x(REACH), foot),
      ...this.#row(this.words.batch, given, x, foot + ROW / 2 + 4), ...this.#row(this.words.result, made, x, foot + 1.5 * ROW + 4),
      ...TICKS.map((tick) => words("bnviz-line-number", x(tick), height - 5, short(tick))),
    );
  }

  #bell(gamma, beta, x, foot) {
    if (!(gamma > 0)) return upright("bnviz-line-mean", x(beta), foot, foot - BELL);
    const height = (value) => (Math.exp(-(((value - beta) / gamma) ** 2) / 2) / gamma) * FULL * BELL;
    const [from, to] = [Math.max(-REACH, beta - 4 * gamma), Math.min(REACH, beta + 4 * gamma)];
    const top = path((value) => rounded(foot - Math.min(height(value), BELL)), x, from, to);
    return s("path.bnviz-bench-bell", { d: `${top}L${x(to)} ${foot}L${x(from)} ${foot}Z` });
  }

  /** Return the best straight line, drawn over most of the bell curve, or nothing if γ = 0. */
  #line({ slope, at }, gamma, beta, x, up) {
    if (slope === null) return [];
    const [from, to] = [-WIDE, WIDE].map((z) => within(beta + z * gamma, -REACH, REACH));
    const y = (value) => up(at + slope * (value - beta));
    return [s("path.bnviz-bench-line", { d: `M${x(from)} ${y(from)}L${x(to)} ${y(to)}` })];
  }

  /** Return one stroke per value. Values beyond the axis are shown as a count at its end. */
  #row(name, values, x, y) {
    const beyond = [-1, 1].map((side) => [side, values.filter((value) => side * value > REACH).length]);
    return [
      level("bnviz-line-grid", x(-REACH), x(REACH), y),
      words("bnviz-line-name", 4, y + 5, name),
      ...values.filter((value) => Math.abs(value) <= REACH)
        .map((value) => upright("bnviz-bench-value", x(value), y - MARK, y + MARK)),
      ...beyond.filter(([, count]) => count).map(([side, count]) =>
        words("bnviz-line-number", x(side * (REACH - 0.4)), y - MARK - 2, side > 0 ? `${count} →` : `← ${count}`)),
    ];
  }
}

function path(height, x, from, to) {
  const values = Array.from({ length: POINTS + 1 }, (_, place) => from + (place * (to - from)) / POINTS);
  return pathOf(values.map((value) => [x(value), height(value)]));
}
