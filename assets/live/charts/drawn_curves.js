// The curves that a learner draws over a chart as a prediction: one, or several that are drawn one after the other.
// A press moves the next one that has not been drawn; once all have, the nearest.

import { setHidden } from "../lib/dom.js";
import { DrawnCurve } from "./drawn_curve.js";

export class DrawnCurves {
  #frame;
  #onDrawn;
  #data = null;
  #axes = null;
  #curves = [];

  /**
   * @param frame the positioned element around the figure
   * @param onDrawn called with the values of all curves, one after the other, when each has been drawn
   */
  constructor(frame, onDrawn) {
    this.#frame = frame;
    this.#onDrawn = onDrawn;
  }

  /** @param data see `drawing_data` in bnviz/ui/lessons/prediction.py; null: hide the curves */
  update(data) {
    this.#data = data;
    while (this.#curves.length < (data?.curves.length ?? 0)) {
      this.#curves.push(new DrawnCurve(this.#frame, () => this.#drew(), (event) => this.#taken(event)));
    }
    this.#curves.forEach((curve, i) => curve.update(data && i < data.curves.length ? this.#of(data, i) : null));
    this.#reveal();
  }

  /** Draw them; `axes` as `DrawnCurve.draw` has them. */
  draw(axes) {
    this.#axes = axes;
    for (const curve of this.#curves) curve.draw(axes);
    this.#reveal();
  }

  /** The data of one curve. What is told of all of them stands at the first. */
  #of({ curves, points, gap, texts, ...data }, i) {
    const count = data.steps.length;
    const name = curves[i];
    const named = name && {
      yours: name, help: texts.help_named.replace("{curve}", name), point: texts.point_named.replace("{curve}", name),
    };
    const curve = gap?.curves[i];
    return {
      ...data, name, below: i > 0, texts: { ...texts, ...named }, points: points?.slice(i * count, (i + 1) * count) ?? null,
      gap: gap && { ...gap, curve, measured: curve.at(-1)[1], text: i ? "" : gap.text },
    };
  }

  get #shown() {
    return this.#curves.slice(0, this.#data?.curves.length ?? 0);
  }

  /** Show those that were drawn, and the next one. */
  #reveal() {
    let next = true;
    for (const curve of this.#shown) {
      setHidden(curve.element, !next && curve.points === null);
      next &&= curve.points !== null;
    }
  }

  #drew() {
    const points = this.#shown.map((curve) => curve.points);
    if (points.every((each) => each !== null)) this.#onDrawn(points.flat());
    else if (this.#axes) this.draw(this.#axes);
  }

  /** The curve that a press moves. */
  #taken(event) {
    const next = this.#shown.find(({ points }) => points === null);
    return next ?? this.#shown.reduce((near, curve) => (curve.away(event) < near.away(event) ? curve : near));
  }
}
