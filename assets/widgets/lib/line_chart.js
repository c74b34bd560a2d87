// A small chart of lines over the steps of a run that is over, with words at their ends.

import { h, s } from "../../live/lib/dom.js";
import { number } from "../../live/lib/format.js";
import { level, setSize, through, words } from "./svg.js";

const [LEFT, TOP, BOTTOM] = [44, 14, 34]; // px around the lines
export const HEIGHT = 190; // px, unless a reader draws upon the chart
const HEADROOM = 1.05; // from the highest value to the end of the axis
const POINTS = 200; // drawn of a line; more cannot be distinguished

export class LineChart {
  /** @param words {title, axis: of x} */
  constructor({ title, axis }) {
    this.axis = axis;
    this.svg = s("svg.bnviz-small-chart", { "aria-hidden": "true" });
    this.plot = h("div.bnviz-widget-plot", this.svg);
    this.element = h("figure.bnviz-widget-figure", h("figcaption", title), this.plot);
  }

  /**
   * @param lines [{values: one for each step from 0, css, label: at the line's end}, …]
   * @param size {width, height, room: for the labels at the right} in px
   * @param top the end of the axis; null: a round number above the highest value
   */
  draw(lines, { width, height = HEIGHT, room }, top = null) {
    const last = Math.max(...lines.map(({ values }) => values.length)) - 1;
    const highest = top ?? niceTop(Math.max(...lines.flatMap(({ values }) => [...values])));
    const x = (step) => LEFT + (step / last) * (width - LEFT - room);
    const y = (value) => height - BOTTOM - (value / highest) * (height - BOTTOM - TOP);
    // In px of `plot`, for a curve that is drawn over it.
    this.place = {
      x, y, value: (at) => ((height - BOTTOM - at) / (height - BOTTOM - TOP)) * highest,
      left: LEFT, right: x(last), top: TOP, bottom: height - BOTTOM,
    };
    setSize(this.svg, width, height);
    const levels = [0, highest / 2, highest];
    const steps = [0, last / 2, last].map(Math.round);
    this.svg.replaceChildren(
      ...levels.map((value) => level("bnviz-line-grid", LEFT, x(last), y(value))),
      ...levels.map((value) => words("bnviz-chart-level", LEFT - 6, y(value) + 4, number(value))),
      ...steps.map((step) => words("bnviz-line-number", x(step), height - BOTTOM + 16, String(step))),
      words("bnviz-line-number", (LEFT + x(last)) / 2, height - 2, this.axis),
      ...lines.map(({ values, css }) => s("path", { class: `bnviz-chart-line ${css}`, d: path(values, x, y) })),
      ...labels(lines, y).map(({ label, at }) => words("bnviz-chart-label", x(last) + 7, at + 4, label)),
    );
  }
}

function path(values, x, y) {
  const every = Math.max(1, Math.ceil(values.length / POINTS));
  const picked = [...values.keys()].filter((i) => i % every === 0 || i === values.length - 1);
  return through(picked.map((i) => [x(i).toFixed(1), y(values[i]).toFixed(1)]));
}

/** The labels at the ends of their lines, moved up where they would overlap: [{label, at: px}, …]. */
function labels(lines, y) {
  const placed = lines.filter(({ label }) => label).map(({ label, values }) => ({ label, at: y(values.at(-1)) })).sort((a, b) => b.at - a.at);
  placed.forEach((each, i) => {
    if (i) each.at = Math.min(each.at, placed[i - 1].at - 15);
  });
  return placed;
}

/** A round number a little above a value. */
function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10, 12].find((step) => step * power >= value * HEADROOM) * power;
}
