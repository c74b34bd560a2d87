// Small line chart without axes, behind the timeline of the home page: the test accuracy of each network over the
// steps.

import { seriesKey, thin } from "../data/time_series.js";
import { differsFromLast, fill, s } from "../lib/dom.js";

const [WIDTH, HEIGHT] = [100, 30]; // size of the drawing before it is stretched to fill its element
const POINTS = 90;

export class AccuracyLine {
  element = s("svg.bnviz-accuracy-line", { viewBox: `0 -2 ${WIDTH} ${HEIGHT + 4}`, preserveAspectRatio: "none", "aria-hidden": true });
  #view;
  #isNew = differsFromLast();

  constructor(view) {
    this.#view = view;
  }

  draw({ live, store }) {
    const { data } = this.#view;
    const last = Math.max(1, live.step);
    const columns = data.norms.map((norm) => store.series.get(seriesKey(`${norm}.test_accuracy`)));
    if (!this.#isNew([last, columns.map(({ version }) => version)])) return;
    fill(this.element, columns.map(({ steps, values }, i) => {
      const line = thin(steps, values, POINTS);
      const points = line.steps.map((step, j) => `${(WIDTH * step) / last},${HEIGHT * (1 - (Number.isFinite(line.values[j]) ? line.values[j] : 0))}`);
      return s("polyline", { points: points.join(" "), style: { stroke: data.colours[data.norms[i]].line } });
    }));
  }
}
