// The plane of the map as SVG: cells with the hills (histograms) of their networks, borders, marks and axes. Sizes are
// in px. Cells are counted from the lower left.

import { fill, h, pathOf, s, set } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { rounded, setSize, textWidth } from "../widgets/lib/svg.js";
import { HALF } from "./axis.js";
import { Paths, binsOf, crossPath, hillPath, hills, roomForHills, roundBox } from "./cells.js";
import { Fills } from "./paint.js";

const GAP = 2; // px between cells
// maximum number of columns at which hills are drawn in the cells; with more columns, a cell shows only its colour
const MOST_COLUMNS = 40;
export const FAINT = 0.4; // opacity of cells whose results come from an earlier map
const LEAST_MARK = 12; // minimum size in px of the selected cell's outline
const MOST_ROWS = 24; // maximum number of labels on the vertical axis
const [THIN, THICK] = [2.5, 3.5]; // line width in px of a border, for small and for large cells
const LARGE = 40; // width in px at which a cell counts as large

export class Plane {
  #fills = new Fills();

  constructor() {
    this.layers = Object.fromEntries(["ghost", "waiting", "cells", "parts", "hills", "borders", "marks", "over"].map((layer) =>
      [layer, s("g", { class: `bnviz-stability-${layer}`, "pointer-events": "none" })]));
    set(this.layers.ghost, { opacity: FAINT });
    this.ground = s("rect.bnviz-stability-ground");
    this.axes = s("g.bnviz-stability-axes", { "aria-hidden": "true" });
    this.inner = s("g", this.ground, Object.values(this.layers));
    this.svg = s("svg.bnviz-stability-svg", { role: "application", tabindex: 0 }, this.#fills.defs, this.axes, this.inner);
    this.element = h("figure.bnviz-stability-plane", this.svg);
  }

  /**
   * Set the plane's size and draw its axes.
   * @param frame {width, height, type: font size}, all in px
   */
  layOut(frame, model, colours) {
    Object.assign(this, { model, frame, colours });
    const { up, across } = model;
    this.margin = margins(model, frame);
    this.width = Math.max(40, frame.width - this.margin.left - this.margin.right);
    this.height = Math.max(40, frame.height - this.margin.top - this.margin.bottom);
    const at = (count, size, flip) => Float64Array.from({ length: count + 1 }, (_, i) => Math.round((flip ? 1 - i / count : i / count) * size));
    this.at = { x: at(across.cells, this.width, false), y: at(up.cells, this.height, true) };
    setSize(this.svg, frame.width, frame.height);
    set(this.inner, { transform: `translate(${rounded(this.margin.left)} ${rounded(this.margin.top)})` });
    set(this.ground, { width: this.width, height: this.height, fill: "transparent" });
    this.cell = { width: this.width / across.cells, height: this.height / up.cells };
    drawAxes({ ...this, x: (place) => this.x(place), y: (place) => this.y(place) });
  }

  /** Return the distance in px from the left edge to a place on the horizontal axis. */
  x(place) {
    return ((place + HALF) / this.model.width) * this.width;
  }

  /** Return the distance in px from the top edge to a place on the vertical axis. */
  y(place) {
    return (1 - (place + HALF) / this.model.height) * this.height;
  }

  /** Return the place under the pointer: {x, y}. If the pointer is outside the plane, return the nearest place. */
  placeOf(event) {
    const box = this.ground.getBoundingClientRect();
    const share = (at, size) => within(at / size, 0, 1);
    return {
      x: share(event.clientX - box.left, box.width) * this.model.width - HALF,
      y: (1 - share(event.clientY - box.top, box.height)) * this.model.height - HALF,
    };
  }

  /** Return the rectangle of a cell in px. */
  box(i, j) {
    const { x, y } = this.at;
    const gap = Math.min(GAP, this.cell.width / 6, this.cell.height / 6);
    return { x: x[i] + gap / 2, y: y[j + 1] + gap / 2, width: x[i + 1] - x[i] - gap, height: y[j] - y[j + 1] - gap };
  }

  /** Draw the cells in which every network has been trained. @param look see `lookOf` @param norms the networks */
  draw(look, norms) {
    const { layers, model, colours } = this;
    const shapes = this.#shapes(model, look, norms);
    for (const name of ["cells", "parts", "hills"]) layers[name].replaceChildren(...shapes[name]);
    layers.ghost.replaceChildren(...(model.ghost ? this.#shapes(model.ghost, look, norms, model).cells : []));
    const waiting = this.#places().filter(({ i, j }) => !model.rowsAt(i, j).every(Boolean)).map(({ i, j }) => roundBox(this.box(i, j)));
    layers.waiting.replaceChildren(s("path", { d: waiting.join(""), fill: "none", stroke: colours.edge }));
    layers.borders.replaceChildren(...norms.flatMap((norm, network) => this.#border(norm, network, norms.length)));
  }

  #places() {
    const { width, height } = this.model;
    return Array.from({ length: width * height }, (_, cell) => ({ i: cell % width, j: Math.floor(cell / width) }));
  }

  /**
   * Return the shapes of a model's cells: {cells, parts, hills}. @param over model whose measured cells are skipped, or
   * null to skip none
   */
  #shapes(model, look, norms, over = null) {
    const [cells, parts, hilly] = [new Paths(), new Paths(), new Paths()];
    const draws = model.width <= MOST_COLUMNS && roomForHills(this.cell, norms.length);
    for (const { i, j } of this.#places()) {
      const rows = model.rowsAt(i, j);
      if (!rows.every(Boolean) || over?.rowsAt(i, j).every(Boolean)) continue;
      const box = this.box(i, j);
      const { ground, parts: paints, tones } = look(rows);
      if (ground) cells.add(this.#fills.fill(ground), roundBox(box));
      rows.forEach((row, network) => {
        const part = { ...box, y: box.y + (network * box.height) / rows.length, height: box.height / rows.length };
        const paint = paints[network];
        // Without a background paint, the networks' parts fill the cell, stacked without a gap.
        if (paint && (draws || !ground)) (ground ? parts : cells).add(this.#fills.fill(paint), roundBox(part));
        if (!tones || !draws) return;
        const key = `${network} ${row.hill ? tones[network] : "none"} ${tones[network]}`;
        hilly.add(key, row.hill ? hillPath((row.bins ??= binsOf(row.hill)), part) : crossPath(part));
      });
    }
    const filled = (fill, d) => s("path", { d, fill });
    return { cells: cells.elements(filled), parts: parts.elements(filled), hills: hilly.elements((key, d) => {
      const [network, kind, tone] = key.split(" ");
      if (kind !== "none") return hills(norms[network], tone, d, this.colours.dark);
      return s("path", { d, fill: "none", stroke: norms[network].colour, "stroke-opacity": 0.7, "stroke-width": 1.3, "data-none": norms[network].name });
    }) };
  }

  /**
   * Draw the border around the cells in which one network learned. Borders of several networks run side by side, so
   * that no border covers another.
   */
  #border({ ink, name }, network, count) {
    const { at, cell, model, colours } = this;
    const chains = model.borders(network);
    if (!chains.length) return [];
    const weight = cell.width >= LARGE ? THICK : THIN;
    const inside = ((count - 1) / 2 - network) * weight;
    const d = chains.map((corners) => pathOf(moved(corners.map(([x, y]) => [at.x[x], at.y[y]]), inside))).join("");
    const line = { d, fill: "none", "stroke-linejoin": "round" };
    return [s("path", { ...line, stroke: colours.paper, "stroke-width": weight + 1.5, "stroke-opacity": 0.8 }), s("path", { ...line, stroke: ink, "stroke-width": weight, "data-border": name })];
  }

  /**
   * Mark the lab's settings with a vertical and a horizontal line. @param cross {x, y} in values of the knobs, or null
   * for no mark
   */
  drawMarks(cross) {
    const { model, colours, width, height } = this;
    const [i, j] = cross ? [model.across.place(cross.x), model.up.place(cross.y)] : [null, null];
    const line = (d) => this.#rimmed("path", { d }, { "stroke-width": 3, "stroke-opacity": 0.7 }, { stroke: colours.ink, "stroke-width": 1 });
    this.layers.marks.replaceChildren(
      ...(i === null ? [] : line(inPx`M${this.x(i)} 0V${height}`)), ...(j === null ? [] : line(inPx`M0 ${this.y(j)}H${width}`)));
  }

  /**
   * Mark the cell under the pointer, the selected cell and the zoom rectangle that is being drawn. A mark that is null
   * is not drawn.
   */
  drawOver({ here, chosen, zoom }) {
    const { colours } = this;
    const outline = ({ i, j }, weight) => {
      const [wide, high] = [this.cell.width, this.cell.height].map((size) => Math.max(LEAST_MARK, size));
      const box = { x: rounded(this.x(i) - wide / 2), y: rounded(this.y(j) - high / 2), width: rounded(wide), height: rounded(high) };
      return this.#rimmed("rect", box, { "stroke-width": weight + 3 }, { stroke: colours.ink, "stroke-width": weight });
    };
    const parts = [...(chosen ? outline(chosen, 3) : []), ...(here ? outline(here, 1.5) : [])];
    if (zoom) {
      const [x, y] = [this.x(zoom.left), this.y(zoom.high)];
      const box = { x: rounded(x), y: rounded(y), width: rounded(this.x(zoom.right) - x), height: rounded(this.y(zoom.low) - y) };
      parts.push(...this.#rimmed("rect", box, { fill: colours.paper, "fill-opacity": 0.25, "stroke-width": 4 },
        { stroke: colours.ink, "stroke-width": 2, "stroke-dasharray": "6 3", "data-zoom": "" }));
    }
    this.layers.over.replaceChildren(...parts);
  }

  /** Return two lines of a shape: a wide line in the page's background colour, and over it the shape's own line. */
  #rimmed(tag, shape, rim, own) {
    const outline = { ...shape, fill: "none" };
    return [s(tag, { ...outline, stroke: this.colours.paper, ...rim }), s(tag, { ...outline, ...own })];
  }
}

/** Template tag for an SVG path. It rounds the numbers in the template. */
const inPx = ({ raw }, ...numbers) => String.raw({ raw }, ...numbers.map(rounded));

/**
 * Shift a chain of corners to its left by a distance in px. Each segment of the chain is horizontal or vertical; the y
 * axis points down.
 */
function moved(points, by) {
  const sides = points.slice(1).map(([x, y], i) => {
    const [dx, dy] = [Math.sign(x - points[i][0]), Math.sign(y - points[i][1])];
    return [dy * by, -dx * by];
  });
  const closed = points.length > 3 && points[0].join() === points.at(-1).join();
  return points.map(([x, y], i) => {
    const around = [sides[i - 1] ?? (closed ? sides.at(-1) : null), sides[i] ?? (closed ? sides[0] : null)].filter(Boolean);
    const [ox, oy] = around.reduce((sum, side) => [sum[0] + side[0], sum[1] + side[1]], [0, 0]);
    return [x + ox, y + oy];
  });
}

/** Return the margins around the cells in px: {left, right, top, bottom}. */
function margins({ up }, { width, type }) {
  const widest = Math.max(...up.rungTicks(MOST_ROWS).map(({ text }) => textWidth(text, type, 400)));
  return { left: Math.min(width / 3, widest + 12 + type * 1.9), right: 4, top: 4, bottom: type * 3.6 };
}

/** Draw both axes with tick labels and titles. */
function drawAxes({ axes, model, margin, width, height, frame, colours, x, y }) {
  const { type } = frame;
  const text = (content, left, top, more = {}) => s("text", { x: rounded(left), y: rounded(top), "font-size": type, fill: colours.muted, ...more }, content);
  const title = (content, left, top, more) => text(content, left, top, { "text-anchor": "middle", "font-weight": 600, fill: colours.ink, ...more });
  const rows = model.up.rungTicks(Math.min(MOST_ROWS, Math.floor(height / (type * 1.5))));
  const columns = model.across.rungTicks(Math.max(2, Math.floor(width / (type * 5))));
  const middle = margin.top + height / 2;
  fill(axes,
    rows.map(({ at, text: words }) => text(words, margin.left - 10, margin.top + y(at) + type * 0.35, { "text-anchor": "end" })),
    columns.map(({ at, text: words }) => text(words, margin.left + x(at), margin.top + height + type * 1.6, { "text-anchor": "middle" })),
    title(model.across.label, margin.left + width / 2, frame.height - type * 0.4),
    title(model.up.label, 0, 0, { transform: `translate(${rounded(type)} ${rounded(middle)}) rotate(-90)` }));
}
