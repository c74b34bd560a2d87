// Three number lines, one under the other on one scale: what comes in, what is normalized, what goes
// out. Over each point stands its image's number; those of the first line are what is dragged. A thin
// line follows each image down.

import { h, setHidden, setText } from "../../live/lib/dom.js";
import { Handle } from "../lib/handle.js";
import { short, three } from "../lib/numbers.js";
import { s } from "../lib/svg.js";
import { Axis, END } from "./axis.js";

const TOP = 64;
const GAP = 88;
const DISC = 10;
const RAISED = 21; // of a disc's centre over its line
const REACH = 22; // half of what a finger has to take hold of
const LABEL = 17; // between the centres of two labels that would overlap
const APART = 2 * DISC + 4; // and of two discs

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
      ...this.axis.ticks(TOP - RAISED - DISC, TOP + 2 * GAP),
      ...rows.flatMap(([name, values], row) => this.axis.line(name, TOP + row * GAP, middle(values))),
      ...this.#falls(rows, view.highlight),
      ...rows.map(([, values], row) => this.axis.caption(this.#caption(values), TOP + row * GAP - (row ? 0 : RAISED - DISC))),
      ...rows.flatMap(([, values], row) => this.#points(values, row, view.highlight)),
      ...this.#ghost(view),
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

  /** Points from left to right, and where their images' numbers stand over them: [{i, x, label}, …]. */
  #labelled(values, gap) {
    const drawn = values.map((value, i) => ({ i, x: this.axis.place(value) })).filter(({ x }) => Number.isFinite(x)).sort((a, b) => a.x - b.x);
    const labels = pushApart(drawn.map(({ x }) => x), gap, this.axis);
    return drawn.map((point, place) => ({ ...point, label: labels[place] }));
  }

  /** Points of a line with their images' numbers over them; on the first line these are the handles. */
  #points(values, row, highlight) {
    const y = TOP + row * GAP;
    return this.#labelled(values, row ? LABEL : APART).flatMap(({ i, x, label }) => {
      const chosen = i === highlight ? " bnviz-chosen" : "";
      return [
        s("line", { class: `bnviz-line-leader${chosen}`, x1: x, x2: label, y1: y, y2: y - (row ? 17 : RAISED) }),
        s("circle", { class: `bnviz-line-point${chosen}`, cx: x, cy: y, r: 4.5 }),
        row ? s("text", { class: `bnviz-line-image${chosen}`, x: label, y: y - 18 }, String(i + 1)) : null,
        ...this.axis.beyond(values[i], y),
      ].filter(Boolean);
    });
  }

  /** Where the image that did not change stood at the start, and what was guessed of it; nothing once it is taken away. */
  #ghost({ highlight, before, guess, forward }) {
    if (highlight >= forward.x.length) highlight = null;
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
    const points = this.#labelled(values, APART);
    points.forEach(({ i, label }, place) => {
      const handle = this.#handles[i];
      handle.show(label, TOP - RAISED, this.#t("lines.point", { image: i + 1 }), values[i], short(values[i]));
      // Of two that stand close together each has its own half of the room between them.
      const half = (other) => (other ? Math.min(REACH, Math.abs(other.label - label) / 2) : REACH);
      const [left, right] = [half(points[place - 1]), half(points[place + 1])];
      handle.reach(-left, left + right);
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

/** Places of labels: in the order given, `gap` apart at least, none off the line; those that met lie around their points. */
function pushApart(places, gap, axis) {
  const [left, right] = [axis.place(-END), axis.place(END)];
  const groups = []; // {sum of the points' places, count}
  const first = ({ sum, count }) => Math.min(Math.max(sum / count - (gap * (count - 1)) / 2, left), right - gap * (count - 1));
  for (const place of places) {
    groups.push({ sum: place, count: 1 });
    while (groups.length > 1 && first(groups.at(-1)) < first(groups.at(-2)) + gap * groups.at(-2).count) {
      const { sum, count } = groups.pop();
      groups.at(-1).sum += sum;
      groups.at(-1).count += count;
    }
  }
  return groups.flatMap((group) => Array.from({ length: group.count }, (_, i) => first(group) + i * gap));
}
