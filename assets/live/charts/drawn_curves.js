// The curves that a learner draws over a chart as a prediction: one, or several. One of them is drawn at a time: a row of
// buttons above the chart chooses which, takes back the last change, and starts over.

import { h, pill, setHidden, setText } from "../lib/dom.js";
import { DrawnCurve } from "./drawn_curve.js";

export class DrawnCurves {
  #frame;
  #onDrawn;
  #data = null;
  #axes = null;
  #curves = [];
  #active = 0; // index of the curve that can be moved
  #before = []; // what undo goes back to: the points of all curves, the newest last
  #now = null; // the points of all curves after the last change
  #told = false; // whether the page has points
  #chosen = []; // a button for each curve
  #choice = h("div.bnviz-drawn-choice", { role: "group", hidden: true });
  #undo = pill("", () => this.#goBack(), { className: "bnviz-drawn-undo" });
  #again = pill("", () => this.#startOver(), { className: "bnviz-drawn-again" });
  #tools = h("div.bnviz-drawn-tools", { hidden: true }, this.#choice, h("div.bnviz-drawn-back", this.#undo, this.#again));

  /**
   * @param frame the positioned element around the figure; the buttons are put before it
   * @param onDrawn called with the values of all curves, one after the other, when each has been drawn; with none when one
   *   of them was taken back
   */
  constructor(frame, onDrawn) {
    this.#frame = frame;
    this.#onDrawn = onDrawn;
    frame.before(this.#tools);
  }

  /** @param data see `drawing_data` in bnviz/ui/lessons/prediction.py; null: hide the curves */
  update(data) {
    this.#data = data;
    while (this.#curves.length < (data?.curves.length ?? 0)) this.#curves.push(new DrawnCurve(this.#frame, () => this.#drew()));
    if (!data?.open) [this.#active, this.#before, this.#now] = [0, [], null];
    this.#updateCurves();
    if (data?.open && !this.#now) [this.#now, this.#told] = [this.#points, data.points !== null];
    this.#reveal();
  }

  /** Draw them; `axes` as `DrawnCurve.draw` has them. */
  draw(axes) {
    this.#axes = axes;
    for (const curve of this.#curves) curve.draw(axes);
    this.#reveal();
  }

  #updateCurves() {
    const data = this.#data;
    this.#curves.forEach((curve, i) => curve.update(data && this.#of(data, i)));
  }

  /** The data of one curve. What is said of all of them is at the first. */
  #of({ curves, points, gap, texts, ...data }, i) {
    const count = data.steps.length;
    const name = curves[i];
    const named = name && {
      yours: gap ? texts.yours_named.replace("{curve}", name) : name, help: texts.help_named.replace("{curve}", name), point: texts.point_named.replace("{curve}", name),
    };
    const curve = gap?.curves[i];
    return {
      ...data, name, below: i > 0, rests: data.open && i !== this.#active, texts: { ...texts, ...named },
      points: points?.slice(i * count, (i + 1) * count) ?? null,
      gap: gap && { ...gap, curve, measured: curve.at(-1)[1], text: i ? "" : gap.text },
    };
  }

  get #points() {
    return this.#curves.map(({ points }) => points);
  }

  /** Show the curves that were drawn, the one that is drawn now, and what the buttons can do. */
  #reveal() {
    const data = this.#data;
    setHidden(this.#tools, !data?.open);
    if (!data) return;
    const points = this.#points;
    this.#curves.forEach((curve, i) => setHidden(curve.element, curve.points === null && !(data.open && i === this.#active)));
    if (!data.open) return;
    const { texts } = data;
    setText(this.#undo, texts.undo);
    setText(this.#again, texts.again);
    this.#undo.disabled = !this.#before.length;
    this.#again.disabled = points.every((each) => each === null);
    setHidden(this.#choice, data.curves.length < 2);
    if (data.curves.length > 1) this.#revealChoice(data, points);
  }

  /** Name the curves; the one that comes next, once the first has been drawn, says that it is to be drawn now. */
  #revealChoice({ curves, texts }, points) {
    if (this.#chosen.length !== curves.length) {
      this.#chosen = curves.map((_, i) => pill("", () => this.#choose(i), { className: `bnviz-drawn-choose${i ? " bnviz-drawn-choose-other" : ""}` }));
      this.#choice.replaceChildren(...this.#chosen);
    }
    this.#choice.setAttribute("aria-label", texts.group);
    const next = points[this.#active] === null ? -1 : points.indexOf(null);
    this.#chosen.forEach((chosen, i) => {
      setText(chosen, i === next ? texts.now.replace("{curve}", curves[i]) : curves[i]);
      chosen.classList.toggle("bnviz-strong", i === next);
      chosen.setAttribute("aria-pressed", i === this.#active);
    });
  }

  /** Have another curve drawn. */
  #choose(i) {
    this.#active = i;
    this.#updateCurves();
    this.#redraw();
    this.#curves[i].focus();
  }

  #redraw() {
    if (this.#axes) this.draw(this.#axes);
    else this.#reveal();
  }

  #drew() {
    this.#before.push(this.#now);
    this.#now = this.#points;
    this.#tell();
    this.#redraw();
  }

  /** Take back the last change. */
  #goBack() {
    this.#replace(this.#before.pop());
    if (!this.#before.length) this.#curves[this.#active].focus(); // the button cannot be used any more
  }

  #startOver() {
    this.#before.push(this.#now);
    this.#replace(this.#curves.map(() => null));
    this.#curves[this.#active].focus();
  }

  /** Give the curves other points, and have the first one drawn that differs. */
  #replace(points) {
    this.#active = Math.max(0, points.findIndex((each, i) => String(each) !== String(this.#now[i])));
    this.#now = points;
    this.#curves.forEach((curve, i) => curve.reset(points[i]));
    this.#tell();
    this.#updateCurves();
    this.#redraw();
  }

  /** Tell the page all points, or that some are missing now. */
  #tell() {
    for (const curve of this.#curves) curve.hold();
    const points = this.#points;
    const whole = points.every((each) => each !== null);
    if (whole) this.#onDrawn(points.flat());
    else if (this.#told) this.#onDrawn([]);
    this.#told = whole;
  }
}
