// What lies over a figure and moves without redrawing it: the time cursor, the moment to look, a lit
// row, the pointer, words that point at a layer, a curve that was drawn.

import { h, setHidden } from "../lib/dom.js";
import { asksLayer } from "../lib/headline.js";
import { Callouts } from "./callouts.js";
import { DrawnCurve } from "./drawn_curve.js";
import { Nodes } from "./nodes.js";

export class Overlays {
  #patcher;
  #frame;
  #cursors;
  #row = h("div", { class: "bnviz-row", hidden: true });
  #rows;
  #callouts;
  #nodes = null;

  #spec;
  #drawing = null;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#frame = frame;
    this.#spec = spec;
    this.#cursors = spec.bindings
      .filter(({ kind }) => kind === "cursor")
      .map(({ trace }) => ({
        trace,
        line: h("div", { class: "bnviz-cursor", hidden: true }),
        look: h("div", { class: "bnviz-look", hidden: true }),
      }));
    this.#callouts = new Callouts(frame, patcher, spec);
    this.#rows = spec.bindings.filter(({ kind }) => kind === "rows");
    frame.append(...this.#cursors.flatMap(({ look, line }) => [look, line]), this.#row);
  }

  /** What points at values of the scene, and what was drawn over them. */
  draw(scene, view) {
    this.#nodes ??= new Nodes(this.#frame, this.#patcher, this.#spec, view);
    for (const part of [this.#callouts, this.#nodes]) part.draw(scene.frame, view.data.colours, asksLayer(view));
    const data = view.block?.drawing(this.#spec.name) ?? null;
    if (!data && !this.#drawing) return;
    this.#drawing ??= new DrawnCurve(this.#frame, (points) => view.script.drew(points));
    this.#drawing.update(data);
    const place = data && this.#placeFor(data, view);
    if (place) this.#drawing.draw(place);
  }

  /** The steps of the axes where a curve is drawn, [first, last]; null: none is. */
  stepsOf(view) {
    const data = view.block?.drawing(this.#spec.name);
    return data ? [0, data.last_step] : null;
  }

  /** The axes on which the values of the charted networks lie, in pixels of the frame. */
  #placeFor({ network }, view) {
    const { trace } = this.#spec.bindings.find(({ kind }) => kind === "series");
    const [across, down] = ["x", "y"].map((letter) => this.#patcher.axis(trace, letter));
    if (!across?._length || !down?._length) return null;
    return {
      x: (step) => across._offset + across.d2p(step), y: (value) => down._offset + down.d2p(value),
      value: (y) => down.p2d(y - down._offset), left: across._offset, right: across._offset + across._length,
      top: down._offset, bottom: down._offset + down._length, colour: view.data.colours[network]?.text,
    };
  }

  /** Put the time cursor at a step on every time axis; null takes it away. */
  showStep(step) {
    for (const { trace, line } of this.#cursors) this.#stand(line, trace, step);
  }

  /** The same for the moment to look. */
  showMoment(step) {
    for (const { trace, look } of this.#cursors) this.#stand(look, trace, step);
  }

  #stand(line, trace, step) {
    const axis = this.#patcher.axis(trace, "x");
    const down = this.#patcher.axis(trace, "y");
    const at = step === null || !axis ? NaN : axis.d2p(step);
    const inside = at >= 0 && at <= axis?._length;
    setHidden(line, !inside);
    if (!inside) return;
    line.style.transform = `translateX(${axis._offset + at}px)`;
    line.style.top = `${down._offset}px`;
    line.style.height = `${down._length}px`;
  }

  /** The step under a pointer over one of the time axes, and the panel's axes: {step, axis, down}, or null. */
  pointAt(event) {
    const box = this.#frame.getBoundingClientRect();
    for (const { trace } of this.#cursors) {
      const axis = this.#patcher.axis(trace, "x");
      const down = this.#patcher.axis(trace, "y");
      if (!axis) continue;
      const at = event.clientX - box.left - axis._offset;
      const y = event.clientY - box.top - down._offset;
      if (at < -4 || at > axis._length + 4 || y < 0 || y > down._length) continue;
      const step = Math.max(0, Math.round(axis.p2d(Math.min(Math.max(at, 0), axis._length))));
      return { step, axis, down };
    }
    return null;
  }

  /** Light the layer under the pointer in every column. */
  light(event) {
    for (const { axis: name, centres, half } of this.#rows) {
      const axis = this.#patcher.axisNamed(name);
      if (!axis) continue;
      const box = this.#frame.getBoundingClientRect();
      const y = axis.p2d(event.clientY - box.top - axis._offset);
      const row = centres.findIndex((centre) => Math.abs(y - centre) <= half);
      this.#row.hidden = row < 0;
      if (row < 0) continue;
      const [a, b] = [centres[row] + half, centres[row] - half].map((v) => axis.d2p(v) + axis._offset);
      this.#row.style.top = `${Math.min(a, b)}px`;
      this.#row.style.height = `${Math.abs(b - a)}px`;
    }
  }

  dim() {
    this.#row.hidden = true;
  }
}
