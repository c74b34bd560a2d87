// A curve that a learner draws over a chart before the run, and then sees the run drawn over it: five
// points, set by pointer, finger or keys. What was drawn is said when the hand lets go.

import { h, setHidden, setText } from "../lib/dom.js";

const KEYS = { ArrowUp: 2, ArrowDown: -2, PageUp: 20, PageDown: -20 };
const MIDDLE = 50; // where the points stand before anything was drawn
const MARGIN = 18; // px around the points within which a pointer draws
const BEYOND = 12; // px over and under the axes: a point at their end is taken hold of there
const STILL = 0.06; // of the way to the next point: so far a hand may stray and still be as near as it was
const ROOMY = 90; // px in which two lines of words have room
const CLOSE = 70; // px between two marks whose words have no room side by side
const NEAR = 16; // px between two words that would lie over each other
const ABOVE = 16; // px for the words of a mark, over the axes
const SVG = "http://www.w3.org/2000/svg";

/** An element of an SVG figure, with a class. */
function shape(name, className) {
  const element = document.createElementNS(SVG, name);
  element.setAttribute("class", className);
  return element;
}

export class DrawnCurve {
  #frame;
  #tell;
  #data = null;
  #points = null; // from left to right; null: nothing was drawn
  #sent = null; // as JSON, until the page has heard it
  #place = null;
  #hand = null; // the pointer that draws: where it began and is, and the point that follows it
  #fill = shape("path", "bnviz-drawn-gap");
  #line = shape("path", "bnviz-drawn-line");
  #measured = shape("path", "bnviz-drawn-measured");
  #arrow = shape("path", "bnviz-drawn-arrow");
  #svg = shape("svg", "bnviz-drawn-svg");
  #sheet = h("div", { class: "bnviz-drawn-sheet" });
  #help = h("span", { class: "bnviz-drawn-help" });
  #told = h("strong", { class: "bnviz-drawn-told" });
  #yours = h("span", { class: "bnviz-drawn-yours" });
  #name = h("span", { class: "bnviz-drawn-name" });
  #marks = h("div", { class: "bnviz-drawn-marks" });
  #handles = h("div", { class: "bnviz-drawn-handles", role: "group" });

