// A small line chart over the steps of a finished run. Each line has a label at its end.

import { separateLabels } from "../../live/lib/separate_labels.js";
import { h, pathOf, s } from "../../live/lib/dom.js";
import { formatNumber } from "../../live/lib/format.js";
import { level, setSize, words } from "./svg.js";

const [LEFT, TOP, BOTTOM] = [44, 14, 34]; // px around the lines
export const HEIGHT = 190; // default height in px
const HEADROOM = 1.05; // minimum ratio of the axis maximum to the highest value
const POINTS = 200; // maximum number of points per line; more points could not be distinguished
const APART = 15; // minimum distance in px between two labels

export class LineChart {
  /** @param words {title, axis: label of the x axis} */
  constructor({ title, axis }) {
    this.axis = axis;
    this.svg = s("svg.bnviz-small-chart", { "aria-hidden": "true" });
    this.plot = h("div.bnviz-widget-plot", this.svg);
    this.element = h("figure.bnviz-widget-figure", h("figcaption", title), this.plot);
  }

  /**
   * @param lines [{values: one per step, from step 0; css: CSS class of the line; label: text at the line's end}, …]
   * @param size {width, height, room: width for the labels on the right}, all in px
   * @param top maximum of the vertical axis, or null for a round number above the highest value
   */
  draw(lines, { width, height = HEIGHT, room }, top = null) {
    const last = Math.max(...lines.map(({ values }) => values.length)) - 1;
    const highest = top ?? niceTop(Math.max(...lines.flatMap(({ values }) => [...values])));
    const x = (step) => LEFT + (step / last) * (width - LEFT - room);
    const y = (value) => height - BOTTOM - (value / highest) * (height - BOTTOM - TOP);
    // Edges of the plot in px, and functions that convert values to px and back, for a curve that is drawn over the
    // chart.
    this.place = {
      x, y, value: (at) => ((height - BOTTOM - at) / (height - BOTTOM - TOP)) * highest,
      left: LEFT, right: x(last), top: TOP, bottom: height - BOTTOM,
    };
    const named = lines.filter(({ label }) => label);
    const ends = separateLabels(named.map(({ values }) => y(values.at(-1))), APART);
    setSize(this.svg, width, height);
    const levels = [0, highest / 2, highest];
    const steps = [0, last / 2, last].map(Math.round);
    this.svg.replaceChildren(
      ...levels.map((value) => level("bnviz-line-grid", LEFT, x(last), y(value))),
      ...levels.map((value) => words("bnviz-chart-level", LEFT - 6, y(value) + 4, formatNumber(value))),
      ...steps.map((step) => words("bnviz-line-number", x(step), height - BOTTOM + 16, String(step))),
      words("bnviz-line-number", (LEFT + x(last)) / 2, height - 2, this.axis),
      ...lines.map(({ values, css }) => s("path", { class: `bnviz-chart-line ${css}`, d: path(values, x, y) })),
      ...named.map(({ label }, i) => words("bnviz-chart-label", x(last) + 7, ends[i] + 4, label)),
    );
  }
}

function path(values, x, y) {
  const every = Math.max(1, Math.ceil(values.length / POINTS));
  const picked = [...values.keys()].filter((i) => i % every === 0 || i === values.length - 1);
  return pathOf(picked.map((i) => [x(i), y(values[i])]));
}

/** Return a round number that exceeds a value at least by the factor `HEADROOM`. */
function niceTop(value) {
  if (!(value > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 4, 6, 8, 10, 12].find((step) => step * power >= value * HEADROOM) * power;
}
