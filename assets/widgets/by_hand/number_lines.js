// The widget's drawings on number lines: the values of the forward pass as points, and the gradients of the
// backward pass as arrows.

import { h, s, set, showLine } from "../../live/lib/dom.js";
import { separateLabels } from "../../live/lib/separate_labels.js";
import { within } from "../../live/lib/format.js";
import { Handle } from "../lib/controls.js";
import { lowered, short, three } from "../lib/numbers.js";
import { arrow, level, setSize, upright, words } from "../lib/svg.js";

const END = 10; // the number lines go from −10 to 10
const MARGIN = 26; // px at both ends of a line, for half a disc and for the names of the lines

/** The scale from −10 to 10 that all number lines share, so that they are aligned. */
class NumberLine {
  constructor(width) {
    this.width = width;
    this.unit = (width - 2 * MARGIN) / (2 * END);
  }

  /** Return the x of a value in px. A value beyond the line is placed at the end of the line. */
  place(value) {
    return MARGIN + (within(value, -END, END) + END) * this.unit;
  }

  /** The value at a px. */
  at(x) {
    return (x - MARGIN) / this.unit - END;
  }

  /** Return grid lines and tick labels. The grid lines reach from the first number line to the last. */
  ticks(top, bottom) {
    const values = [-10, -5, 0, 5, 10];
    return [
      ...values.map((value) => upright("bnviz-line-grid", this.place(value), top, bottom + 10)),
      ...values.map((value) => words("bnviz-line-number", this.place(value), bottom + 26, short(value))),
    ];
  }

  /** Return a caption above a line. */
  caption(text, y) {
    return words("bnviz-line-caption", this.place(END), y - 30, text);
  }

  /** Return a number line with its name, and with marks for the mean and the standard deviation of its values. */
  line(name, y, { mean, spread }) {
    const parts = [
      level("bnviz-line-axis", this.place(-END), this.place(END), y),
      words("bnviz-line-name", 2, y + 5, name),
    ];
    if (!Number.isFinite(mean) || !Number.isFinite(spread)) return parts;
    const [left, right] = [this.place(mean - spread), this.place(mean + spread)];
    parts.push(s("rect.bnviz-line-spread", { x: left, width: Math.max(0, right - left), y: y - 7, height: 14, rx: 3 }));
    if (Math.abs(mean) <= END) parts.push(upright("bnviz-line-mean", this.place(mean), y - 10, y + 10));
    return parts;
  }

  /** Return the mark for a value beyond the line: an arrow at the line's end, and the value as a number. */
  beyond(value, y) {
    if (!(Math.abs(value) > END)) return [];
    const [x, side] = [this.place(value), Math.sign(value)];
    return [
      s("path.bnviz-line-beyond", { d: `M${x + side * 13} ${y - 5}l${side * 7} 5l${-side * 7} 5z` }),
      s("text.bnviz-line-number", { x: x - side * 2, y: y + 24, "text-anchor": side > 0 ? "end" : "start" }, short(Number(value.toPrecision(6)))),
    ];
  }
}

/** Return the mean and the standard deviation of values. */
function middle(values) {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const spread = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2 / values.length, 0));
  return { mean, spread };
}

/** Drawing on number lines, with handles that move either the inputs or the gradients. */
class DraggedLines {
  #handles = [];

  /** @param hand the widget *by hand* @param kind what the handles move: "x" or "g" */
  constructor(hand, kind) {
    this.hand = hand;
    this.kind = kind;
    this.back = s("g", { "aria-hidden": "true" });
    this.front = s("g");
    this.svg = s("svg.bnviz-lines", { role: "group" }, this.back, this.front);
    this.element = h("div.bnviz-lines-place", this.svg);
  }

  begin(label, width, height) {
    this.axis = new NumberLine(width);
    setSize(this.svg, width, height);
    set(this.svg, { "aria-label": label });
  }

  /**
   * Return the handles, one per value. @param make function that takes an index and returns a new handle from
   * `handleOf`
   */
  handles(make) {
    const handles = this.#handles;
    const { length } = this.hand.values[this.kind];
    while (handles.length > length) handles.pop().element.remove();
    while (handles.length < length) {
      handles.push(make(handles.length));
      this.front.append(handles.at(-1).element);
    }
    return handles;
  }

  /**
   * Return the handle of a value. @param given options of `Handle`, except the step and the callbacks for the value,
   * which are set here
   */
  handleOf(index, given) {
    const { hand, kind } = this;
    return new Handle({
      step: 0.1, value: () => hand.values[kind][index], onmove: (value) => hand.change(() => (hand.values[kind][index] = value)), ...given,
    });
  }
}

const [TOP, GAP] = [64, 88]; // px; y of the first line, and distance between two lines
const DISC = 10; // radius in px of the disc by which a point is dragged
const RAISED = 21; // distance in px from a line up to the centres of its discs
const REACH = 22; // distance in px from a disc's centre within which a press counts as a hit
const LABEL = 17; // minimum px between the centres of two labels
const APART = 2 * DISC + 4; // minimum px between the centres of two discs

