// The step under the pointer of a chart over time, and what was measured there: a line and a few
// words over the figure. Nothing else on the page moves.

import { seriesKey } from "../data/series.js";
import { fill, h, setHidden } from "../lib/dom.js";
import { count, format, number } from "../lib/format.js";

const AWAY = 10; // px between the line and the words

export class PointValues {
  #frame;
  #patcher;
  #spec;
  #line = h("div", { class: "bnviz-cursor bnviz-pointer", hidden: true });
  #words = h("div", { class: "bnviz-values", hidden: true });

  /**
   * @param frame the positioned element around the figure
   * @param patcher of the figure
   * @param spec the chart's JSON
   */
  constructor(frame, patcher, spec) {
    this.#frame = frame;
    this.#patcher = patcher;
    this.#spec = spec;
    frame.append(this.#line, this.#words);
  }

  /**
   * Show what is known at a step.
   *
   * @param point {step, axis, down}: where the pointer is, and the axes of that panel
   * @param store of the run
   * @param t the page's words
   */
  show({ step, axis, down }, store, t) {
    const lines = this.#lines(axis, step, store);
    const at = axis.d2p(step) + axis._offset;
    setHidden(this.#line, false);
    this.#line.style.transform = `translateX(${at}px)`;
    this.#line.style.top = `${down._offset}px`;
    this.#line.style.height = `${down._length}px`;
    setHidden(this.#words, false);
    fill(this.#words, h("b", {}, t("chart.at_step", { step: count(step) })),
      ...lines.map(({ text, colour, value }) => h("span", { style: { color: colour } }, `${text}: ${value}`)));
    const left = at > this.#frame.clientWidth / 2;
    this.#words.style.top = `${down._offset + 2}px`;
    this.#words.style.left = left ? "" : `${at + AWAY}px`;
    this.#words.style.right = left ? `${this.#frame.clientWidth - at + AWAY}px` : "";
  }

  hide() {
    setHidden(this.#line, true);
    setHidden(this.#words, true);
  }

  /** Of each line with a name at its end in this panel, the value last measured up to the step. */
  #lines(axis, step, store) {
    const { bindings, figure } = this.#spec;
    const panels = bindings.filter(({ kind, trace }) => kind === "labels" && this.#patcher.axis(trace, "x") === axis);
    return panels.flatMap(({ trace, of }) => of.map((item, i) => {
      const { color } = figure.data[trace].textfont ?? {};
      return {
        text: item.text.trim(), colour: Array.isArray(color) ? color[i] : color,
        value: this.#written(item, valueAt(store.series.get(seriesKey(item.field, item.index, this.#patcher.selected)), step)),
      };
    })).filter(({ value }) => value !== null);
  }

  /** As the chart's table writes it. */
  #written({ field, index }, value) {
    if (value === null) return null;
    const column = this.#spec.table?.columns.find((one) => one.field === field && (one.index ?? null) === (index ?? null));
    return column ? format(value, column.format) : number(value, 3);
  }
}

/** The value of a column at the last of its steps that is not after this one; null before the first. */
export function valueAt({ steps, values }, step) {
  let [low, high] = [0, steps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (steps[middle] <= step) low = middle + 1;
    else high = middle;
  }
  return low ? values[low - 1] : null;
}
