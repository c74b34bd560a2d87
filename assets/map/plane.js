// One plane of the map as SVG: cells, borders, names of regions, marks, axes. Sizes are px; cells count from the
// lower left, places are counted in eighths of a step.

import { fill, h, s, set } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { rounded, setSize, textWidth } from "../widgets/lib/svg.js";
import { FINEST, HALF } from "./axis.js";
import { mix, wordsOn } from "./colour_scales.js";
import { Fills, classPaths, linesPath } from "./paint.js";
import { sizeOf } from "./raster.js";
import { placeNames } from "./region_names.js";

const [GRID_FROM, GRID_FULL] = [7, 24]; // px of a cell from which lines between cells are drawn, and are full
const CROSS_FROM = 9; // px of a cell from which crosses are drawn
export const FAINT = 0.4; // opacity of cells that only another map has measured
const LEAST_MARK = 12; // px, the least size of a chosen cell's outline
const SMALLER = 0.9; // type of the passes over the data, as a share of a value's own
const FOR_A_HALL = 20; // px: from this size of type on nothing is smaller
const MOST_ROWS = 24; // numbers along the axis up

export class Plane {
  #fills = new Fills();

  constructor({ name }) {
    this.name = name;
    this.title = h("h3.bnviz-stability-title", { id: `bnviz-stability-title-${name}` });
    this.layers = Object.fromEntries(["ghost", "waiting", "cells", "grid", "hills", "crosses", "borders", "marks", "labels", "over"].map((layer) =>
      [layer, s("g", { class: `bnviz-stability-${layer}`, "pointer-events": "none" })]));
    set(this.layers.ghost, { opacity: FAINT });
    this.ground = s("rect.bnviz-stability-ground");
    this.axes = s("g.bnviz-stability-axes", { "aria-hidden": "true" });
    this.inner = s("g", this.ground, Object.values(this.layers));
    this.svg = s("svg.bnviz-stability-svg", { role: "application", tabindex: 0 }, this.#fills.defs, this.axes, this.inner);
    this.element = h("figure", { class: "bnviz-stability-plane", "data-plane": name }, this.title, this.svg);
  }

  /**
   * Take a size, and draw the axes and the grid.
   *
   * @param frame {width, height, type: px, titled: null, or {passes: the words for them} where the axes have titles}
   */
  layOut(frame, model, colours) {
    Object.assign(this, { model, frame, colours });
    const { up, across } = model;
    this.margin = margins(model, frame);
    this.width = Math.max(40, frame.width - this.margin.left - this.margin.right);
    this.height = Math.max(40, frame.height - this.margin.top - this.margin.bottom);
    const at = (count, size, flip) => Float64Array.from({ length: count + 1 }, (_, i) => Math.round((flip ? 1 - i / count : i / count) * size * 10) / 10);
    this.at = { x: at(across.cells, this.width, false), y: at(up.cells, this.height, true) };
    setSize(this.svg, frame.width, frame.height);
    set(this.inner, { transform: `translate(${this.margin.left} ${this.margin.top})` });
    set(this.ground, { width: this.width, height: this.height, fill: "transparent" });
    this.cell = { width: this.width / across.rungs.length, height: this.height / up.rungs.length };
    drawAxes(this);
    this.#drawGrid();
  }

  /** The px, from the left, of a place across. */
  x(eighths) {
    return ((eighths + HALF) / this.model.width) * this.width;
  }

  /** The px, from the top, of a place up. */
  y(eighths) {
    return (1 - (eighths + HALF) / this.model.height) * this.height;
  }

  /** The place under a pointer: {x, y} in eighths; beside the plane the nearest one. */
  placeOf(event) {
    const box = this.ground.getBoundingClientRect();
    const share = (at, size) => within(at / size, 0, 1);
    return {
      x: share(event.clientX - box.left, box.width) * this.model.width - HALF,
      y: (1 - share(event.clientY - box.top, box.height)) * this.model.height - HALF,
    };
  }

  /**
   * Draw the cells.
   *
   * @param classes by cell
   * @param paints by class
   * @param ghost {classes, paints} of earlier maps, drawn where nothing is known yet; null: none
   * @param lines borders of networks: [{points: chains, colour, dashes}]
   * @param hills by network, what is drawn in the cells of whole rungs: [{colour, at: (i, j) => its row}]; null: nothing
   * @param names for each class the ways to break its name into lines; null: regions have no names
   */
  draw({ classes, paints, ghost = null, lines = [], hills = null, names = null, sizes = [20, 17, 14] }) {
    const { layers, model, at } = this;
    const raster = { classes, width: model.width, height: model.height };
    layers.ghost.replaceChildren(...(ghost ? classPaths({ ...raster, classes: ghost.classes }, ghost.paints, this.#fills, at) : []));
    layers.cells.replaceChildren(...classPaths(raster, paints, this.#fills, at));
    layers.borders.replaceChildren(...lines.filter(({ points }) => points.length).flatMap(({ points, colour, dashes }) => {
      const line = { d: linesPath(points, at), "stroke-linejoin": "round" };
      return this.#rimmed("path", line, { "stroke-width": 5, "stroke-opacity": 0.85 }, { stroke: colour, "stroke-width": 3, "stroke-dasharray": dashes });
    }));
    this.#drawRungs(classes, paints, Boolean(ghost));
    layers.hills.replaceChildren(...(hills ? this.#hills(hills) : []));
    if (names) this.#drawLabels(raster, paints, names, sizes);
    else layers.labels.replaceChildren();
  }

  /** On the cells of whole rungs: a cross where it broke, an outline where nothing was run. */
  #drawRungs(classes, paints, overGhost) {
    const { model, cell, layers, colours } = this;
    const crosses = new Map();
    const waiting = [];
    const reach = Math.min(cell.width, cell.height, 26) * 0.16;
    const show = Math.min(cell.width, cell.height) >= CROSS_FROM;
    const inset = Math.min(2, cell.width / 8, cell.height / 8);
    const wide = cell.width - 2 * inset;
    for (let j = 0; j <= model.up.last; j += FINEST)
      for (let i = 0; i <= model.across.last; i += FINEST) {
        const kind = classes[(j + HALF) * model.width + i + HALF];
        const [x, y] = [rounded(this.x(i)), rounded(this.y(j))];
        if (!kind) waiting.push(inPx`M${x - cell.width / 2 + inset} ${y - cell.height / 2 + inset}h${wide}v${cell.height - 2 * inset}h${-wide}z`);
        const colour = paints[kind]?.cross;
        if (!colour || !show) continue;
        if (!crosses.has(colour)) crosses.set(colour, []);
        crosses.get(colour).push(inPx`M${x - reach} ${y - reach}L${x + reach} ${y + reach}M${x - reach} ${y + reach}L${x + reach} ${y - reach}`);
      }
    // Over a ghost the outlines have a gap between them, so that it does not look like an area of this map.
    const outline = (stroke, weight) => s("path", { d: waiting.join(""), fill: "none", stroke, "stroke-width": weight });
    layers.waiting.replaceChildren(...(overGhost ? [outline(colours.paper, rounded(2 * inset + 1))] : []), outline(colours.edge, 1));
    layers.crosses.replaceChildren(...[...crosses].map(([stroke, parts]) =>
      s("path", { d: parts.join(""), stroke, fill: "none", "stroke-width": 1.1, "stroke-linecap": "round" })));
  }

  /** A hill per network in each cell of whole rungs, one above the other; paler where the network did not learn. */
  #hills(hills) {
    const { model, cell, colours } = this;
    const pad = { x: 0.08 * cell.width, y: 0.1 * cell.height };
    const row = (cell.height - 2 * pad.y) / hills.length;
    const wide = cell.width - 2 * pad.x;
    return hills.flatMap(({ colour, at }, place) => {
      const paths = { learned: [], broke: [], dark: [] };
      for (let j = 0; j <= model.up.last; j += FINEST)
        for (let i = 0; i <= model.across.last; i += FINEST) {
          const found = at(i, j);
          if (!found?.hill) continue;
          const left = this.x(i) - wide / 2;
          const base = this.y(j) - cell.height / 2 + pad.y + (place + 0.92) * row;
          const anybody = hills.some((other) => other.at(i, j)?.kind === "learned");
          paths[found.kind === "learned" ? "learned" : anybody ? "broke" : "dark"].push(hillPath(countsOf(found.hill), left, base, wide, 0.78 * row));
        }
      const looks = {
        learned: { fill: colour, "fill-opacity": 0.5, stroke: colour },
        broke: { fill: colour, "fill-opacity": 0.28, stroke: colour, "stroke-opacity": 0.65 },
        dark: { fill: mix(colour, colours.hill, 0.45), "fill-opacity": 0.65, stroke: mix(colour, colours.hill, 0.6) },
      };
      return Object.entries(paths).filter(([, all]) => all.length)
        .map(([name, all]) => s("path", { d: all.join(""), "stroke-width": 1.1, "stroke-linejoin": "round", ...looks[name] }));
    });
  }

  #drawGrid() {
    const { at, cell, colours, layers, model } = this;
    const lines = [];
    if (cell.height >= GRID_FROM) for (let y = FINEST; y < model.height; y += FINEST) lines.push(inPx`M0 ${at.y[y]}H${this.width}`);
    const rows = lines.length;
    if (cell.width >= GRID_FROM) for (let x = FINEST; x < model.width; x += FINEST) lines.push(inPx`M${at.x[x]} 0V${this.height}`);
    const path = (d, size) => {
      const strength = Math.min(1, 0.25 + (0.75 * (size - GRID_FROM)) / (GRID_FULL - GRID_FROM));
      return s("path", { d, fill: "none", stroke: colours.ground, "stroke-width": 2, "stroke-opacity": strength });
    };
    layers.grid.replaceChildren(path(lines.slice(0, rows).join(""), cell.height), path(lines.slice(rows).join(""), cell.width));
  }

  #drawLabels(raster, paints, names, sizes) {
    const { layers } = this;
    const placed = placeNames(raster, { width: this.width, height: this.height }, names, sizes, textWidth);
    layers.labels.replaceChildren(...placed.flatMap(({ kind, lines, size, x, y, to, ground, width, height }) => {
      const under = paints[to ? ground : kind];
      const own = under.fill ?? under.on ?? under.stripes[0];
      const colour = wordsOn(own, size >= 18.5);
      const halo = { stroke: under.stripes ? wordsOn(colour, true) : own, "stroke-width": under.stripes ? 3 : 5, "paint-order": "stroke", "stroke-linejoin": "round" };
      const text = s("text", { "font-size": size, "font-weight": 700, "text-anchor": "middle", fill: colour, ...halo },
        lines.map((line, i) => s("tspan", { x: rounded(x), y: rounded(y + size * (0.34 + 1.18 * (i - (lines.length - 1) / 2))) }, line)));
      if (!to) return [text];
      const edge = edgeTowards({ x, y }, to, width, height - 4);
      return [s("path", { d: inPx`M${edge.x} ${edge.y}L${to.x} ${to.y}`, stroke: colour, "stroke-width": 1.5, fill: "none" }),
        s("circle", { cx: rounded(to.x), cy: rounded(to.y), r: 2.5, fill: colour }), text];
    }));
  }

  /**
   * Mark values.
   *
   * @param cross the lab's setting: {x, y} in values of the knobs; null: none
   * @param edge a rate at which a network becomes unstable: {value, colour, ink, text}; null: none
   */
  drawMarks(cross, edge) {
    const { layers, model, colours, width, height, frame } = this;
    const parts = [];
    const line = (d, stroke, dash, weight) => this.#rimmed("path", { d }, { "stroke-width": weight + 2, "stroke-opacity": 0.7 },
      { stroke, "stroke-width": weight, "stroke-dasharray": dash });
    const at = edge && model.across.place(edge.value);
    if (edge && at !== null) {
      const x = rounded(this.x(at));
      parts.push(...line(inPx`M${x} 0V${height}`, edge.colour, "1.5 3.5", 1.6));
      if (edge.text) {
        // Above the plane, where it covers no cell.
        const half = textWidth(edge.text, frame.type, 600) / 2;
        const middle = within(x, half, width - half);
        parts.push(s("text", { x: rounded(middle), y: rounded(-0.55 * frame.type), "text-anchor": "middle", "font-size": frame.type, "font-weight": 600, fill: edge.ink }, edge.text));
      }
    }
    const [i, j] = cross ? [model.across.place(cross.x), model.up.place(cross.y)] : [null, null];
    if (i !== null) parts.push(...line(inPx`M${this.x(i)} 0V${height}`, colours.ink, "none", 1));
    if (j !== null) parts.push(...line(inPx`M0 ${this.y(j)}H${width}`, colours.ink, "none", 1));
    layers.marks.replaceChildren(...parts);
  }

  /** Mark the cell that is pointed at, the chosen one, and the rectangle that is being drawn; each in eighths, or null. */
  drawOver({ here, chosen, zoom }) {
    const { colours } = this;
    const outline = ({ i, j }, weight) => {
      const share = (axis) => (axis.rungs.length === 1 ? 1 : sizeOf(i, j) / FINEST);
      const wide = Math.max(LEAST_MARK, share(this.model.across) * this.cell.width);
      const high = Math.max(LEAST_MARK, share(this.model.up) * this.cell.height);
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

  /** A shape as a line of its own, over a wider one in the colour of the paper. */
  #rimmed(tag, shape, rim, own) {
    const outline = { ...shape, fill: "none" };
    return [s(tag, { ...outline, stroke: this.colours.paper, ...rim }), s(tag, { ...outline, ...own })];
  }

  setTitle(text, colour) {
    this.title.style.color = colour ?? "";
    fill(this.title, text);
  }
}

/** The counts of a hill by bin, from base64: its highest bin is 255. */
function countsOf(hill) {
  return Uint8Array.from(atob(hill), (character) => character.charCodeAt(0));
}

/** A hill as a closed outline of steps, from its base line at the left to that at the right. */
function hillPath(counts, left, base, width, height) {
  const bin = width / counts.length;
  let [path, before] = [inPx`M${left} ${base}`, 0];
  counts.forEach((count, i) => {
    if (count === before) return;
    path += inPx`H${left + i * bin}V${base - (height * count) / 255}`;
    before = count;
  });
  return `${path}${inPx`H${left + width}`}${before ? inPx`V${base}` : ""}Z`;
}

/** The path of a template, its numbers rounded. */
const inPx = ({ raw }, ...numbers) => String.raw({ raw }, ...numbers.map(rounded));

/** Where the line from the middle of a box to a point leaves the box. */
function edgeTowards(from, to, width, height) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const share = Math.min(width / 2 / Math.max(Math.abs(dx), 1e-9), height / 2 / Math.max(Math.abs(dy), 1e-9), 1);
  return { x: from.x + dx * share, y: from.y + dy * share };
}

/** The room around the cells in px: {left, right, top, bottom}. */
function margins({ up, across }, { width, type, titled }) {
  const passes = (under) => (titled && under ? textWidth(under, smaller(type), 400) : 0);
  const widest = Math.max(...up.ticks(MOST_ROWS).map(({ text, under }) => Math.max(textWidth(text, type), passes(under))));
  const under = titled && across.passes ? type : 0;
  return { left: Math.min(width / 3, widest + 10 + (titled ? type * 1.9 : 0)), right: 8, top: titled ? type * 1.7 : 4, bottom: type * (titled ? 3.5 : 1.8) + under };
}

/** Draw both axes of a plane: numbers, the passes over the data in grey under them, titles. */
function drawAxes(plane) {
  const { model, margin, width, height, frame, colours } = plane;
  const { type, titled } = frame;
  const rows = model.up.ticks(Math.min(MOST_ROWS, Math.floor(height / (type * (titled ? 1.5 : 2.2)))));
  const room = height / Math.max(1, rows.length);
  const columns = model.across.ticks(Math.max(2, Math.floor(width / (type * 6.5))));
  const text = (content, x, y, more = {}) => s("text", { x: rounded(x), y: rounded(y), "font-size": type, fill: colours.ink, ...more }, content);
  const quiet = { fill: colours.muted };
  const parts = [];
  for (const { at, text: words, under } of rows) {
    const y = margin.top + plane.y(at);
    const both = titled && under !== null && room > type * 2.3;
    parts.push(text(words, margin.left - 8, y + type * (both ? -0.12 : 0.35), { "text-anchor": "end" }));
    if (both) parts.push(text(under, margin.left - 8, y + type * 0.95, { "text-anchor": "end", ...quiet, "font-size": smaller(type) }));
  }
  for (const { at, text: words, under } of columns) {
    const x = margin.left + plane.x(at);
    parts.push(text(words, x, margin.top + height + type * 1.45, { "text-anchor": "middle", ...quiet }));
    if (titled && under !== null) parts.push(text(under, x, margin.top + height + type * 2.5, { "text-anchor": "middle", ...quiet, "font-size": smaller(type) }));
  }
  if (titled) {
    const passes = (axis) => (axis.passes ? [s("tspan", quiet, ` ${titled.passes}`)] : []);
    const across = text("", margin.left + width / 2, frame.height - type * 0.5, { "text-anchor": "middle" });
    across.append(model.across.label, ...passes(model.across));
    const up = text("", 0, 0, { "text-anchor": "middle", transform: `translate(${rounded(type)} ${rounded(margin.top + height / 2)}) rotate(-90)` });
    const room = frame.height >= textWidth(`${model.up.label} ${titled.passes}`, type);
    up.append(model.up.label, ...(room ? passes(model.up) : []));
    parts.push(across, up);
  }
  fill(plane.axes, parts);
}

function smaller(type) {
  return type >= FOR_A_HALL ? type : rounded(SMALLER * type);
}
