// Classes of cells as SVG: a path for each class, filled with a colour, a hatch or stripes.

import { s } from "../widgets/lib/svg.js";
import { rectangles } from "./shapes.js";

const HATCH = 7; // px between lines
const STRIPE = 9; // px of a stripe's breadth

let patterns = 0; // made so far: their names are the page's

/** Paints as fills; patterns are put into `defs`, and kept while the paint is the same. */
export class Paints {
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
    this.defs.append(s("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, ...parts));
    return id;
  }
}

/** A path for each class. @param at {x: px by cell across, y: px by cell up} */
export function classPaths(raster, paints, made, at) {
  return rectangles(raster.classes, raster.width, raster.height).map((flat, kind) => {
    if (!flat || !paints[kind]) return null;
    const parts = [];
    for (let i = 0; i < flat.length; i += 4)
      parts.push(`M${at.x[flat[i]]} ${at.y[flat[i + 1]]}H${at.x[flat[i] + flat[i + 2]]}V${at.y[flat[i + 1] + flat[i + 3]]}H${at.x[flat[i]]}Z`);
    return s("path", { d: parts.join(""), fill: made.fill(paints[kind]), "shape-rendering": "crispEdges", "data-kind": kind });
  }).filter(Boolean);
}

/** Chains of corners as one path. */
export function linesPath(lines, at) {
  return lines.map((corners) => corners.map(([x, y], i) => `${i ? "L" : "M"}${at.x[x]} ${at.y[y]}`).join("")).join("");
}
