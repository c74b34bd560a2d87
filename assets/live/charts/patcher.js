// Update one Plotly figure that stays mounted. Bindings collect changes of the figure's traces, and one call draws
// these changes. Most frames are drawn by `fastRedraw`, which is several times faster than Plotly's own update.

import { measuredWidth } from "../lib/text_width.js";
import { axesOf, axisName, AxisRanges } from "./axis_ranges.js";
import { applyBinding, shownFromStart, stepAxes } from "./bindings.js";

// Kinds of bindings that overlays.js draws over the figure.
const OVERLAYS = new Set(["callout", "cursor", "doors", "nodecallout", "rows"]);
// Kinds of bindings whose labels are placed in pixels.
const IN_PIXELS = new Set(["labels", "marks"]);
// Attributes of a trace that `fastRedraw` can change.
const FAST = new Set(["x", "y", "text"]);

export class Patcher {
  /** The element into which Plotly draws. */
  element;
  /** The chosen options, for bindings whose index contains "$layer" or "$unit". */
  selected;
  #Plotly;
  #spec;
  #bindings;
  #memory = new Map(); // binding → object
  #words = new Map(); // trace → texts
  #outside = new Map(); // binding → count
  #changes = new Map(); // trace → {attribute: value}, not drawn yet
  #ranges;
  #categories;

