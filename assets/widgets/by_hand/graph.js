// A graph of numbers. At the top is a band of numbers that all images share, and below it is one row per image. Curves
// connect each number or column of numbers with the numbers computed from it.

import { fill, h, s, setText } from "../../live/lib/dom.js";

export class NumberGraph {
  #edges;
  #nodes; // numbers of the band, by key
  #cells = []; // one Map per row, from column to cell element
  #heads; // by column

  /**
   * @param columns [[key, label], …]
   * @param shared numbers of the band: [[key, label], …]
   * @param edges curves: [[key of the start, key of the end], …]
   */
  constructor({ columns, shared, edges, label, className = "" }) {
    this.columns = columns.map(([key]) => key);
    this.#edges = edges;
    this.lines = s("svg.bnviz-graph-edges", { "aria-hidden": "true" });
    this.#nodes = new Map(shared.map(([key, name]) => [key, node(name)]));
    this.#heads = new Map(columns.map(([key, name]) =>
      [key, h("div.bnviz-graph-head", { role: "columnheader", "data-column": key }, name)]));
    this.rows = h("div.bnviz-graph-part", { role: "rowgroup" });
    this.grid = h("div.bnviz-graph-grid", { role: "table", "aria-label": label, style: { "--columns": columns.length } },
      h("div.bnviz-graph-part", { role: "rowgroup" },
        h("div.bnviz-graph-part", { role: "row" }, ...this.#heads.values())),
      this.rows);
    this.element = h("div", { class: `bnviz-graph ${className}` }, this.lines,
      h("div.bnviz-graph-band", [...this.#nodes.values()]), this.grid);
  }

  /**
   * @param count number of rows
   * @param fields for some columns, a function (row) => element that is shown in place of the number
   */
  setRows(count, fields) {
    if (count === this.#cells.length) return;
    this.#cells = Array.from({ length: count }, (_, row) =>
      new Map(this.columns.map((key) => [key, h("div.bnviz-graph-cell", { role: "cell", "data-column": key }, fields[key]?.(row) ?? "")])));
    fill(this.rows, this.#cells.map((cells) => h("div.bnviz-graph-part", { role: "row" }, ...cells.values())));
  }

  /**
   * Write the numbers of a column. Null means that a number is not revealed yet. @param off whether the path through
   * the column is omitted
   */
  setColumn(key, texts, { off = false } = {}) {
    this.#heads.get(key).classList.toggle("bnviz-off", off);
    texts.forEach((text, row) => this.#write(this.#cells[row].get(key), text, off));
  }

  /** Write a number of the band. Null means that the number is not revealed yet. */
  setShared(key, text, { off = false } = {}) {
    const { element, value } = this.#nodes.get(key);
    this.#write(value, text, off);
    element.classList.toggle("bnviz-off", off);
  }

  #write(element, text, off) {
    setText(element, text ?? "·");
    element.classList.toggle("bnviz-later", text === null);
    element.classList.toggle("bnviz-off", off);
  }

  /** Draw the curves between the current positions of nodes and columns. */
  draw() {
    const frame = this.element.getBoundingClientRect();
    if (!frame.width) return;
    const box = (key) => (this.#nodes.get(key)?.element ?? this.#heads.get(key)).getBoundingClientRect();
    const ends = new Map(); // number of curves drawn so far that end on each side of a number or column
    const paths = this.#edges.map(([from, to]) => {
      const [a, b] = [box(from), box(to)];
      const level = Math.abs(a.top - b.top) < 4;
      if (level) return line(a.left < b.left ? [a.right, middleOf(a), b.left, middleOf(b)] : [a.left, middleOf(a), b.right, middleOf(b)], frame, true);
      const up = a.top > b.top;
      const side = Math.sign(b.left + b.width / 2 - a.left - a.width / 2);
      const [start, end] = [along(a, ends, from, side), along(b, ends, to, -side)];
      return line([start, up ? a.top : a.bottom, end, up ? b.bottom : b.top], frame, false);
    });
    this.lines.replaceChildren(...paths);
  }
}

function node(name) {
  const value = h("span.bnviz-graph-value");
  return { value, element: h("div.bnviz-graph-node", h("small", name), value) };
}

const middleOf = (box) => box.top + box.height / 2;

/**
 * Return the x at which a curve ends on a box. It is shifted towards the other end of the curve, and away from the
 * curves that already end there.
 */
function along(box, ends, key, side) {
  const place = `${key}${side}`;
  ends.set(place, (ends.get(place) ?? 0) + 1);
  return box.left + box.width * (0.5 + side * 0.12 * ends.get(place));
}

function line([x1, y1, x2, y2], frame, level) {
  const [a, b, c, d] = [x1 - frame.left, y1 - frame.top, x2 - frame.left, y2 - frame.top];
  const [bend, head] = [(d - b) * 0.55, level ? Math.sign(c - a) : Math.sign(d - b)];
  const curve = level ? `M${a} ${b}H${c}` : `M${a} ${b}C${a} ${b + bend} ${c} ${d - bend} ${c} ${d}`;
  const tip = level ? `M${c - head * 5} ${d - 3.5}L${c} ${d}L${c - head * 5} ${d + 3.5}` : `M${c - 3.5} ${d - head * 5}L${c} ${d}L${c + 3.5} ${d - head * 5}`;
  return s("path", { d: curve + tip });
}