/**
 * Three number lines, one below another: x, x̂ and y. Each point is labelled with the number of its image, and a thin
 * line connects the points of an image. The points of the first line can be dragged.
 */
export class ValueLines extends DraggedLines {
  constructor(hand) {
    super(hand, "x");
    this.guess = h("p.bnviz-line-guess", { style: { top: `${TOP + GAP + 11}px` } });
    this.element.append(this.guess);
  }

  /**
   * @param view {forward, before: forward pass of the start values, highlight: index of the tracked image or null,
   * guess: the reader's guess of the x̂ of that image or null}
   */
  draw(view, width) {
    this.begin(this.hand.t("lines.label"), width, TOP + 2 * GAP + 36);
    const { forward } = view;
    const rows = [["x", forward.x], ["x̂", forward.normalized], ["y", forward.y]];
    this.back.replaceChildren(
      ...this.axis.ticks(TOP - RAISED - DISC, TOP + 2 * GAP),
      ...rows.flatMap(([name, values], row) => this.axis.line(name, TOP + row * GAP, middle(values))),
      ...this.#falls(rows, view.highlight),
      ...rows.map(([, values], row) => this.axis.caption(this.#caption(values), TOP + row * GAP - (row ? 0 : RAISED - DISC))),
      ...rows.flatMap(([, values], row) => this.#points(values, row, view.highlight)),
      ...this.#target(forward),
      ...this.#ghost(view),
    );
    this.#place(forward.x, view.highlight);
  }

  #caption(values) {
    const { mean, spread } = middle(values);
    if (!Number.isFinite(spread)) return this.hand.t("lines.undefined");
    return this.hand.t("lines.middle", { mean: three(mean, spread), spread: three(spread) });
  }

  /** Return the lines that connect the points of each image. */
  #falls(rows, highlight) {
    return rows[0][1].map((_, i) => {
      const at = rows.map(([, values], row) => [this.axis.place(values[i]), TOP + row * GAP]).filter(([x]) => Number.isFinite(x));
      return s("path", { class: `bnviz-line-fall${i === highlight ? " bnviz-chosen" : ""}`, d: `M${at.map((point) => point.join(" ")).join("L")}` });
    });
  }

  /**
   * Return the points from left to right, with the position of each label: [{i, x, label}, …], where x and label are in
   * px.
   */
  #labelled(values, gap) {
    const drawn = values.map((value, i) => ({ i, x: this.axis.place(value) })).filter(({ x }) => Number.isFinite(x)).sort((a, b) => a.x - b.x);
    const labels = separateLabels(drawn.map(({ x }) => x), gap, this.axis.place(-END), this.axis.place(END));
    return drawn.map((point, place) => ({ ...point, label: labels[place] }));
  }

  /**
   * Return the points of a line, labelled with the numbers of their images. On the first line, the handles show the
   * numbers.
   */
  #points(values, row, highlight) {
    const y = TOP + row * GAP;
    return this.#labelled(values, row ? LABEL : APART).flatMap(({ i, x, label }) => {
      const chosen = i === highlight ? " bnviz-chosen" : "";
      return [
        s("line", { class: `bnviz-line-leader${chosen}`, x1: x, x2: label, y1: y, y2: y - (row ? 17 : RAISED) }),
        s("circle", { class: `bnviz-line-point${chosen}`, cx: x, cy: y, r: 4.5 }),
        row ? words(`bnviz-line-image${chosen}`, label, y - 18, String(i + 1)) : null,
        ...this.axis.beyond(values[i], y),
      ].filter(Boolean);
    });
  }

  /** Return a ring at the target value of the reader's task until the reader has moved the point to it. */
  #target(forward) {
    const { task } = this.hand.data;
    if (!task || forward.x[task.point] === task.value) return [];
    return [s("circle.bnviz-line-target", { cx: this.axis.place(task.value), cy: TOP - RAISED, r: DISC })];
  }

  /**
   * Return a mark at the tracked image's initial x̂, and show the reader's guess. If the image has been removed, return
   * nothing.
   */
  #ghost({ highlight, before, guess, forward }) {
    if (highlight >= forward.x.length) highlight = null;
    showLine(this.guess, highlight !== null && guess ? this.hand.t("lines.guess", { guess }) : "");
    const x = highlight === null ? NaN : this.axis.place(before.normalized[highlight]);
    return Number.isFinite(x) ? [s("circle.bnviz-line-ghost", { cx: x, cy: TOP + GAP, r: 8 })] : [];
  }

  /** Place the handles on the points of the first line. */
  #place(values, highlight) {
    const handles = this.handles((index) => this.#disc(index));
    const points = this.#labelled(values, APART);
    points.forEach(({ i, label }, place) => {
      const handle = handles[i];
      handle.show(label, TOP - RAISED, this.hand.t("lines.point", { image: i + 1 }), values[i], short(values[i]));
      // Two handles that are close together share the space between them.
      const half = (other) => (other ? Math.min(REACH, Math.abs(other.label - label) / 2) : REACH);
      const [left, right] = [half(points[place - 1]), half(points[place + 1])];
      handle.reach(-left, left + right);
      handle.drawn.classList.toggle("bnviz-chosen", i === highlight);
    });
  }

  #disc(index) {
    const handle = this.handleOf(index, { min: -END, max: END, place: (value) => this.axis.place(value), at: (x) => this.axis.at(x) });
    handle.drawn.append(
      s("circle.bnviz-line-disc", { r: DISC }),
      s("text.bnviz-line-number.bnviz-line-on", { y: 4 }, String(index + 1)));
    return handle;
  }
}

