// The largest value across at which each network learned, a row of dots for each rung of the axis up.

import { h, setHidden, setText } from "../live/lib/dom.js";
import { s, set } from "../widgets/lib/svg.js";
import { Axis } from "./axis.js";
import { palette } from "./palette.js";
import { round, textWidth } from "./text_width.js";

const ROW = 19; // px
const LEAST_ROW = 11;
const MOST_HEIGHT = 260;
// A network has a marker of its own too.
const MARKERS = { diamond: "M0 -5.6L5.6 0L0 5.6L-5.6 0Z", circle: "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0", square: "M-4.2 -4.2h8.4v8.4h-8.4z", cross: "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", triangle: "M0 -5.4L5.2 4.2H-5.2Z", bar: "M-1.8 -5.4h3.6v10.8h-3.6z" };
const ARROW = "M7 0h8m-3 -3l3 3l-3 3"; // beside a marker: the map ends here, what learns may not

export class Largest {
  constructor(view) {
    this.view = view;
    this.title = h("h3", {});
    this.svg = s("svg", { class: "bnviz-stability-svg", "aria-hidden": "true" });
    this.key = h("p", { class: "bnviz-stability-keys" });
    this.body = h("div", {}, this.svg);
    this.element = h("section", { class: "bnviz-card bnviz-stability-largest", hidden: true }, this.title, this.body, this.key);
  }

  /** @param rows [{y, <norm>: value or null}, …] or nothing */
  draw(rows) {
    const { data, model, t } = this.view;
    setHidden(this.element, !rows?.length || Boolean(data.present));
    const width = this.body.clientWidth;
    if (this.element.hidden || !width) return;
    setText(this.title, t("largest.title", { across: data.across.said, up: data.up.said }));
    const { norms } = this.view;
    const colours = palette(data.dark);
    const shown = [...rows].sort((a, b) => b.y - a.y);
    const row = Math.max(LEAST_ROW, Math.min(ROW, MOST_HEIGHT / shown.length));
    const every = Math.ceil(13 / row);
    const left = Math.max(...shown.map(({ y }) => textWidth(model.up.write(y), 12, 400))) + 16;
    const end = model.across.rungs.at(-1);
    const found = norms.flatMap(({ name }) => shown.map((each) => each[name])).filter(Number.isFinite);
    const axis = found.length ? this.#axis(Math.min(...found), Math.max(...found)) : null;
    const height = shown.length * row + 24;
    const x = (value) => round(left + ((axis.place(value) + 4) / axis.cells) * (width - left - 8));
    const middle = (i) => round((i + 0.5) * row);
    set(this.svg, { width, height, viewBox: `0 0 ${width} ${height}` });
    const text = (content, at, y, anchor) => s("text", { x: at, y, "text-anchor": anchor, "font-size": 12, fill: colours.muted }, content);
    this.svg.replaceChildren(
      ...(axis?.ticks(Math.floor((width - left) / 60)) ?? []).flatMap(({ at, text: words }) => {
        const place = round(left + ((at + 4) / axis.cells) * (width - left - 8));
        return [s("path", { d: `M${place} 0V${shown.length * row}`, stroke: colours.edge }), text(words, place, height - 6, "middle")];
      }),
      ...shown.flatMap((each, i) => [
        i % every ? null : text(model.up.write(each.y), left - 10, middle(i) + 4, "end"),
        ...norms.map((norm) => (Number.isFinite(each[norm.name])
          ? s("g", { transform: `translate(${x(each[norm.name])} ${middle(i)})` }, s("path", { d: MARKERS[norm.symbol], fill: norm.colour }),
            each[norm.name] === end ? s("path", { d: ARROW, stroke: norm.colour, "stroke-width": 1.5, fill: "none", "data-end": norm.name }) : null) : null)),
      ]).filter(Boolean));
    this.key.replaceChildren(...norms.map((norm) => h("span", { class: "bnviz-stability-key", style: { color: norm.ink } },
      s("svg", { width: 13, height: 13, viewBox: "-6.5 -6.5 13 13", "aria-hidden": "true" }, s("path", { d: MARKERS[norm.symbol], fill: norm.colour })), norm.label)),
    ...(found.includes(end) ? [h("span", { class: "bnviz-stability-key" }, t("largest.end"))] : []));
  }

  /** From a little below the smallest to a little above the largest of the values that there are. */
  #axis(low, high) {
    const { across } = this.view.model;
    const rungs = across.rungs.filter((value, i, all) => (all[i + 1] ?? value) > low && (all[i - 1] ?? value) < high || value === low || value === high);
    return new Axis({ ...across, rungs: rungs.length > 1 ? rungs : across.rungs });
  }
}
