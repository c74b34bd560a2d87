// What the colours and patterns mean: swatches and words.

import { h } from "../live/lib/dom.js";
import { s } from "../widgets/lib/svg.js";
import { Paints } from "./paint.js";

const [WIDTH, HEIGHT] = [15, 14]; // px of a swatch

/** One line of a legend for each entry. @param entries [{paints, key, values}] @param t words */
export function legend(entries, t) {
  return entries.map(({ paints, key, values }) => h("span", { class: "bnviz-stability-key" }, swatches(paints), t(`legend.${key}`, values)));
}

function swatches(paints) {
  const made = new Paints();
  const width = paints.length * (WIDTH + 1);
  return s("svg", { width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, "aria-hidden": "true" }, made.defs,
    ...paints.flatMap((paint, i) => {
      const x = i * (WIDTH + 1);
      const box = s("rect", { x: x + 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, fill: made.fill(paint), class: "bnviz-stability-swatch" });
      if (!paint.cross) return [box];
      return [box, s("path", { d: `M${x + 5} 4.5l5 5m0 -5l-5 5`, stroke: paint.cross, "stroke-width": 1.2, fill: "none" })];
    }));
}
