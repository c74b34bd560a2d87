// The pointer over a time chart. The chart shows the values measured at the step under the pointer, and a click pins
// the whole page to that step.

import { seriesKey } from "../data/time_series.js";
import { fill, h, setHidden } from "../lib/dom.js";
import { count, format, formatNumber } from "../lib/format.js";
import { labelled } from "../lib/joining.js";
import { putLine } from "./overlays.js";

const CLICK = 4; // maximum distance in px by which a pointer may move during a click
const AWAY = 10; // distance in px between the line at the pointer and the values

/**
 * Listen to the pointer over a figure.
 * @param element element around the figure
 * @param pointAt returns {step, …} for a pointer event, or null if the pointer is not over a time axis
 * @param pointTo called with each event for which values are to be shown, or with null to hide the values
 * @param view the live view; a click pins its `time` to a step
 */
export function listenForSteps(element, pointAt, pointTo, view) {
  let pressed = null; // the last pointerdown event
  let before = null; // the step that was pinned before the last click, needed if that click becomes a double click
  element.addEventListener("pointermove", (event) => {
    // Show no values during a zoom, or under a finger, because moving a finger scrolls the page.
    pointTo(event.buttons || event.pointerType === "touch" ? null : event);
  });
  element.addEventListener("pointerleave", () => pointTo(null));
  // Plotly moves the end of a press to another element, so press and click are handled separately.
  element.addEventListener("pointerdown", (event) => (pressed = event), { capture: true });
  element.addEventListener("click", (event) => {
    const moved = pressed && Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY);
    const at = pointAt(event);
    if (at === null || moved > CLICK) return;
    // A double click resets Plotly's zoom, so undo the pin that the first of its two clicks has set.
    if (event.detail > 1) return before === null ? view.time.live() : view.time.pin(before);
    before = view.time.pinned;
    view.time.pin(at.step);
  });
}

/**
 * Display of the values at the step under the pointer: a vertical line at the step and a short text, both over the
 * figure.
 */
export class PointValues {
  #frame;
  #patcher;
  #spec;
  #line = h("div.bnviz-cursor.bnviz-pointer", { hidden: true });
  #words = h("div.bnviz-values", { hidden: true });

  /**
   * @param frame the positioned element around the figure
   * @param patcher the figure's patcher
   * @param spec a chart's JSON, see bnviz/charts/chart.py
   */
  constructor(frame, patcher, spec) {
    this.#frame = frame;
    this.#patcher = patcher;
    this.#spec = spec;
    frame.append(this.#line, this.#words);
  }

  /**
   * Show the values at a step.
   * @param point {step, axis, down}, see `Overlays.pointAt`
   * @param store the run's store
   * @param t translator
   */
  show({ step, axis, down }, store, t) {
    const lines = this.#lines(axis, step, store);
    const at = axis.d2p(step) + axis._offset;
    setHidden(this.#line, false);
    putLine(this.#line, at, down);
    setHidden(this.#words, false);
    fill(this.#words, h("b", t("chart.at_step", { step: count(step) })),
      lines.map(({ text, colour, value }) => h("span", { style: { color: colour } }, labelled(text, value))));
    const width = this.#frame.clientWidth;
    const beside = at > width / 2 ? { left: "", right: `${width - at + AWAY}px` } : { left: `${at + AWAY}px`, right: "" };
    Object.assign(this.#words.style, { top: `${down._offset + 2}px`, ...beside });
  }

  hide() {
    setHidden(this.#line, true);
    setHidden(this.#words, true);
  }

  /** Return, for each labelled line of the panel, the last value up to the step, as {text, colour, value: as text}. */
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

  /** Return a value in the format of the chart's table, or null if there is no value. */
  #written({ field, index }, value) {
    if (value === null) return null;
    const column = this.#spec.table?.columns.find((one) => one.field === field && (one.index ?? null) === (index ?? null));
    return column ? format(value, column.format) : formatNumber(value, 3);
  }
}

/** Return the last value of a column that was measured at or before this step, or null if there is none. */
function valueAt({ steps, values }, step) {
  return values[steps.findLastIndex((each) => each <= step)] ?? null;
}