const INPUTS_TOP = 40; // px; y of the number line of the inputs
const LANE = matchMedia("(pointer: coarse)").matches ? 44 : 28; // height in px of the lane for each image's arrow
const BETWEEN = 58; // px from the lowest arrow of the inputs to the line of the outputs
const UNIT = 2; // length of the arrow for a gradient of 1, in units of the number line
const MOST = 3; // largest gradient that can be set by dragging; larger values can be typed
const TIP = 7; // radius in px of the disc by which an arrow is dragged

/**
 * Gradients as arrows. At the outputs, the gradients of the loss are arrows that can be dragged by their tips. At the
 * inputs, a thin arrow shows ∂ℓ/∂x without the paths through the mean and the variance, and a thick arrow shows ∂ℓ/∂x
 * with them.
 */
export class GradientLines extends DraggedLines {
  constructor(hand) {
    super(hand, "g");
  }

  /** @param view {forward, backward, g, shown: whether ∂ℓ/∂x has been revealed} */
  draw({ forward, backward, g, shown }, width) {
    const { t } = this.hand;
    this.from = forward.y.map((value) => (Number.isFinite(value) ? value : 0)); // where the arrows begin
    const second = INPUTS_TOP + forward.x.length * LANE + BETWEEN;
    const height = second + forward.x.length * LANE + 36;
    this.begin(t("arrows.label"), width, height);
    const lane = (top, i) => top + 12 + (i + 0.5) * LANE;
    this.back.replaceChildren(
      ...this.axis.ticks(INPUTS_TOP - 8, height - 32),
      ...this.axis.line("x", INPUTS_TOP, middle(forward.x)),
      this.axis.caption(t("arrows.inputs"), INPUTS_TOP),
      ...this.axis.line("y", second, middle(forward.y)),
      this.axis.caption(t("arrows.outputs"), second),
      ...forward.x.flatMap((x, i) => this.#lane(x, INPUTS_TOP, lane(INPUTS_TOP, i), i, "∂x", shown ? [backward.direct[i], backward.x[i]] : [])),
      ...forward.y.flatMap((y, i) => this.#lane(y, second, lane(second, i), i, "g", [null, g[i]], TIP)),
    );
    this.#place(g, (i) => lane(second, i), t);
  }

  /**
   * Return a point on its line and, below the point, the arrows that start there.
   * @param tip px by which an arrow is shortened, to leave room for the disc at its tip
   */
  #lane(value, top, y, i, name, [thin = null, thick = null], tip = 0) {
    const x = this.axis.place(value);
    if (!Number.isFinite(x)) return [];
    const path = (length, css) => {
      if (length === null || !Number.isFinite(length)) return null;
      const [end, way] = [this.axis.place(value + UNIT * length), Math.sign(length)];
      return (end - x) * way <= tip ? null : s("path", { class: css, d: arrow(x, end - way * tip, y) });
    };
    return [
      upright("bnviz-line-leader", x, top, y),
      s("circle.bnviz-line-point", { cx: x, cy: top, r: 4.5 }),
      words("bnviz-line-image", 12, y + 4, `${name}${lowered(i + 1)}`),
      path(thin, "bnviz-arrow bnviz-arrow-direct"), path(thick, "bnviz-arrow"),
      s("circle.bnviz-line-point", { cx: x, cy: y, r: 3 }),
      ...this.axis.beyond(value, top),
    ].filter(Boolean);
  }

  /** Put the handles at the tips of the outputs' arrows. */
  #place(g, lane, t) {
    this.handles((index) => this.#tip(index)).forEach((handle, i) => {
      const x = this.axis.place(this.from[i] + UNIT * g[i]);
      handle.show(x, lane(i), t("arrows.arrow", { image: i + 1 }), g[i], three(g[i]));
    });
  }

  #tip(index) {
    const handle = this.handleOf(index, {
      min: -MOST, max: MOST,
      place: (value) => this.axis.place(this.from[index] + UNIT * value), at: (x) => (this.axis.at(x) - this.from[index]) / UNIT,
    });
    set(handle.hit, { y: -LANE / 2, height: LANE });
    handle.drawn.append(s("circle.bnviz-arrow-tip", { r: TIP }));
    return handle;
  }
}
