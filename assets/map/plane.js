// One plane drawn: cells, borders, marks, axes. Sizes are px; cells count from the lower left.

import { fill, h } from "../live/lib/dom.js";
import { s, set } from "../widgets/lib/svg.js";
import { drawAxes, margins } from "./axes.js";
import { FINEST } from "./axis.js";
import { placeLabels } from "./labels.js";
import { Paints, classPaths, linesPath } from "./paint.js";
import { palette, wordsOn } from "./palette.js";
import { sizeOf } from "./raster.js";
import { round, textWidth } from "./text_width.js";

const HALF = FINEST / 2;
const [GRID_FROM, GRID_FULL] = [7, 24]; // px of a cell from which lines between cells help, and may be strong
const CROSS_FROM = 9; // px of a cell from which a cross can be seen
export const FAINT = 0.4; // of a cell's colour where only another map has measured it
const LEAST_MARK = 12; // px: a chosen cell's outline is never smaller

export class Plane {
  #paints = new Paints();
  #labelsAt = "";

  /** @param given {name, large: whether its axes have titles} */
  constructor({ name, large }) {
    Object.assign(this, { name, large });
    this.title = h("h3", { class: "bnviz-stability-title", id: `bnviz-stability-title-${name}` });
    this.layers = Object.fromEntries(["ghost", "waiting", "cells", "grid", "crosses", "borders", "marks", "labels", "over"].map((layer) =>
      [layer, s("g", { class: `bnviz-stability-${layer}`, "pointer-events": "none" })]));
    set(this.layers.ghost, { opacity: FAINT });
    this.ground = s("rect", { class: "bnviz-stability-ground" });
    this.axes = s("g", { class: "bnviz-stability-axes", "aria-hidden": "true" });
    this.inner = s("g", {}, this.ground, ...Object.values(this.layers));
    this.svg = s("svg", { class: "bnviz-stability-svg", role: "application", tabindex: 0 }, this.#paints.defs, this.axes, this.inner);
    this.element = h("figure", { class: `bnviz-stability-plane${large ? " bnviz-stability-large" : ""}`, "data-plane": name }, this.title, this.svg);
  }

  /** Take so much room. @param frame {width, height, type: px of its words} */
  layOut(frame, model, dark) {
    Object.assign(this, { model, dark, frame, colours: palette(dark) });
    const { up, across } = model;
    this.margin = margins(model, frame);
    this.width = Math.max(40, frame.width - this.margin.left - this.margin.right);
    this.height = Math.max(40, frame.height - this.margin.top - this.margin.bottom);
    const at = (count, size, flip) => Float64Array.from({ length: count + 1 }, (_, i) => Math.round((flip ? 1 - i / count : i / count) * size * 10) / 10);
    this.at = { x: at(across.cells, this.width, false), y: at(up.cells, this.height, true) };
    set(this.svg, { width: frame.width, height: frame.height, viewBox: `0 0 ${frame.width} ${frame.height}` });
    set(this.inner, { transform: `translate(${this.margin.left} ${this.margin.top})` });
    set(this.ground, { width: this.width, height: this.height, fill: "transparent" });
    this.cell = { width: this.width / across.rungs.length, height: this.height / up.rungs.length };
    drawAxes(this);
    this.#drawGrid();
    this.#labelsAt = "";
  }

  /** px of a place in eighths. */
  x(eighths) {
    return ((eighths + HALF) / this.model.width) * this.width;
  }

  y(eighths) {
    return (1 - (eighths + HALF) / this.model.height) * this.height;
  }

  /** The place in eighths under a pointer; held within the plane. */
  placeOf(event) {
    const box = this.ground.getBoundingClientRect();
    const share = (at, size) => Math.min(1, Math.max(0, at / size));
    return {
      x: share(event.clientX - box.left, box.width) * this.model.width - HALF,
      y: (1 - share(event.clientY - box.top, box.height)) * this.model.height - HALF,
    };
  }

  /**
   * Draw the cells.
   *
   * @param classes by cell; @param paints by class
   * @param ghost {classes, paints} of another map, seen where nothing is known yet; or null
   * @param lines [{points: chains, colour, dashes}] other networks' borders
   * @param names class → ways to write its name, where regions are named
   */
  draw({ classes, paints, ghost = null, lines = [], names = null, sizes = [20, 17, 14] }) {
    const { layers, model, at } = this;
    const raster = { classes, width: model.width, height: model.height };
    layers.ghost.replaceChildren(...(ghost ? classPaths({ ...raster, classes: ghost.classes }, ghost.paints, this.#paints, at) : []));
    layers.cells.replaceChildren(...classPaths(raster, paints, this.#paints, at));
    layers.borders.replaceChildren(...lines.filter(({ points }) => points.length).flatMap(({ points, colour, dashes }) => {
      const d = linesPath(points, at);
      return [s("path", { d, fill: "none", stroke: this.colours.paper, "stroke-width": this.large ? 4 : 3, "stroke-opacity": 0.85, "stroke-linejoin": "round" }),
        s("path", { d, fill: "none", stroke: colour, "stroke-width": this.large ? 2 : 1.5, "stroke-dasharray": dashes, "stroke-linejoin": "round" })];
    }));
    this.#drawBase(classes, paints, Boolean(ghost));
    if (names) this.#drawLabels(raster, paints, names, sizes);
    else layers.labels.replaceChildren();
  }

  /** By base cell: a cross on what broke, an outline round what was not run. */
  #drawBase(classes, paints, haunted) {
    const { model, cell, layers, colours } = this;
    const crosses = new Map();
    const waiting = [];
    const reach = Math.min(cell.width, cell.height, 26) * 0.16;
    const show = Math.min(cell.width, cell.height) >= CROSS_FROM;
    const inset = Math.min(2, cell.width / 8, cell.height / 8);
    for (let j = 0; j <= model.up.last; j += FINEST)
      for (let i = 0; i <= model.across.last; i += FINEST) {
        const kind = classes[(j + HALF) * model.width + i + HALF];
        const [x, y] = [round(this.x(i)), round(this.y(j))];
        if (!kind) waiting.push(`M${round(x - cell.width / 2 + inset)} ${round(y - cell.height / 2 + inset)}h${round(cell.width - 2 * inset)}v${round(cell.height - 2 * inset)}h${-round(cell.width - 2 * inset)}z`);
        const colour = paints[kind]?.cross;
        if (!colour || !show) continue;
        if (!crosses.has(colour)) crosses.set(colour, []);
        crosses.get(colour).push(`M${round(x - reach)} ${round(y - reach)}L${round(x + reach)} ${round(y + reach)}M${round(x - reach)} ${round(y + reach)}L${round(x + reach)} ${round(y - reach)}`);
      }
    // Apart from each other: what another map measured is no area of this one.
    const outline = (stroke, weight) => s("path", { d: waiting.join(""), fill: "none", stroke, "stroke-width": weight });
    layers.waiting.replaceChildren(...(haunted ? [outline(colours.paper, round(2 * inset + 1))] : []), outline(colours.edge, 1));
    layers.crosses.replaceChildren(...[...crosses].map(([stroke, parts]) =>
      s("path", { d: parts.join(""), stroke, fill: "none", "stroke-width": 1.1, "stroke-linecap": "round" })));
  }

  #drawGrid() {
    const { at, cell, colours, layers, model } = this;
    const lines = [];
    if (cell.height >= GRID_FROM) for (let y = FINEST; y < model.height; y += FINEST) lines.push(`M0 ${at.y[y]}H${round(this.width)}`);
    const rows = lines.length;
    if (cell.width >= GRID_FROM) for (let x = FINEST; x < model.width; x += FINEST) lines.push(`M${at.x[x]} 0V${round(this.height)}`);
    const path = (d, opacity) => s("path", { d, fill: "none", stroke: colours.paper, "stroke-width": 1, "stroke-opacity": opacity });
    const strength = (size) => Math.min(1, 0.25 + (0.75 * (size - GRID_FROM)) / (GRID_FULL - GRID_FROM));
    const [level, upright] = this.large ? [0.8 * strength(cell.height), 0.22] : [0.6 * strength(cell.height), 0.6 * strength(cell.width)];
    layers.grid.replaceChildren(path(lines.slice(0, rows).join(""), level), path(lines.slice(rows).join(""), upright));
  }

  #drawLabels(raster, paints, names, sizes) {
    const { layers } = this;
    const placed = placeLabels(raster, { width: this.width, height: this.height }, names, sizes, textWidth);
    const key = JSON.stringify(placed);
    if (key === this.#labelsAt) return;
    this.#labelsAt = key;
    layers.labels.replaceChildren(...placed.flatMap(({ kind, lines, size, x, y, to, ground, width, height }) => {
      const under = paints[to ? ground : kind];
      const own = under.fill ?? under.on ?? under.stripes[0];
      const colour = wordsOn(own, size >= 18.5);
      const halo = { stroke: under.stripes ? wordsOn(colour, true) : own, "stroke-width": under.stripes ? 3 : 5, "paint-order": "stroke", "stroke-linejoin": "round" };
      const text = s("text", { "font-size": size, "font-weight": 700, "text-anchor": "middle", fill: colour, ...halo },
        ...lines.map((line, i) => s("tspan", { x: round(x), y: round(y + size * (0.34 + 1.18 * (i - (lines.length - 1) / 2))) }, line)));
      if (!to) return [text];
      const edge = leave({ x, y }, to, width, height - 4);
      return [s("path", { d: `M${round(edge.x)} ${round(edge.y)}L${round(to.x)} ${round(to.y)}`, stroke: colour, "stroke-width": 1.5, fill: "none" }),
        s("circle", { cx: round(to.x), cy: round(to.y), r: 2.5, fill: colour }), text];
    }));
  }

  /** The lab's setting, and a rate that means something for one network. @param edge {value, colour, text} */
  drawMarks(cross, edge) {
    const { layers, model, colours, width, height, frame } = this;
    const parts = [];
    const line = (d, colour, dash, weight) => [
      s("path", { d, stroke: colours.paper, "stroke-width": weight + 2, "stroke-opacity": 0.7, fill: "none" }),
      s("path", { d, stroke: colour, "stroke-width": weight, "stroke-dasharray": dash, fill: "none" })];
    const at = edge && model.across.place(edge.value);
    if (edge && at !== null) {
      const x = round(this.x(at));
      parts.push(...line(`M${x} 0V${round(height)}`, edge.colour, "1.5 3.5", 1.6));
      if (edge.text) {
        // Over the plane, where it hides no cell.
        const half = textWidth(edge.text, frame.type, 600) / 2;
        const middle = Math.min(width - half, Math.max(half, x));
        parts.push(s("text", { x: round(middle), y: round(-0.55 * frame.type), "text-anchor": "middle", "font-size": frame.type, "font-weight": 600, fill: edge.ink }, edge.text));
      }
    }
    const [i, j] = cross ? [model.across.place(cross.x), model.up.place(cross.y)] : [null, null];
    if (i !== null) parts.push(...line(`M${round(this.x(i))} 0V${round(height)}`, colours.ink, "none", 1));
    if (j !== null) parts.push(...line(`M0 ${round(this.y(j))}H${round(width)}`, colours.ink, "none", 1));
    layers.marks.replaceChildren(...parts);
  }

  /** What is pointed at, what is chosen, and a rectangle that is being drawn; each in eighths or null. */
  drawOver({ here, chosen, zoom }) {
    const { colours } = this;
    const outline = ({ i, j }, weight) => {
      const share = (axis) => (axis.rungs.length === 1 ? 1 : sizeOf(i, j) / FINEST);
      const wide = Math.max(LEAST_MARK, share(this.model.across) * this.cell.width);
      const high = Math.max(LEAST_MARK, share(this.model.up) * this.cell.height);
      const box = { x: round(this.x(i) - wide / 2), y: round(this.y(j) - high / 2), width: round(wide), height: round(high), fill: "none" };
      return [s("rect", { ...box, stroke: colours.paper, "stroke-width": weight + 3 }), s("rect", { ...box, stroke: colours.ink, "stroke-width": weight })];
    };
    const parts = [...(chosen ? outline(chosen, 3) : []), ...(here ? outline(here, 1.5) : [])];
    if (zoom) {
      const [x, y] = [this.x(zoom.left), this.y(zoom.high)];
      const box = { x: round(x), y: round(y), width: round(this.x(zoom.right) - x), height: round(this.y(zoom.low) - y) };
      parts.push(s("rect", { ...box, fill: colours.paper, "fill-opacity": 0.25, stroke: colours.paper, "stroke-width": 4 }),
        s("rect", { ...box, fill: "none", stroke: colours.ink, "stroke-width": 2, "stroke-dasharray": "6 3", "data-zoom": "" }));
    }
    this.layers.over.replaceChildren(...parts);
  }

  setTitle(text, colour, sub = null) {
    this.title.style.color = colour ?? "";
    fill(this.title, text, sub ? h("small", {}, " ", sub) : null);
  }
}

function leave(from, to, width, height) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.min(width / 2 / Math.max(Math.abs(dx), 1e-9), height / 2 / Math.max(Math.abs(dy), 1e-9), 1);
  return { x: from.x + dx * share, y: from.y + dy * share };
}
