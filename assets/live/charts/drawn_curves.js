// Curves that a learner draws over a chart as a prediction. There is one curve, or there are several that are drawn one
// after another. Buttons above the chart choose the curve, undo the last change and start over.

import { h, pill, setHidden, setText } from "../lib/dom.js";
import { DrawnCurve } from "./drawn_curve.js";

export class DrawnCurves {
  #frame;
  #onDrawn;
  #data = null;
  #axes = null;
  #curves = [];
  #active = 0; // index of the curve that can be moved
  #before = []; // undo stack: earlier points of all curves, newest last
  #now = null; // the points of all curves after the last change
  #told = false; // whether the points of all curves were sent to the page
  #chosen = []; // one button per curve
  #choice = h("div.bnviz-drawn-choice", { role: "group", hidden: true });
  #undo = pill("", () => this.#goBack(), { className: "bnviz-drawn-undo" });
  #again = pill("", () => this.#startOver(), { className: "bnviz-drawn-again" });
  #tools = h("div.bnviz-drawn-tools", { hidden: true }, this.#choice, h("div.bnviz-drawn-back", this.#undo, this.#again));

  /**
   * @param frame the positioned element around the figure; the buttons are inserted before it
   * @param onDrawn called with the values of all curves in one array as soon as every curve is drawn, or with an empty
   * array if a drawn curve has been removed again
   */
  constructor(frame, onDrawn) {
    this.#frame = frame;
    this.#onDrawn = onDrawn;
    frame.before(this.#tools);
  }

  /**
   * Update the curves after a rerun of the script. @param data see `drawing_data` in bnviz/ui/lessons/prediction.py, or
   * null to hide the curves
   */
  update(data) {
    this.#data = data;
    while (this.#curves.length < (data?.curves.length ?? 0)) this.#curves.push(new DrawnCurve(this.#frame, () => this.#drew()));
    if (!data?.open) [this.#active, this.#before, this.#now] = [0, [], null];
    this.#updateCurves();
    if (data?.open && !this.#now) [this.#now, this.#told] = [this.#points, data.points !== null];
    this.#reveal();
  }

  /** Draw all curves. The parameter `axes` is described at `DrawnCurve.draw`. */
  draw(axes) {
    this.#axes = axes;
    for (const curve of this.#curves) curve.draw(axes);
    this.#reveal();
  }

  #updateCurves() {
    const data = this.#data;
    this.#curves.forEach((curve, i) => curve.update(data && this.#of(data, i)));
  }

  /** Return the data of one curve. Only the first curve gets the text about the gap. */
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

  /** Show the drawn curves, the curve being drawn, and the state of the buttons. */
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

  /**
   * Label the button of each curve with the curve's name. After the first curve has been drawn, the button of the next
   * curve says that this curve is to be drawn now.
   */
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

  /** Switch to another curve. */
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

  /** Undo the last change. */
  #goBack() {
    this.#replace(this.#before.pop());
    if (!this.#before.length) this.#curves[this.#active].focus(); // because the undo button can no longer be used
  }

  #startOver() {
    this.#before.push(this.#now);
    this.#replace(this.#curves.map(() => null));
    this.#curves[this.#active].focus();
  }

  /** Replace the points of all curves, and activate the first curve whose points differ. */
  #replace(points) {
    this.#active = Math.max(0, points.findIndex((each, i) => String(each) !== String(this.#now[i])));
    this.#now = points;
    this.#curves.forEach((curve, i) => curve.reset(points[i]));
    this.#tell();
    this.#updateCurves();
    this.#redraw();
  }

  /** Send the points of all curves to the page, or an empty array if a curve is now missing. */
  #tell() {
    for (const curve of this.#curves) curve.hold();
    const points = this.#points;
    const whole = points.every((each) => each !== null);
    if (whole) this.#onDrawn(points.flat());
    else if (this.#told) this.#onDrawn([]);
    this.#told = whole;
  }
}
