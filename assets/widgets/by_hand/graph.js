// A graph of numbers: what all images share stands in a band over them, each image in a row under it;
// curves lead from a column up to what is made of it, and down to the column that needs it.

import { fill, h, setText } from "../../live/lib/dom.js";
import { s } from "../lib/svg.js";

export class Graph {
  #edges;
  #nodes;
  #cells = [];
  #heads;

  /**
   * @param columns [[key, label], …]; the first or last may hold fields instead of numbers
   * @param shared [[key, label], …] of the band
   * @param edges [[from key, to key], …]
   */
  constructor({ columns, shared, edges, label, className = "" }) {
    this.columns = columns.map(([key]) => key);
    this.#edges = edges;
    this.lines = s("svg", { class: "bnviz-graph-edges", "aria-hidden": "true" });
    this.#nodes = new Map(shared.map(([key, name]) => [key, node(name)]));
    this.#heads = new Map(columns.map(([key, name]) =>
      [key, h("div", { class: "bnviz-graph-head", role: "columnheader", "data-column": key }, name)]));
    this.rows = h("div", { role: "rowgroup", class: "bnviz-graph-part" });
    this.grid = h("div", { class: "bnviz-graph-grid", role: "table", "aria-label": label, style: { "--columns": columns.length } },
      h("div", { role: "rowgroup", class: "bnviz-graph-part" },
        h("div", { role: "row", class: "bnviz-graph-part" }, ...this.#heads.values())),
      this.rows);
    this.element = h("div", { class: `bnviz-graph ${className}` }, this.lines,
      h("div", { class: "bnviz-graph-band" }, ...[...this.#nodes.values()].map(({ element }) => element)), this.grid);
  }

  /**
   * @param fields by column: (row) => element that stands there instead of a number
   * @param count of rows
   */
  setRows(count, fields) {
    if (count === this.#cells.length) return;
    this.#cells = Array.from({ length: count }, (_, row) =>
      new Map(this.columns.map((key) => [key, h("div", { class: "bnviz-graph-cell", role: "cell", "data-column": key }, fields[key]?.(row) ?? "")])));
    fill(this.rows, ...this.#cells.map((cells) => h("div", { role: "row", class: "bnviz-graph-part" }, ...cells.values())));
  }

  /** Write a column's numbers; null: not there yet. */
  setColumn(key, texts, { off = false } = {}) {
    this.#heads.get(key).classList.toggle("bnviz-off", off);
    texts.forEach((text, row) => this.#write(this.#cells[row].get(key), text, off));
  }

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

  /** Draw the curves where nodes and columns have come to stand. */
  draw() {
    const frame = this.element.getBoundingClientRect();
    if (!frame.width) return;
    const box = (key) => (this.#nodes.get(key)?.element ?? this.#heads.get(key)).getBoundingClientRect();
    const ends = new Map(); // how many curves already end at a node or column, on their side
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
  const value = h("span", { class: "bnviz-graph-value" });
  return { value, element: h("div", { class: "bnviz-graph-node" }, h("small", {}, name), value) };
}

const middleOf = (box) => box.top + box.height / 2;

/** A place on an edge of a box, a little to the side that the curve goes to. */
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