  /**
   * @param frame the positioned element around the figure
   * @param tell called with the five values when the hand lets go
   */
  constructor(frame, tell) {
    this.#frame = frame;
    this.#tell = tell;
    this.#svg.append(this.#fill, this.#line, this.#measured, this.#arrow);
    this.element = h("div", { class: "bnviz-drawn", hidden: true }, this.#svg, this.#marks, this.#sheet, this.#handles, this.#help, this.#yours, this.#name, this.#told);
    this.#svg.setAttribute("aria-hidden", "true");
    frame.append(this.element);
    this.#listen();
  }

  /** @param data see `drawing_data` in bnviz/ui/lessons/prediction.py; null: nothing is drawn here */
  update(data) {
    this.#data = data;
    setHidden(this.element, !data);
    if (!data) return;
    if (data.open) this.#frame.removeAttribute("aria-hidden"); // the points are for keys as well
    const said = JSON.stringify(data.points);
    if (this.#sent === null || said === this.#sent) {
      this.#sent = null;
      if (this.#hand === null) this.#points = data.points ? [...data.points] : null;
    }
    this.#build();
    if (this.#place) this.draw(this.#place);
  }

  #build() {
    const { steps, open, texts, marks } = this.#data;
    setText(this.#yours, texts.yours);
    setText(this.#help, texts.help);
    this.#handles.setAttribute("aria-label", texts.group);
    if (this.#handles.childElementCount !== steps.length) {
      this.#handles.replaceChildren(...steps.map((_, place) => this.#handle(place)));
    }
    this.#marks.replaceChildren(...marks.map(({ text }) => h("span", {}, h("span", {}, text))));
    for (const part of [this.#sheet, this.#handles]) setHidden(part, !open);
  }

  #handle(place) {
    return h("span", {
      class: "bnviz-drawn-handle", role: "slider", tabindex: 0, "aria-orientation": "vertical", "aria-valuemin": 0,
      onkeydown: (event) => this.#key(event, place), onkeyup: ({ key }) => key in KEYS && this.#say(),
      onblur: () => this.#say(),
    });
  }

  #key(event, place) {
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
    if (!(key in KEYS)) this.#say();
  }

  get #values() {
    return this.#points ?? this.#data.steps.map(() => MIDDLE);
  }

  #set(place, value) {
    const points = [...this.#values];
    points[place] = Math.round(Math.min(this.#data.highest, Math.max(0, value)));
    this.#points = points;
    if (this.#place) this.draw(this.#place);
  }

  /** Tell the page, unless it knows. */
  #say() {
    const said = JSON.stringify(this.#points);
    if (!this.#points || said === this.#sent || (this.#sent === null && said === JSON.stringify(this.#data.points))) return;
    this.#sent = said;
    this.#tell(this.#points);
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
    const lift = () => {
      if (this.#hand === null) return;
      this.#handles.children[this.#hand.nearest].focus({ preventScroll: true });
      this.#hand = null;
      this.#say();
    };
    sheet.addEventListener("pointerup", lift);
    sheet.addEventListener("pointercancel", lift);
    // A chart over time takes what is done over it for a wish to go back; here it is drawn upon.
    for (const type of ["pointerdown", "pointermove", "click"]) this.element.addEventListener(type, (event) => event.stopPropagation());
  }

  /**
   * A stroke: each point that the hand passes gets the height at which it was passed, and the one beside
   * the hand follows it. When the hand leaves a point, it keeps the height at which the hand was nearest:
   * on the way down a steep slope the last one beside it would be far too low.
   */
  #drawTo({ clientX, clientY }) {
    const frame = this.#frame.getBoundingClientRect();
    const x = clientX - frame.left, value = this.#place.value(clientY - frame.top);
    const across = this.#data.steps.map((step) => this.#place.x(step));
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
    // What is pressed follows wherever it was pressed, as long as the hand goes up and down.
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
   * Draw it where the axes are now.
   *
   * @param place {x(step), y(value), value(y), left, right, top, bottom}: pixels within the frame;
   *   `colour` of the network, `measured` [[step, value], …] where the chart itself draws no such curve
   */
  draw(place) {
    this.#place = place;
    const data = this.#data;
    if (!data) return;
    const points = this.#values;
    const drawn = this.#points !== null;
    const at = data.steps.map((step, i) => [place.x(step), place.y(points[i])]);
    this.element.classList.toggle("bnviz-drawn-none", !drawn);
    this.element.style.setProperty("--network", place.colour ?? "");
    this.#line.setAttribute("d", path(at));
    data.steps.forEach((step, i) => this.#placeHandle(this.#handles.children[i], i, step, points[i], at[i]));
    const sheet = { left: at[0][0] - MARGIN, top: place.top - BEYOND, width: at.at(-1)[0] - at[0][0] + 2 * MARGIN, height: place.bottom - place.top + 2 * BEYOND };
    for (const [name, value] of Object.entries(sheet)) this.#sheet.style[name] = `${value}px`;
    data.marks.forEach(({ step }, i) => {
      const mark = this.#marks.children[i];
      mark.style.left = `${place.x(step)}px`;
      const following = data.marks[i + 1];
      mark.classList.toggle("bnviz-drawn-aside", Boolean(following) && place.x(following.step) - place.x(step) < CLOSE);
      mark.style.top = `${place.top - ABOVE}px`;
      mark.style.height = `${place.bottom - place.top + ABOVE}px`;
    });
    this.#marks.hidden = !data.open;
    setHidden(this.#help, drawn || !data.open);
    this.#help.style.translate = `calc(${(at[0][0] + at.at(-1)[0]) / 2}px - 50%) ${place.y(MIDDLE) - 34}px`;
    this.#drawGap(at, data.gap, place);
  }

  /** What a measured curve is called that the chart itself does not have: over its middle. */
  #nameCurve(name, [x, y], top) {
    setText(this.#name, name);
    this.#name.style.translate = `calc(${x}px - 50%) ${y - top > NEAR + 10 ? y - NEAR - 10 : y + 8}px`;
  }

  #placeHandle(handle, place, step, value, [x, y]) {
    const { texts, steps, highest, percent } = this.#data;
    const says = texts.point.replace("{place}", place + 1).replace("{count}", steps.length).replace("{step}", step);
    handle.setAttribute("aria-label", says);
    handle.setAttribute("aria-valuemax", highest);
    handle.setAttribute("aria-valuenow", value);
    handle.setAttribute("aria-valuetext", percent ? texts.value.replace("{value}", value) : String(value));
    handle.style.translate = `${x}px ${y}px`;
  }

  /** At the end, how far apart what was drawn and what was measured are. */
  #drawGap(at, gap, { x, y, top, bottom, right, measured = gap?.curve ?? null }) {
    const [endX, endY] = at.at(-1);
    const held = this.#points !== null && !this.#data.open;
    setHidden(this.#yours, !held || Boolean(gap)); // the gap says whose it is
    setHidden(this.#told, !gap);
    this.#fill.setAttribute("d", gap && measured ? `${path(at)}${path([...measured].reverse().map(([s, v]) => [x(s), y(v)])).replace("M", "L")}Z` : "");
    const own = gap?.charted === false ? gap.curve.map(([s, v]) => [x(s), y(v)]) : null;
    this.#measured.setAttribute("d", own ? path(own) : "");
    setHidden(this.#name, !own || !gap.name);
    if (own) this.#nameCurve(gap.name, own[Math.floor(own.length / 2)], top);
    const to = gap ? y(gap.measured) : endY;
    const apart = gap && Math.abs(to - endY) > 2 * NEAR;
    const arrow = endX - 14;
    const [high, low] = [Math.min(endY, to) + 6, Math.max(endY, to) - 6];
    this.#arrow.setAttribute("d", apart ? `M${arrow} ${high}V${low}M${arrow - 5} ${high + 6}L${arrow} ${high}L${arrow + 5} ${high + 6}M${arrow - 5} ${low - 6}L${arrow} ${low}L${arrow + 5} ${low - 6}` : "");
    // Before the end, where the names of lines stand.
    const [beforeX, beforeY] = at.at(-2);
    this.#yours.style.translate = `calc(${Math.min(right, beforeX)}px - 50%) ${beforeY - top > NEAR + 10 ? beforeY - NEAR - 10 : beforeY + 8}px`;
    if (gap) {
      if (this.#told.textContent !== gap.text.replaceAll("\n", "")) this.#told.replaceChildren(...gap.text.split("\n").map((line) => h("span", {}, line)));
      // Between the two where there is room, or else away from both.
      const [upper, lower] = [Math.min(endY, to), Math.max(endY, to)];
      const roomy = lower - upper > ROOMY;
      const middle = roomy ? (endY + to) / 2 : upper - top > bottom - lower ? upper - ROOMY / 2 : lower + ROOMY / 2;
      this.#told.style.translate = `calc(${arrow - 12}px - 100%) calc(${middle}px - 50%)`;
    }
  }
}

function path(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}
