// The way back as arrows: at the outputs what the loss asks of each, dragged at its tip; at the inputs
// what becomes of it, thin without and thick with the paths through mean and variance.

import { h } from "../../live/lib/dom.js";
import { Handle } from "../lib/handle.js";
import { lowered, three } from "../lib/numbers.js";
import { arrow, s } from "../lib/svg.js";
import { Axis } from "./axis.js";
import { middle } from "./lines.js";

const TOP = 40;
const LANE = matchMedia("(pointer: coarse)").matches ? 44 : 28;
const BETWEEN = 58;
const UNIT = 2; // a gradient of 1 is as long as 2 on the line
const MOST = 3; // what can be dragged; more can be typed
const TIP = 7; // radius of the disc by which an arrow is dragged

export class Arrows {
  #given;
  #handles = [];

  /** @param given {t(): words, onmove(index, value), value(index)} */
  constructor(given) {
    this.#given = given;
    this.back = s("g", { "aria-hidden": "true" });
    this.front = s("g", {});
    this.svg = s("svg", { class: "bnviz-lines", role: "group" }, this.back, this.front);
    this.element = h("div", { class: "bnviz-lines-place" }, this.svg);
  }

  /** @param view {forward, backward, g, shown: whether ∂ℓ/∂x is there yet} */
  draw({ forward, backward, g, shown }, width) {
    const t = this.#given.t();
    this.axis = new Axis(width);
    this.from = forward.y;
    const second = TOP + forward.x.length * LANE + BETWEEN;
    const height = second + forward.x.length * LANE + 36;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) this.svg.setAttribute(name, value);
    this.svg.setAttribute("aria-label", t("arrows.label"));
    const lane = (top, i) => top + 12 + (i + 0.5) * LANE;
    this.back.replaceChildren(
      ...this.axis.ticks(TOP - 8, height - 32),
      ...this.axis.line("x", TOP, middle(forward.x)),
      this.axis.caption(t("arrows.inputs"), TOP),
      ...this.axis.line("y", second, middle(forward.y)),
      this.axis.caption(t("arrows.outputs"), second),
      ...forward.x.flatMap((x, i) => this.#lane(x, TOP, lane(TOP, i), i, "∂x", shown ? [backward.direct[i], backward.x[i]] : [])),
      ...forward.y.flatMap((y, i) => this.#lane(y, second, lane(second, i), i, "g", [null, g[i]], TIP)),
    );
    this.#place(g, (i) => lane(second, i), t);
  }

  /** A point on its line, and under it the arrows that start there; each ends before the disc at its tip. */
  #lane(value, top, y, i, name, [thin = null, thick = null], tip = 0) {
    const x = this.axis.place(value);
    if (!Number.isFinite(x)) return [];
    const path = (length, css) => {
      if (length === null || !Number.isFinite(length)) return null;
      const [end, way] = [this.axis.place(value + UNIT * length), Math.sign(length)];
      return (end - x) * way <= tip ? null : s("path", { class: css, d: arrow(x, end - way * tip, y) });
    };
    return [
      s("line", { class: "bnviz-line-leader", x1: x, x2: x, y1: top, y2: y }),
      s("circle", { class: "bnviz-line-point", cx: x, cy: top, r: 4.5 }),
      s("text", { class: "bnviz-line-image", x: 12, y: y + 4 }, `${name}${lowered(i + 1)}`),
      path(thin, "bnviz-arrow bnviz-arrow-direct"), path(thick, "bnviz-arrow"),
      s("circle", { class: "bnviz-line-point", cx: x, cy: y, r: 3 }),
      ...this.axis.beyond(value, top),
    ].filter(Boolean);
  }

  #place(g, lane, t) {
    while (this.#handles.length > g.length) this.#handles.pop().element.remove();
    while (this.#handles.length < g.length) this.#grow(this.#handles.length);
    this.#handles.forEach((handle, i) => {
      const x = this.axis.place((Number.isFinite(this.from[i]) ? this.from[i] : 0) + UNIT * g[i]);
      handle.show(x, lane(i), t("arrows.arrow", { image: i + 1 }), g[i], three(g[i]));
    });
  }

  #grow(index) {
    const from = () => (Number.isFinite(this.from[index]) ? this.from[index] : 0);
    const handle = new Handle({
      min: -MOST, max: MOST, step: 0.1, value: () => this.#given.value(index), onmove: (value) => this.#given.onmove(index, value),
      place: (value) => this.axis.place(from() + UNIT * value), at: (x) => (this.axis.at(x) - from()) / UNIT,
    });
    handle.hit.setAttribute("y", -LANE / 2);
    handle.hit.setAttribute("height", LANE);
    handle.drawn.append(s("circle", { class: "bnviz-arrow-tip", r: TIP }));
    this.#handles.push(handle);
    this.front.append(handle.element);
  }
}
