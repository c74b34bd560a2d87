// A curve that a learner draws over a chart as a prediction before the measured curve is shown. It has five points,
// which are moved by pointer, finger or keys.

import { h, pathOf, s, setHidden, setText } from "../lib/dom.js";
import { within } from "../lib/format.js";

const KEYS = { ArrowUp: 2, ArrowDown: -2, PageUp: 20, PageDown: -20 };
const MIDDLE = 50; // value of all points before the learner has drawn anything
const MARGIN = 18; // maximum distance in px from a point at which the pointer moves the point
const BEYOND = 12; // distance in px above and below the axes within which a point at an axis end can still be grabbed
// Tolerance, as a share of the distance between points, for the position at which a stroke comes nearest to a point
const STILL = 0.06;
const ROOMY = 90; // minimum height in px that has space for two lines of text
const CLOSE = 70; // minimum distance in px between two marks whose texts fit side by side
const NEAR = 16; // minimum distance in px between texts that do not overlap
const ABOVE = 16; // distance in px above the axes at which the text of a mark is placed

export class DrawnCurve {
  #frame;
  #onDrawn;
  #data = null;
  #points = null; // values of the points from left to right, or null if nothing has been drawn
  #sent = null; // the points that the page has not confirmed yet, as JSON
  #axes = null; // axes on which the curve was last drawn
  #hand = null; // state of the stroke: its start, its position and the point that follows it, or null
  #fill = s("path.bnviz-drawn-gap");
  #line = s("path.bnviz-drawn-line");
  #measured = s("path.bnviz-drawn-measured");
  #arrow = s("path.bnviz-drawn-arrow");
  #svg = s("svg.bnviz-drawn-svg", { "aria-hidden": "true" });
  #sheet = h("div.bnviz-drawn-sheet");
  #help = h("span.bnviz-drawn-help");
  #told = h("strong.bnviz-drawn-told");
  #yours = h("span.bnviz-drawn-yours");
  #name = h("span.bnviz-drawn-name");
  #marks = h("div.bnviz-drawn-marks");
  #handles = h("div.bnviz-drawn-handles", { role: "group" });

