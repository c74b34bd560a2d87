// What lies over a figure and moves without redrawing it: the time cursor, a lit row, the pointer.

import { h } from "./dom.js";

export class Overlays {
  #patcher;
  #frame;
  #cursor = h("div", { class: "bnviz-cursor", hidden: true });
  #row = h("div", { class: "bnviz-row", hidden: true });
  #cursorTraces;
  #rows;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec) {
    this.#patcher = patcher;
    this.#frame = frame;
    this.#cursorTraces = spec.bindings.filter(({ kind }) => kind === "cursor");
    this.#rows = spec.bindings.filter(({ kind }) => kind === "rows");
    frame.append(this.#cursor, this.#row);
  }

  /** Put the time cursor at a step; null takes it away. */
  showStep(step) {
    const binding = this.#cursorTraces[0];
    const axis = binding && this.#patcher.axis(binding.trace, "x");
    const down = binding && this.#patcher.axis(binding.trace, "y");
    const at = step === null || !axis ? NaN : axis.d2p(step);
    const inside = at >= 0 && at <= axis?._length;
    this.#cursor.hidden = !inside;
    if (!inside) return;
    this.#cursor.style.transform = `translateX(${axis._offset + at}px)`;
    this.#cursor.style.top = `${down._offset}px`;
    this.#cursor.style.height = `${down._length}px`;
  }

  /** The step under a pointer over a time axis, or null. */
  stepAt(event) {
    const binding = this.#cursorTraces[0];
    const axis = binding && this.#patcher.axis(binding.trace, "x");
    if (!axis) return null;
    const box = this.#frame.getBoundingClientRect();
    const at = event.clientX - box.left - axis._offset;
    if (at < -4 || at > axis._length + 4) return null;
    return Math.max(0, Math.round(axis.p2d(Math.min(Math.max(at, 0), axis._length))));
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
