// Three number lines, one under the other on one scale: what comes in, what is normalized, what goes
// out. The points of the first are dragged; a thin line follows each image down.

import { h, setHidden, setText } from "../../live/lib/dom.js";
import { Handle } from "../lib/handle.js";
import { short, three } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { Axis, END } from "./axis.js";

const TOP = 48;
const GAP = 88;
const DISC = 10;
const LABEL = 17; // between the centres of two labels that would overlap

export class Lines {
  #t;
  #handles = [];
  #given;

  /** @param given {t(): words, onmove(index, value), value(index)} */
  constructor(given) {
    this.#given = given;
    this.back = s("g", { "aria-hidden": "true" });
    this.front = s("g", {});
    this.svg = s("svg", { class: "bnviz-lines", role: "group" }, this.back, this.front);
    this.guess = h("p", { class: "bnviz-line-guess", style: { top: `${TOP + GAP + 11}px` } });
    this.element = h("div", { class: "bnviz-lines-place" }, this.svg, this.guess);
  }

  /** @param view {forward, before, highlight, guess, gamma, beta} */
  draw(view, width) {
    this.#t = this.#given.t();
    this.axis = new Axis(width);
    const height = TOP + 2 * GAP + 36;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) this.svg.setAttribute(name, value);
    this.svg.setAttribute("aria-label", this.#t("lines.label"));
    const { forward } = view;
    const rows = [["x", forward.x], ["x̂", forward.normalized], ["y", forward.y]];
    this.back.replaceChildren(
      ...this.axis.ticks(TOP - 14, TOP + 2 * GAP),
      ...rows.flatMap(([name, values], row) => this.axis.line(name, TOP + row * GAP, middle(values))),
      ...this.#falls(rows, view.highlight),
      ...rows.map(([, values], row) => this.axis.caption(this.#caption(values), TOP + row * GAP)),
      ...rows.slice(1).flatMap(([, values], row) => this.#points(values, TOP + (row + 1) * GAP, view.highlight)),
      ...this.#ghost(view),
      ...forward.x.flatMap((value) => this.axis.beyond(value, TOP)),
    );
    this.#place(forward.x, view.highlight);
  }

  #caption(values) {
    const { mean, spread } = middle(values);
    if (!Number.isFinite(spread)) return this.#t("lines.undefined");
    return this.#t("lines.middle", { mean: three(mean, spread), spread: three(spread) });
  }

  /** Each image's way from line to line. */
  #falls(rows, highlight) {
    return rows[0][1].map((_, i) => {
      const at = rows.map(([, values], row) => [this.axis.place(values[i]), TOP + row * GAP]).filter(([x]) => Number.isFinite(x));
      return s("path", { class: `bnviz-line-fall${i === highlight ? " bnviz-chosen" : ""}`, d: `M${at.map((point) => point.join(" ")).join("L")}` });
    });
  }

  /** Points with their images' numbers over them, pushed apart where they would overlap. */
  #points(values, y, highlight) {
    const drawn = values.map((value, i) => [this.axis.place(value), i]).filter(([x]) => Number.isFinite(x)).sort(([a], [b]) => a - b);
    const labels = pushApart(drawn.map(([x]) => x), this.axis);
    return drawn.flatMap(([x, i], place) => {
      const chosen = i === highlight ? " bnviz-chosen" : "";
      return [
        s("line", { class: `bnviz-line-leader${chosen}`, x1: x, x2: labels[place], y1: y, y2: y - 17 }),
        s("circle", { class: `bnviz-line-point${chosen}`, cx: x, cy: y, r: 4.5 }),
        s("text", { class: `bnviz-line-image${chosen}`, x: labels[place], y: y - 18 }, String(i + 1)),
        ...this.axis.beyond(values[i], y),
      ];
    });
  }

  /** Where the image that did not change stood at the start, and what was guessed of it. */
  #ghost({ highlight, before, guess }) {
    const said = highlight !== null && guess ? this.#t("lines.guess", { guess }) : "";
    setText(this.guess, said);
    setHidden(this.guess, !said);
    const x = highlight === null ? NaN : this.axis.place(before.normalized[highlight]);
    return Number.isFinite(x) ? [s("circle", { class: "bnviz-line-ghost", cx: x, cy: TOP + GAP, r: 8 })] : [];
  }

  /** The points that are dragged. */
  #place(values, highlight) {
    while (this.#handles.length > values.length) this.#handles.pop().element.remove();
    while (this.#handles.length < values.length) this.#grow(this.#handles.length);
    this.#handles.forEach((handle, i) => {
      const label = this.#t("lines.point", { image: i + 1 });
      handle.show(this.axis.place(values[i]), TOP, label, values[i], short(values[i]));
      handle.drawn.classList.toggle("bnviz-chosen", i === highlight);
    });
  }

  #grow(index) {
    const handle = new Handle({
      min: -END, max: END, step: 0.1, value: () => this.#given.value(index), onmove: (value) => this.#given.onmove(index, value),
      place: (value) => this.axis.place(value), at: (x) => this.axis.at(x),
    });
    handle.drawn.append(
      s("circle", { class: "bnviz-line-disc", r: DISC }),
      s("text", { class: "bnviz-line-number bnviz-line-on", y: 4 }, String(index + 1)));
    this.#handles.push(handle);
    this.front.append(handle.element);
  }
}

/** Mean of some values, and the spread around it. */
export function middle(values) {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
  return { mean, spread };
}

/** Places of labels: in the order given, none over another, none off the line. */
function pushApart(places, axis) {
  const found = [...places];
  const [left, right] = [axis.place(-END), axis.place(END)];
  for (let i = 1; i < found.length; i++) found[i] = Math.max(found[i], found[i - 1] + LABEL);
  const over = found.map((x, i) => x - places[i]);
  const shift = over.length ? over.reduce((sum, x) => sum + x, 0) / over.length : 0;
  const moved = found.map((x) => x - shift);
  const past = Math.max(0, (moved.at(-1) ?? 0) - right) - Math.max(0, left - (moved[0] ?? left));
  return moved.map((x) => x - past);
}
