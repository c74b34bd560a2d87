// The widget *a circle of small changes*. A 2 × 2 matrix maps a circle to an ellipse, and the half-axes of the ellipse
// are the singular values of the matrix. The reader types the entries or drags the tips of the columns.

import { fill, h, pill, s, set } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { Complaint, NumberField } from "./lib/controls.js";
import { lowered, short, three } from "./lib/numbers.js";
import { cross, setPlane } from "./lib/svg.js";
import { ellipseOf, timesTransposed } from "./lib/two_by_two.js";
import { Widget, mountable } from "./lib/widget.js";

const MOST = 1.2; // largest absolute value of an entry of the matrix
// half the width of the plane; a half-axis cannot exceed the Frobenius norm, which is at most 2 × `MOST`
const REACH = 2.5;
const [LARGEST, SMALLEST] = [320, 200]; // largest and smallest side of the plane in px
const ONE = 1e-9; // half-axes that differ from 1 by less than this are drawn and reported as 1
const DRAG = 0.05; // values that are set by dragging are rounded to multiples of this

class Ellipse extends Widget {
  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ matrices }) {
    this.matrix ??= structuredClone(Object.values(matrices)[0]);
  }

  builtOf({ matrices }) {
    return matrices;
  }

  build({ matrices }) {
    const { t } = this;
    this.fields = [0, 1].map((row) => [0, 1].map((column) => {
      const label = t("entry", { row: row + 1, column: column + 1 });
      return new NumberField({
        label, most: MOST, onvalue: (value) => this.#change(() => (this.matrix[row][column] = value)),
        onwrong: (given) => this.wrong.show(given, label),
      });
    }));
    this.wrong = new Complaint(t, "wrong", MOST);
    this.circle = s("circle.bnviz-ellipse-circle", { cx: 0, cy: 0 });
    this.oval = s("ellipse.bnviz-chart-line", { cx: 0, cy: 0 });
    this.axes = [1, 2].map((place) => ({
      line: s("line.bnviz-ellipse-axis"), name: s("text.bnviz-ellipse-label", `σ${lowered(place)}`),
    }));
    this.columns = [0, 1].map((column) => this.#column(column));
    this.grid = s("g");
    this.svg = s("svg.bnviz-small-chart.bnviz-ellipse-plane", { "aria-hidden": "true" },
      this.grid, this.circle, this.oval, this.axes.flatMap(({ line, name }) => [line, name]), this.columns.map(({ element }) => element));
    const starts = Object.entries(matrices).map(([name, matrix]) =>
      pill(t(`matrices.${name}`), () => this.#change(() => (this.matrix = structuredClone(matrix)))));
    this.tools.replaceChildren(...starts);
    fill(this.body,
      h("p", t("setting")),
      h("div.bnviz-ellipse",
        h("div.bnviz-ellipse-matrix", { role: "group", "aria-label": t("matrix") },
          h("span.bnviz-ellipse-name", { "aria-hidden": true }, "J ="),
          h("div.bnviz-ellipse-entries", this.fields.flat().map(({ input }) => input))),
        this.svg),
      this.wrong);
  }

  /** Return the elements of a matrix column: a line, and a tip that can be dragged. */
  #column(column) {
    const line = s("line.bnviz-ellipse-column");
    const name = s("text.bnviz-ellipse-label", `J e${lowered(column + 1)}`);
    const tip = s("g.bnviz-widget-handle.bnviz-ellipse-tip", {
      onpointerdown: (event) => {
        if (event.button !== 0) return;
        event.preventDefault();
        tip.setPointerCapture(event.pointerId);
      },
      onpointermove: (event) => {
        if (tip.hasPointerCapture(event.pointerId)) this.#drag(column, event);
      },
    }, s("circle", { r: 22, fill: "transparent" }), s("circle.bnviz-line-disc", { r: 8 }), name);
    return { element: s("g", line, tip), line, tip, name };
  }

  #drag(column, event) {
    const { left, top, width } = this.svg.getBoundingClientRect();
    const half = width / 2;
    const at = [event.clientX - left - half, half - (event.clientY - top)].map((px) => (px / half) * REACH);
    this.#change(() => at.forEach((value, row) => {
      const rounded = Math.round(within(value, -MOST, MOST) / DRAG) * DRAG;
      this.matrix[row][column] = Number(rounded.toFixed(2));
    }));
  }

  #change(act) {
    this.wrong.clear();
    act();
    this.draw();
  }

  draw() {
    const size = within(this.width, SMALLEST, LARGEST);
    const [half, unit] = [size / 2, size / 2 / REACH];
    const { long, short: small, angle } = ellipseOf(this.matrix);
    setPlane(this.svg, size);
    this.grid.replaceChildren(...cross([-2, -1, 0, 1, 2], unit, half));
    set(this.circle, { r: unit });
    // The y axis of the plane points up but the y axis of SVG points down, so the angle of the rotation changes its
    // sign.
    set(this.oval, { rx: long * unit, ry: small * unit, transform: `rotate(${(-angle * 180) / Math.PI})` });
    [[long, angle], [small, angle + Math.PI / 2]].forEach(([length, direction], place) => this.#drawAxis(this.axes[place], length, direction, unit));
    this.columns.forEach(({ line, tip, name }, column) => {
      const [x, y] = [this.matrix[0][column] * unit, -this.matrix[1][column] * unit];
      set(line, { x2: x, y2: y });
      set(tip, { transform: `translate(${x} ${y})` });
      set(name, { x: x < 0 ? -12 : 12, y: y < 0 ? -10 : 18, "text-anchor": x < 0 ? "end" : "start" });
    });
    this.fields.forEach((row, i) => row.forEach((field, j) => field.show(this.matrix[i][j])));
    this.#say(long, small);
  }

  /** Draw a half-axis on the side that points away from the columns' tips, with its name beyond its end. */
  #drawAxis({ line, name }, length, direction, unit) {
    const along = [Math.cos(direction), Math.sin(direction)];
    const towards = [0, 1].map((row) => this.matrix[row][0] + this.matrix[row][1]);
    const side = along[0] * towards[0] + along[1] * towards[1] > 0 ? -1 : 1;
    const [x, y] = [side * along[0], -side * along[1]];
    set(line, { x2: x * length * unit, y2: y * length * unit });
    set(name, { x: x * (length * unit + 14), y: y * (length * unit + 14) + 4, "text-anchor": "middle" });
  }

  #say(long, small) {
    const { t } = this;
    const product = timesTransposed(this.matrix);
    const entries = (matrix) => matrix.map((row) => row.map((value) => three(value, MOST)).join("  ")).join(" / ");
    this.fillTable([t("what"), t("value")], [
      ["J", this.matrix.map((row) => row.map(short).join("  ")).join(" / ")],
      [t("long"), three(long)], [t("short"), three(small, MOST)], ["J Jᵀ", entries(product)],
    ]);
    const key = Math.abs(long - 1) <= ONE && Math.abs(small - 1) <= ONE ? "keeps" : small <= ONE ? "flat" : "result";
    this.tell(t(key, { long: three(long), short: three(small, MOST) }), { matrix: this.matrix, long, short: small });
  }
}

export default mountable(Ellipse);
