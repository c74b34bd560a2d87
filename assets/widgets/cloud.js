// The widget *Cloud* shows two units over a mini-batch: without normalization, with batch normalization, and whitened,
// each with the ellipse of its covariance. The reader sets the correlation and the size of the mini-batch. Everything
// is computed in the browser.

import { h, s, set, setText } from "../live/lib/dom.js";
import { formatNumber, within } from "../live/lib/format.js";
import { cross, rounded, setPlane } from "./lib/svg.js";
import { correlated, normalized, shapeOf, statistics, whitened } from "./lib/two_units.js";
import { Widget, mountable } from "./lib/widget.js";

const KINDS = { raw: "none", batch: "batch", white: "zca" }; // norm whose colour each cloud takes
const SIZES = [2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 60, 100, 200]; // examples
const REACH = 3.5; // half the width of a plot, in the units of the data
const SPREADS = 2; // size of an ellipse in standard deviations: its half-axes are drawn this many times as long
const [LARGEST, SMALLEST] = [260, 70]; // largest and smallest side of a plot in px
const GAP = 12; // px between clouds
const signed = (value) => value.toFixed(2).replace("-", "\u2212").replace(/^\u2212(0\.00)$/, "$1");

class Cloud extends Widget {
  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ start }) {
    this.chosen ??= { ...start };
  }

  build() {
    const { t } = this;
    const most = this.data.most;
    this.clouds = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, this.#cloud(t(`kinds.${kind}`))]));
    this.body.replaceChildren(
      h("p", t("setting")),
      h("div.bnviz-widget-controls",
        this.slider("correlation", { min: -most, max: most, step: 0.01, write: signed }), this.slider("examples", { values: SIZES })),
      h("div.bnviz-clouds", Object.values(this.clouds)));
  }

  #cloud(title) {
    const grid = s("g");
    const points = s("g");
    const oval = s("ellipse.bnviz-cloud-oval", { cx: 0, cy: 0 });
    const svg = s("svg.bnviz-small-chart.bnviz-cloud", { "aria-hidden": "true" }, grid, points, oval);
    const told = h("small");
    return { element: h("figure.bnviz-widget-figure", h("figcaption", title), svg, told), svg, grid, points, oval, told };
  }

  draw() {
    const { t } = this;
    const { data } = this;
    const { correlation, examples } = this.chosen;
    this.showChosen();
    const raw = correlated(data.normals.slice(0, examples), correlation, data.units);
    const clouds = { raw, batch: normalized(raw), white: whitened(raw) };
    const shapes = Object.fromEntries(Object.entries(clouds).map(([kind, points]) => [kind, points && shapeOf(statistics(points).covariance)]));
    const across = within((this.width - 2 * GAP) / 3, SMALLEST, LARGEST);
    for (const [kind, points] of Object.entries(clouds)) this.#drawCloud(kind, points, shapes[kind], across);
    this.#fillTable(clouds, shapes);
    const told = { correlation: signed(shapes.raw.correlation), ratio: formatNumber(shapes.batch.ratio ?? 0, 3), examples };
    const key = !shapes.white ? "line" : examples === 3 ? "triangle" : "result";
    this.tell(t(key, told), {
      correlation, examples, measured: shapes.raw.correlation, raw: shapes.raw.ratio, batch: shapes.batch.ratio,
      white: shapes.white?.ratio ?? null,
    });
  }

  #drawCloud(kind, points, shape, size) {
    const { t } = this;
    const { svg, grid, points: dots, oval, told } = this.clouds[kind];
    const [half, unit] = [size / 2, size / 2 / REACH];
    svg.style.setProperty("--line", this.colours[KINDS[kind]].line);
    setPlane(svg, size);
    grid.replaceChildren(...cross([-2, 0, 2], unit, half));
    const radius = within(size / 60, 1.6, 3);
    dots.replaceChildren(...(points ?? []).map(([x, y]) => s("circle.bnviz-cloud-point", { cx: rounded(x * unit), cy: rounded(-y * unit), r: radius })));
    set(oval, { visibility: shape ? null : "hidden" });
    if (shape) {
      const [x, y] = statistics(points).means.map((value) => value * unit);
      // The y axis of the data points up but the y axis of SVG points down, so the angle of the rotation changes its
      // sign.
      set(oval, {
        rx: SPREADS * shape.long * unit, ry: SPREADS * shape.short * unit,
        transform: `translate(${x} ${-y}) rotate(${(-shape.angle * 180) / Math.PI})`,
      });
    }
    const ratio = shape?.ratio ? t("axes", { ratio: formatNumber(shape.ratio, 3) }) : t("one_direction");
    setText(told, shape ? `${t("correlated", { correlation: signed(shape.correlation) })}, ${ratio}` : t("undefined"));
  }

  #fillTable(clouds, shapes) {
    const { t } = this;
    const missing = t("missing");
    const kinds = Object.keys(KINDS);
    const row = (name, write) => [t(`rows.${name}`), ...kinds.map((kind) => (clouds[kind] ? write(shapes[kind], statistics(clouds[kind])) : missing))];
    const own = (unit) => [
      row(`mean_${unit + 1}`, (_, { means }) => signed(means[unit])),
      row(`spread_${unit + 1}`, (_, { covariance }) => signed(Math.sqrt(covariance[unit][unit]))),
    ];
    this.fillTable([t("what"), ...kinds.map((kind) => t(`kinds.${kind}`))], [
      ...own(0), ...own(1),
      row("correlation", (shape) => signed(shape.correlation)),
      row("ratio", (shape) => (shape.ratio === null ? missing : formatNumber(shape.ratio, 3))),
      row("condition", (shape) => (shape.condition === null ? missing : formatNumber(shape.condition, 3))),
    ]);
  }
}

export default mountable(Cloud);