  /**
   * @param Plotly the library
   * @param element an empty element
   * @param spec a chart's JSON, see bnviz/charts/chart.py
   * @param selected chosen option of each selector, by the selector's name; the panel changes these options
   */
  constructor(Plotly, element, spec, selected) {
    this.#Plotly = Plotly;
    this.element = element;
    this.#spec = spec;
    this.selected = selected;
    this.#bindings = spec.bindings.filter(({ kind }) => !OVERLAYS.has(kind));
    // When x or y changes, Plotly forgets that an axis has categories, and forgets the direction of the axis.
    this.#categories = Object.fromEntries(axesOf(spec.figure.layout)
      .filter(([, part]) => part.type === "category")
      .flatMap(([name, part]) => [[`${name}.type`, part.type], [`${name}.autorange`, part.autorange]]));
  }

  /**
   * Draw the figure without data. Plotly modifies the objects that it is given, so pass copies.
   * @param layout layout changes with dotted keys, such as {"xaxis.title.text": …}
   */
  async mount(layout = {}) {
    const { data, layout: own } = structuredClone(this.#spec.figure);
    const config = { displayModeBar: false, responsive: false, ...this.#spec.config };
    const sized = { ...withChanges(own, structuredClone(layout)), uirevision: own.uirevision ?? "keep", ...size(this.element) };
    await this.#Plotly.newPlot(this.element, data, sized, config);
    this.#ranges = new AxisRanges(this.element, this.#spec.figure.layout);
  }

  /** Return an object in which a binding keeps values from one frame to the next. */
  memory(binding) {
    if (!this.#memory.has(binding)) this.#memory.set(binding, {});
    return this.#memory.get(binding);
  }

  /** Return the texts of a trace, an array that is shared by all bindings that write into it. */
  words(trace) {
    if (!this.#words.has(trace)) {
      const text = this.#spec.figure.data[trace].text ?? [];
      this.#words.set(trace, Array.isArray(text) ? [...text] : [text]);
    }
    return this.#words.get(trace);
  }

  /**
   * Return Plotly's axis of a trace, which converts values to pixels, or undefined before the figure has been drawn.
   */
  axis(trace, letter) {
    const id = this.element._fullData?.[trace]?.[`${letter}axis`] ?? letter;
    return this.axisNamed(id);
  }

  /** Return the horizontal and the vertical axis of a trace, [across, down]. */
  axes(trace) {
    return [this.axis(trace, "x"), this.axis(trace, "y")];
  }

  /** Return Plotly's axis with an id such as "x2". */
  axisNamed(id) {
    return this.element._fullLayout?.[axisName(id)];
  }

  /** Return the width in px of words in the figure's font. @param size font size in px */
  widthOf(words, size, weight = 400) {
    return measuredWidth(words, `${weight} ${size}px ${this.element._fullLayout.font.family}`);
  }

  /** Change an attribute of a trace at the next drawing, unless it already has this value. */
  set(trace, attribute, value) {
    if (same(this.element.data[trace][attribute] ?? this.#present(trace, attribute), value)) return;
    if (!this.#changes.has(trace)) this.#changes.set(trace, {});
    this.#changes.get(trace)[attribute] = value;
  }

  /** Record how many values of a binding are beyond the axis or not finite. */
  countOutside(binding, count) {
    this.#outside.set(binding, count);
  }

  /** Number of values in the whole chart that are beyond the axes or not finite. */
  get outside() {
    return [...this.#outside.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The names of the axes that show steps. */
  get #timeAxes() {
    return stepAxes(this.#spec.bindings, this.selected, this);
  }

  /** Show the steps [first, last] on every time axis. If `steps` is null, restore the previous ranges. */
  focus(steps) {
    const ranges = this.#ranges.focus(this.#timeAxes, steps);
    if (Object.keys(ranges).length) this.#Plotly.relayout(this.element, ranges);
  }

  /** Return the value that an attribute has after the next drawing. */
  next(trace, attribute) {
    return this.#changes.get(trace)?.[attribute] ?? this.#present(trace, attribute);
  }

  /** Return the chart's bindings of one kind. */
  bindings(kind) {
    return this.#bindings.filter((binding) => binding.kind === kind);
  }

  /** Forget what has been drawn, so that the next drawing fills all traces. */
  forget() {
    this.#memory.clear();
  }

  /** Apply all bindings to a scene and draw what changed, in one call. */
  draw(scene) {
    const moved = this.#apply(this.#bindings, scene);
    // When the range of an axis has changed, the labels have to be placed again.
    if (moved) this.#apply(this.#bindings.filter(({ kind }) => IN_PIXELS.has(kind)), scene);
  }

  /**
   * Draw the changes of some bindings.
   *
   * @returns whether the range of an axis has changed
   */
  #apply(bindings, scene) {
    for (const binding of bindings) applyBinding(binding, scene, this);
    const changes = this.#changes;
    this.#changes = new Map();
    // Time axes extend to the newest step, even if the last measurement is older.
    const reach = new Map(this.#timeAxes.map((name) => [name, scene.live.step]));
    const ends = new Map(scene.lastStep ? this.#timeAxes.map((name) => [name, scene.lastStep]) : []);
    if (!changes.size && !reach.size) return false;
    const least = shownFromStart(this.#bindings, scene.ranges ?? {}, this);
    const ranges = this.#ranges.needed(changes, reach, ends, least);
    const moved = Object.keys(ranges).length > 0;
    if (!changes.size) {
      if (moved) this.#Plotly.relayout(this.element, ranges);
      return moved;
    }
    dropEmptyTexts(this.element, changes);
    if (!fastRedraw(this.#Plotly, this.element, changes, ranges)) this.#update(changes, ranges);
    return moved;
  }

  /** Draw with Plotly's own update. */
  #update(changes, ranges) {
    const traces = [...changes.keys()];
    const update = {};
    traces.forEach((trace, i) => {
      for (const [name, value] of Object.entries(changes.get(trace))) {
        update[name] ??= new Array(traces.length).fill(undefined);
        update[name][i] = value;
      }
    });
    this.#Plotly.update(this.element, update, { ...this.#categories, ...ranges }, traces);
  }

  /** Return the present value of a trace's attribute. The name of the attribute may contain dots. */
  #present(trace, attribute) {
    return attribute.split(".").reduce((part, name) => part?.[name], this.element.data[trace]);
  }

  /** Fit the figure to its element. @param layout further layout changes, with dotted keys */
  resize(layout = {}) {
    if (!this.element._fullLayout) return;
    this.#Plotly.relayout(this.element, { ...layout, ...size(this.element) });
    this.forget();
  }

  /** Return copies of the figure's data and layout, or null before the figure has been drawn. */
  snapshot() {
    const { data, layout } = this.element;
    return data ? structuredClone({ data, layout }) : null;
  }

  purge() {
    this.#Plotly.purge(this.element);
  }
}

/**
 * Remove the groups of empty texts. Plotly removes the text element of an empty text but not its group. It then needs
 * two drawings to write a text there again. Without the group, one drawing is enough.
 */
function dropEmptyTexts(element, changes) {
  for (const trace of changes.keys()) {
    const node = element.calcdata?.[trace]?.[0]?.node3?.node();
    for (const group of node?.querySelectorAll("g.textpoint:empty") ?? []) group.remove();
  }
}

/** Apply changes with dotted keys, such as "xaxis.title.text", to a layout, as `Plotly.relayout` does. */
function withChanges(layout, changes) {
  for (const [name, value] of Object.entries(changes)) {
    const path = name.split(".");
    const last = path.pop();
    path.reduce((part, key) => (part[key] ??= {}), layout)[last] = value;
  }
  return layout;
}

function size(element) {
  return { width: element.clientWidth || 600, height: element.clientHeight || 300 };
}

/** Return whether two values, or two nested arrays of values, are equal. */
function same(a, b) {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((value, i) => value === b[i] || (Array.isArray(value) && same(value, b[i])));
}

/**
 * Draw changes several times faster than `Plotly.update`, which computes every default, margin, axis and tick of the
 * figure again. If only x, y and text of visible scatter traces change, it is enough to compute and plot these traces,
 * and to apply the ranges that change. This function uses internals of Plotly, so it checks every precondition first.
 *
 * @param changes Map from trace number to {attribute: value}
 * @param ranges {"xaxis.range": [low, high], …} of the axes that change
 * @returns false if a precondition is not met, in which case nothing has been drawn
 */
function fastRedraw(Plotly, element, changes, ranges) {
  if (!possible(element, changes, ranges)) return false;
  let styled = true;
  for (const [index, values] of changes) {
    const full = element._fullData[index];
    const before = shape(full);
    Object.assign(element.data[index], values);
    Object.assign(full, values);
    full._length = Math.min(full.x.length, full.y.length);
    element.calcdata[index] = compute(element, full);
    styled &&= before === shape(full);
  }
  if (Object.keys(ranges).length) Plotly.relayout(element, ranges);
  else for (const base of element._fullLayout._basePlotModules) base.plot(element);
  if (!styled) style(element, changes);
  return true;
}

/**
 * Return a value that changes whenever the number of a trace's elements changes, so that new elements can be given
 * their style.
 */
function shape({ mode, x, y }) {
  let gaps = 0;
  for (const value of y) if (value === null) gaps += 1;
  if (mode === "lines") return gaps;
  for (const value of x) if (value === null) gaps += 1;
  return `${x.length}|${gaps}`; // a point without coordinates has no element
}

function style(element, changes) {
  const [first] = changes.keys();
  element._fullData[first]._module.style(element);
}

/** Compute one trace in the same way as Plotly computes all traces. */
function compute(element, full) {
  full._extremes = {};
  const points = full._module.calc(element, full);
  points[0].t ??= {};
  points[0].trace = full;
  return points;
}

/** Return whether `fastRedraw` can draw these changes. */
function possible(element, changes, ranges) {
  const layout = element._fullLayout;
  if (!element.calcdata || !layout?._basePlotModules?.every((base) => base.plot)) return false;
  for (const [index, values] of changes) {
    const full = element._fullData?.[index];
    if (full?.type !== "scatter" || full.visible !== true || full.stackgroup) return false;
    if (!full._module?.calc || !full._module.style) return false;
    for (const [name, value] of Object.entries(values)) {
      if (!FAST.has(name) || !Array.isArray(value) || !value.length) return false;
    }
    if (![full.xaxis, full.yaxis].every((id) => hasRange(layout, id, ranges))) return false;
  }
  return true;
}

/** Return whether the range of an axis is fixed and does not depend on the data. */
function hasRange(layout, id, ranges) {
  const name = axisName(id);
  const axis = layout[name];
  const given = axis?.autorange === false || `${name}.range` in ranges;
  return given && (axis.type === "linear" || axis.type === "log");
}
