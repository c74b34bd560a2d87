// The paints of cells as SVG fills (a colour, a hatch or stripes), and the legend.

import { h, s } from "../live/lib/dom.js";

const HATCH = 7; // distance in px between the lines of a hatch
const STRIPE = 9; // width of a stripe in px
const [WIDTH, HEIGHT] = [15, 14]; // size in px of a colour sample in the legend

let patterns = 0; // number of patterns made so far, used for ids that are unique on the page

/** SVG fills for paints. A paint that needs a pattern is added to `defs` once and then reused. */
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
      : [s("rect", { width: size, height: size, fill: on ?? "none" }), s("rect", { width: 1.4, height: size, fill: hatch })];
    this.defs.append(s("pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" }, parts));
    return id;
  }
}

/**
 * Return the entries of a legend: colour samples with text. @param entries [{paints, key: key of the text in `legend`,
 * values}]
 */
export function legend(entries, t) {
  return entries.map(({ paints, key, values }) => h("span.bnviz-stability-key", swatches(paints), t(`legend.${key}`, values)));
}

function swatches(paints) {
  const fills = new Fills();
  const width = paints.length * (WIDTH + 1);
  return s("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" }, fills.defs,
    paints.flatMap((paint, i) => {
      const x = i * (WIDTH + 1);
      return s("rect.bnviz-stability-swatch", { x: x + 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, fill: fills.fill(paint) });
    }));
}