  /**
   * @param frame the positioned element around the figure
   * @param onDrawn called with the values of the five points when the learner has released the pointer or the key
   */
  constructor(frame, onDrawn) {
    this.#frame = frame;
    this.#onDrawn = onDrawn;
    this.#svg.append(this.#fill, this.#line, this.#measured, this.#arrow);
    this.element = h("div.bnviz-drawn", { hidden: true }, this.#svg, this.#marks, this.#sheet, this.#handles, this.#help, this.#yours, this.#name, this.#told);
    frame.append(this.element);
    this.#listen();
  }

  /** Values of the five points from left to right, or null if nothing has been drawn. */
  get points() {
    return this.#points;
  }

  /**
   * @param data see `drawing_data` in bnviz/ui/lessons, or null to hide the curve. `name`: name of this curve, if there
   * are several curves; `below`: whether the name is below the curve, because the name of another curve is above it;
   * `rests`: whether this curve cannot be moved, because another curve is being drawn
   */
  update(data) {
    this.#data = data;
    setHidden(this.element, !data);
    if (!data) {
      [this.#points, this.#sent] = [null, null];
      return;
    }
    // the frame contains points that can have the focus, so it must not be hidden from screen readers
    if (data.open) this.#frame.removeAttribute("aria-hidden");
    const confirmed = JSON.stringify(data.points);
    if (this.#sent === null || confirmed === this.#sent) {
      this.#sent = null;
      if (this.#hand === null) this.#points = data.points ? [...data.points] : null;
    }
    this.#build();
    if (this.#axes) this.draw(this.#axes);
  }

  /** Keep the present points until the page confirms them. */
  hold() {
    this.#sent = JSON.stringify(this.#points);
  }

  /** Replace the drawn points, or remove them if `points` is null. */
  reset(points) {
    this.#points = points && [...points];
    this.#hand = null;
    this.hold();
    if (this.#axes) this.draw(this.#axes);
  }

  /** Move the focus to the first point. */
  focus() {
    this.#handles.firstElementChild.focus({ preventScroll: true });
  }

  #build() {
    const { steps, open, texts, marks, below = false, rests = false } = this.#data;
    this.element.classList.toggle("bnviz-drawn-other", below);
    this.element.classList.toggle("bnviz-drawn-rests", rests);
    setText(this.#yours, texts.yours);
    setText(this.#help, texts.help);
    this.#handles.setAttribute("aria-label", texts.group);
    if (this.#handles.childElementCount !== steps.length) {
      this.#handles.replaceChildren(...steps.map((_, place) => this.#handle(place)));
    }
    this.#marks.replaceChildren(...marks.map(({ text }) => h("span", h("span", text))));
    for (const part of [this.#sheet, this.#handles]) setHidden(part, !open || rests);
  }

  #handle(place) {
    return h("span.bnviz-drawn-handle", {
      role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-valuemin": 0,
      onkeydown: (event) => this.#onKey(event, place), onkeyup: ({ key }) => key in KEYS && this.#report(),
      onblur: () => this.#report(),
    });
  }

  #onKey(event, place) {
    const { key } = event;
    const beside = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (!(key in KEYS) && !beside && key !== "Home" && key !== "End") return;
    event.preventDefault();
    event.stopPropagation();
    if (beside) {
      this.#handles.children[place + beside]?.focus();
      return;
    }
    const now = this.#values[place];
    const value = key === "Home" ? 0 : key === "End" ? this.#data.highest : now + KEYS[key];
    this.#set(place, value);
    if (!(key in KEYS)) this.#report();
  }

  get #values() {
    return this.#points ?? this.#data.steps.map(() => MIDDLE);
  }

  /** Return the positions of the points in px, relative to the frame. */
  get #places() {
    return this.#data.steps.map((step, i) => [this.#axes.x(step), this.#axes.y(this.#values[i])]);
  }

  #set(place, value) {
    const points = [...this.#values];
    points[place] = Math.round(within(value, 0, this.#data.highest));
    this.#points = points;
    if (this.#axes) this.draw(this.#axes);
  }

  /** Send the points to the page, unless it already has them. */
  #report() {
    const points = JSON.stringify(this.#points);
    if (!this.#points || points === this.#sent || (this.#sent === null && points === JSON.stringify(this.#data.points))) return;
    this.#sent = points;
    this.#onDrawn(this.#points);
  }

  #listen() {
    const sheet = this.#sheet;
    sheet.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      sheet.setPointerCapture(event.pointerId);
      this.#hand = null;
      this.#drawTo(event);
    });
    sheet.addEventListener("pointermove", (event) => this.#hand !== null && this.#drawTo(event));
    const release = () => {
      if (this.#hand === null) return;
      this.#handles.children[this.#hand.nearest].focus({ preventScroll: true });
      this.#hand = null;
      this.#report();
    };
    sheet.addEventListener("pointerup", release);
    sheet.addEventListener("pointercancel", release);
    // Stop these events here, because otherwise a time chart would pin the step at a click.
    for (const type of ["pointerdown", "pointermove", "click"]) this.element.addEventListener(type, (event) => event.stopPropagation());
  }

  /**
   * Continue a stroke to a pointer event. A point that the pointer passes gets the height at which the stroke passes
   * it. A point near the pointer follows the pointer's height. When the pointer moves on, that point gets the height at
   * which the stroke was horizontally closest to it. On a steep slope, the last height before the pointer moved on
   * could be far off.
   */
  #drawTo({ clientX, clientY }) {
    const frame = this.#frame.getBoundingClientRect();
    const x = clientX - frame.left, value = this.#axes.value(clientY - frame.top);
    const across = this.#data.steps.map((step) => this.#axes.x(step));
    const away = across.map((at) => Math.abs(at - x));
    const nearest = away.indexOf(Math.min(...away));
    const hand = (this.#hand ??= { x, value, began: x, held: nearest, away: Infinity, height: value });
    across.forEach((at, i) => {
      if ((at - hand.x) * (at - x) >= 0) return;
      const height = hand.value + ((value - hand.value) * (at - hand.x)) / (x - hand.x);
      this.#set(i, height);
      if (i === hand.held) Object.assign(hand, { away: 0, height });
    });
    Object.assign(hand, { x, value, nearest });
    // The point nearest to the position of the press follows the pointer as long as the pointer moves only up and down.
    const beside = away[nearest] <= MARGIN || (nearest === hand.held && Math.abs(x - hand.began) <= MARGIN);
    if (hand.held !== null && !(beside && nearest === hand.held)) {
      this.#set(hand.held, hand.height);
      hand.held = null;
    }
    if (!beside) return;
    if (hand.held === null) Object.assign(hand, { held: nearest, away: Infinity });
    const still = STILL * Math.min(...across.slice(1).map((at, i) => at - across[i]));
    if (away[nearest] <= hand.away + still) Object.assign(hand, { away: Math.min(hand.away, away[nearest]), height: value });
    this.#set(nearest, value);
  }

  /**
   * Draw the curve.
   *
   * @param axes {x(step), y(value), value(y), left, right, top, bottom} in pixels of the frame; `colour` of the
   * network; `measured`, [[step, value], …], if the chart itself does not draw the measured curve
   */
  draw(axes) {
    this.#axes = axes;
    const data = this.#data;
    if (!data) return;
    const points = this.#values;
    const drawn = this.#points !== null;
    const at = this.#places;
    this.element.classList.toggle("bnviz-drawn-none", !drawn);
    this.element.style.setProperty("--network", axes.colour ?? "");
    this.#line.setAttribute("d", pathOf(at));
    data.steps.forEach((step, i) => this.#placeHandle(this.#handles.children[i], i, step, points[i], at[i]));
    const sheet = { left: at[0][0] - MARGIN, top: axes.top - BEYOND, width: at.at(-1)[0] - at[0][0] + 2 * MARGIN, height: axes.bottom - axes.top + 2 * BEYOND };
    for (const [name, value] of Object.entries(sheet)) this.#sheet.style[name] = `${value}px`;
    data.marks.forEach(({ step }, i) => {
      const mark = this.#marks.children[i];
      mark.style.left = `${axes.x(step)}px`;
      const following = data.marks[i + 1];
      mark.classList.toggle("bnviz-drawn-aside", Boolean(following) && axes.x(following.step) - axes.x(step) < CLOSE);
      mark.style.top = `${axes.top - ABOVE}px`;
      mark.style.height = `${axes.bottom - axes.top + ABOVE}px`;
    });
    this.#marks.hidden = !data.marks.length;
    setHidden(this.#help, drawn || !data.open);
    this.#help.style.translate = `calc(${(at[0][0] + at.at(-1)[0]) / 2}px - 50%) ${axes.y(MIDDLE) - 34}px`;
    this.#drawGap(at, data.gap, axes);
  }

  /**
   * Place the name of a measured curve above the middle of the curve. This is needed only if the chart itself does not
   * draw the curve.
   */
  #nameCurve(name, [x, y], top) {
    setText(this.#name, name);
    this.#name.style.translate = `calc(${x}px - 50%) ${y - top > NEAR + 10 ? y - NEAR - 10 : y + 8}px`;
  }

  #placeHandle(handle, place, step, value, [x, y]) {
    const { texts, steps, highest, percent } = this.#data;
    const label = texts.point.replace("{place}", place + 1).replace("{count}", steps.length).replace("{step}", step);
    handle.setAttribute("aria-label", label);
    handle.setAttribute("aria-valuemax", highest);
    handle.setAttribute("aria-valuenow", value);
    handle.setAttribute("aria-valuetext", percent ? texts.value.replace("{value}", value) : String(value));
    handle.style.translate = `${x}px ${y}px`;
  }

  /** After the run, show the gap between the drawn and the measured curve. */
  #drawGap(at, gap, { x, y, top, bottom, left, right, measured = gap?.curve ?? null }) {
    const [endX, endY] = at.at(-1);
    const held = this.#points !== null && !this.#data.open;
    const named = Boolean(this.#data.name); // among several
    // Before the run, buttons name the curves. After the run, a single curve needs no name, because the text about the
    // gap names it.
    setHidden(this.#yours, !held || (!named && Boolean(gap)));
    setHidden(this.#told, !gap?.text);
    this.#fill.setAttribute("d", gap && measured ? `${pathOf(at)}${pathOf([...measured].reverse().map(([s, v]) => [x(s), y(v)])).replace("M", "L")}Z` : "");
    const own = gap?.charted === false ? gap.curve.map(([s, v]) => [x(s), y(v)]) : null;
    this.#measured.setAttribute("d", own ? pathOf(own) : "");
    setHidden(this.#name, !own || !gap.name);
    if (own) this.#nameCurve(gap.name, own[Math.floor(own.length / 2)], top);
    const to = gap ? y(gap.measured) : endY;
    const apart = gap && !named && Math.abs(to - endY) > 2 * NEAR;
    const arrow = endX - 14;
    const [high, low] = [Math.min(endY, to) + 6, Math.max(endY, to) - 6];
    this.#arrow.setAttribute("d", apart ? `M${arrow} ${high}V${low}M${arrow - 5} ${high + 6}L${arrow} ${high}L${arrow + 5} ${high + 6}M${arrow - 5} ${low - 6}L${arrow} ${low}L${arrow + 5} ${low - 6}` : "");
    // Put the name left of the curve's end, because line labels are at the end. If there are two curves, their names
    // are at different points, because both names may have to be below their curves near the top.
    const [beforeX, beforeY] = at.at(this.#data.below ? -3 : -2);
    const over = beforeY - top > NEAR + 10 && !this.#data.below;
    const across = this.#data.below ? `${beforeX}px` : `calc(${Math.min(right, beforeX)}px - 50%)`;
    const further = this.#data.below && at.at(-2)[0] - beforeX < CLOSE ? NEAR : 0;
    this.#yours.style.translate = `${across} ${over ? beforeY - NEAR - 10 : beforeY + 8 + further}px`;
    if (gap?.text) {
      if (this.#told.textContent !== gap.text.replaceAll("\n", "")) this.#told.replaceChildren(...gap.text.split("\n").map((line) => h("span", line)));
      // Put the text between the drawn and the measured curve if there is space, or else above or below both of them.
      const [upper, lower] = [Math.min(endY, to), Math.max(endY, to)];
      const roomy = lower - upper > ROOMY;
      const outside = upper - top > bottom - lower ? upper - ROOMY / 2 : named ? bottom - ROOMY / 2 : lower + ROOMY / 2;
      const middle = roomy ? (endY + to) / 2 : outside;
      // In a narrow chart the text starts at the left end of the plot and may extend past its right end.
      this.#told.style.setProperty("--beside", `max(${left}px, calc(${arrow - 12}px - 100%)) calc(${middle}px - 50%)`);
    }
  }
}
