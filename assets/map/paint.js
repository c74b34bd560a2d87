// Paints of cells as SVG: a colour, a hatch or stripes as fills; the cells of a class as a path; a legend.

import { h, pathOf, s } from "../live/lib/dom.js";
import { rectangles } from "./raster.js";

const HATCH = 7; // px between the lines of a hatch
const STRIPE = 9; // px, how broad a stripe is
const [WIDTH, HEIGHT] = [15, 14]; // px of a swatch in the legend

let patterns = 0; // made so far: ids are unique on the page

/** Gives paints as SVG fills. A paint that is a pattern is added to `defs` once, and used again. */
export class Fills {
  #made = new Map();

  constructor() {
    this.defs = s("defs");
  }

  fill(paint) {
    if (paint.fill) return paint.fill;
    const key = JSON.stringify(paint);
    if (!this.#made.has(key)) this.#made.set(key, this.#make(paint));
    return `url(#${this.#made.get(key)})`;
  }

  #make({ hatch, on, stripes }) {
    const id = `bnviz-stability-pattern-${patterns++}`;
    const size = stripes ? STRIPE * stripes.length : HATCH;
    const parts = stripes
      ? stripes.map((fill, i) => s("rect", { x: i * STRIPE, y: 0, width: STRIPE + 0.5, height: size, fill }))
      : [s("rect", { width: size, height: size, fill: on }), s("rect", { width: 1.4, height: size, fill: hatch })];
    this.defs.append(s("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, parts));
    return id;
  }
}

/** A path for each class of a raster. @param at px of the lines between cells: {x: across, y: up} */
export function classPaths(raster, paints, fills, at) {
  return rectangles(raster.classes, raster.width, raster.height).map((flat, kind) => {
    if (!flat || !paints[kind]) return null;
    const parts = [];
    for (let i = 0; i < flat.length; i += 4)
      parts.push(`M${at.x[flat[i]]} ${at.y[flat[i + 1]]}H${at.x[flat[i] + flat[i + 2]]}V${at.y[flat[i + 1] + flat[i + 3]]}H${at.x[flat[i]]}Z`);
    return s("path", { d: parts.join(""), fill: fills.fill(paints[kind]), "shape-rendering": "crispEdges", "data-kind": kind });
  }).filter(Boolean);
}

/** The path of chains of corners. */
export function linesPath(lines, at) {
  return lines.map((corners) => pathOf(corners.map(([x, y]) => [at.x[x], at.y[y]]))).join("");
}

/** The lines of a legend: swatches and words. @param entries [{paints, key of legend, values}] */
export function legend(entries, t) {
  return entries.map(({ paints, key, values }) => h("span.bnviz-stability-key", swatches(paints), t(`legend.${key}`, values)));
}

function swatches(paints) {
  const fills = new Fills();
  const width = paints.length * (WIDTH + 1);
  return s("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" }, fills.defs,
    paints.flatMap((paint, i) => {
      const x = i * (WIDTH + 1);
      if (paint.line) return [s("path", { d: `M${x + 1} ${HEIGHT / 2}h${WIDTH - 2}`, stroke: paint.line, "stroke-width": 3 })];
      const box = s("rect.bnviz-stability-swatch", { x: x + 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, fill: fills.fill(paint) });
      if (!paint.cross) return [box];
      return [box, s("path", { d: `M${x + 5} 4.5l5 5m0 -5l-5 5`, stroke: paint.cross, "stroke-width": 1.2, fill: "none" })];
    }));
}
