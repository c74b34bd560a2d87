// The two halves as boxes, each with a bar a layer; between them what passes, over its ghost.

import { fill, h, setText } from "../../live/lib/dom.js";
import { number } from "../../live/lib/format.js";
import { s } from "../lib/svg.js";

const [HEIGHT, FLOOR, TOP] = [104, 84, 6];

export class Halves {
  #t;

  constructor(t) {
    this.#t = t;
    this.lower = half("F₁");
    this.upper = half("F₂");
    this.svg = s("svg", { "aria-hidden": "true" });
    this.legend = h("small", {});
    this.value = h("span", { class: "bnviz-cut-accuracy" });
    this.element = h("div", { class: "bnviz-cut" }, this.lower.element,
      h("div", { class: "bnviz-cut-passes" }, h("small", {}, t("passes")), this.svg, this.legend), this.upper.element,
      h("div", { class: "bnviz-cut-score" }, this.value, h("small", {}, t("accuracy"))));
  }

  /**
   * @param view {cut, depth, lowerStep, upperStep, random, accuracy: text}
   * @param rows {passes [K][bins] or null, edges, s, t: places}
   */
  draw({ cut, depth, lowerStep, upperStep, random, accuracy }, rows) {
    const t = this.#t;
    const lowerWords = random ? t("moved", { step: upperStep }) : t("of_step", { step: lowerStep });
    show(this.lower, cut, t(cut === 1 ? "lower_one" : "lower", { first: 1, last: cut }), lowerWords);
    const above = depth - cut;
    show(this.upper, above, t(above === 1 ? "upper_one" : "upper", { first: cut + 1, last: depth }), t("of_step", { step: upperStep }));
    setText(this.value, accuracy);
    setText(this.legend, rows.passes ? t("ghost", { step: upperStep }) : "");
    this.#hills(rows, random);
  }

  /** What passes now, filled; what passed at the step of the upper half, dotted. On one scale for all steps. */
  #hills({ passes, edges, s: now, t: then }, random) {
    const width = this.svg.parentElement.clientWidth;
    for (const [name, value] of Object.entries({ width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}` })) this.svg.setAttribute(name, value);
    if (!passes || !width) return this.svg.replaceChildren();
    const highest = Math.max(...passes.flat(), 1e-9);
    const bins = passes[now].length;
    const x = (bin) => 4 + (bin / bins) * (width - 8);
    const y = (share) => FLOOR - (share / highest) * (FLOOR - TOP);
    const outline = (shares) => `M${x(0)} ${FLOOR}${shares.map((share, bin) => `V${y(share).toFixed(1)}H${x(bin + 1).toFixed(1)}`).join("")}V${FLOOR}`;
    const named = [0, bins / 2, bins].filter((bin) => Number.isInteger(bin));
    this.svg.replaceChildren(
      ...(random ? [] : [s("path", { class: "bnviz-cut-hill", d: outline(passes[now]) })]),
      s("path", { class: "bnviz-cut-ghost", d: outline(passes[then]) }),
      s("line", { class: "bnviz-line-axis", x1: x(0), x2: x(bins), y1: FLOOR, y2: FLOOR }),
      ...named.map((bin, i) => s("text", { class: "bnviz-cut-edge", x: x(bin), y: FLOOR + 14, "text-anchor": ["start", "middle", "end"][i] }, number(edges[bin]))));
  }
}

function half(name) {
  const parts = { bars: h("div", { class: "bnviz-cut-bars", "aria-hidden": true }), layers: h("small", {}), step: h("b", {}) };
  return { ...parts, element: h("div", { class: "bnviz-cut-half" }, h("i", {}, name), parts.bars, parts.layers, parts.step) };
}

function show({ bars, layers, step }, count, words, of) {
  if (bars.children.length !== count) fill(bars, ...Array.from({ length: count }, () => h("span", {})));
  setText(layers, words);
  setText(step, of);
}
