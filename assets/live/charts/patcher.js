// One Plotly figure that stays mounted: bindings collect changes, one restyle draws them.

import { applyBinding } from "./bindings.js";
import { fastRedraw } from "./fast_redraw.js";
import { Ranges } from "./ranges.js";

const OVERLAYS = new Set(["callout", "cursor", "doors", "nodecallout", "rows"]);
const IN_PIXELS = new Set(["labels", "marks"]);

export class Patcher {
  /** The element Plotly draws into. */
  element;
  #Plotly;
  #spec;
  #bindings;
  #selectors;
  #memory = new Map();
  #words = new Map();
  #outside = new Map();
  #changes = new Map();
  #ranges;
  #categories;

  /**
   * @param Plotly the library
   * @param element an empty element
   * @param spec a chart's JSON
   * @param selected chosen options by selector name; shared with the panel
   */
  constructor(Plotly, element, spec, selected) {
    this.#Plotly = Plotly;
    this.element = element;
    this.#spec = spec;
    this.#selectors = selected;
    this.#bindings = spec.bindings.filter(({ kind }) => !OVERLAYS.has(kind));
    // Plotly forgets with new x or y that an axis is one of categories: it has to be told again,
    // and with its type which way it goes.
    this.#categories = Object.fromEntries(Object.entries(spec.figure.layout)
      .filter(([name, part]) => /^[xy]axis\d*$/.test(name) && part.type === "category")
      .flatMap(([name, part]) => [[`${name}.type`, part.type], [`${name}.autorange`, part.autorange]]));
  }

  /** Draw the empty figure. Plotly changes what it is given, so it gets a copy. */
  async mount(layout = {}) {
    const { data, layout: own } = structuredClone(this.#spec.figure);
    const config = { displayModeBar: false, responsive: false, ...this.#spec.config };
    const sized = { ...withChanges(own, structuredClone(layout)), uirevision: own.uirevision ?? "keep", ...size(this.element) };
    await this.#Plotly.newPlot(this.element, data, sized, config);
    this.#ranges = new Ranges(this.element, this.#spec.figure.layout);
  }

  /** Chosen options, for bindings with "$layer" or "$unit" in their index. */
  get selected() {
    return this.#selectors;
  }

  /** What a binding wants to remember from one frame to the next. */
  memory(binding) {
    if (!this.#memory.has(binding)) this.#memory.set(binding, {});
    return this.#memory.get(binding);
  }

  /** The text array of a trace, shared by all bindings that write into it. */
  words(trace) {
    if (!this.#words.has(trace)) {
      const text = this.#spec.figure.data[trace].text ?? [];
      this.#words.set(trace, Array.isArray(text) ? [...text] : [text]);
    }
    return this.#words.get(trace);
  }

  /** Plotly's axis object of a trace, for turning values into pixels; undefined before drawing. */
  axis(trace, letter) {
    const id = this.element._fullData?.[trace]?.[`${letter}axis`] ?? letter;
    return this.axisNamed(id);
  }

  axisNamed(id) {
    return this.element._fullLayout?.[id.replace(/^([xy])/, "$1axis")];
  }

  /** Change an attribute of a trace at the next draw, unless it already is that way. */
  set(trace, attribute, value) {
    if (same(this.element.data[trace][attribute] ?? this.#last(trace, attribute), value)) return;
    if (!this.#changes.has(trace)) this.#changes.set(trace, {});
    this.#changes.get(trace)[attribute] = value;
  }

  /** How many values of a binding lie beyond the axis or are not finite. */
  countOutside(binding, count) {
    this.#outside.set(binding, count);
  }

  get outside() {
    return [...this.#outside.values()].reduce((sum, count) => sum + count, 0);
  }

  /** The names of the axes that show steps. */
  get #timeAxes() {
    return this.#spec.bindings
      .filter(({ kind }) => kind === "cursor")
      .map(({ trace }) => this.axis(trace, "x")?._name)
      .filter(Boolean);
  }

  /** Show some steps on every time axis, [first, last]; null gives back what was there. */
  focus(steps) {
    const ranges = this.#ranges.focus(this.#timeAxes, steps);
    if (Object.keys(ranges).length) this.#Plotly.relayout(this.element, ranges);
  }

  /** What an attribute is, or will be after this draw. */
  next(trace, attribute) {
    return this.#changes.get(trace)?.[attribute] ?? this.#last(trace, attribute);
  }

  /** The chart's bindings of one kind. */
  bindings(kind) {
    return this.#bindings.filter((binding) => binding.kind === kind);
  }

  /** Forget what was drawn, so that the next draw fills every trace again. */
  forget() {
    this.#memory.clear();
  }

  /** Apply all bindings to a scene and draw what changed, in one call. */
  draw(scene) {
    const moved = this.#apply(this.#bindings, scene);
    // Words are placed in pixels, so once more where an axis has moved under them.
    if (moved) this.#apply(this.#bindings.filter(({ kind }) => IN_PIXELS.has(kind)), scene);
  }

  /** Draw what some bindings change. @returns whether an axis got another range */
  #apply(bindings, scene) {
    for (const binding of bindings) applyBinding(binding, scene, this);
    const changes = this.#changes;
    this.#changes = new Map();
    // What is measured rarely ends early: its axis goes on to the newest step all the same.
    const reach = new Map(this.#timeAxes.map((name) => [name, scene.live.step]));
    if (!changes.size && !reach.size) return false;
    const ranges = this.#ranges.needed(changes, reach);
    const moved = Object.keys(ranges).length > 0;
    if (!changes.size) {
      if (moved) this.#Plotly.relayout(this.element, ranges);
      return moved;
    }
    dropEmptied(this.element, changes);
    const drawn = fastRedraw(this.#Plotly, this.element, changes, ranges);
    if (!drawn) this.#update(changes, ranges);
    return moved;
  }

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

  /** A dotted attribute as it is in the figure. */
  #last(trace, attribute) {
    return attribute.split(".").reduce((part, name) => part?.[name], this.element.data[trace]);
  }

  /** Layout changes and a new size, in one relayout. */
  resize(layout = {}) {
    if (!this.element._fullLayout) return;
    this.#Plotly.relayout(this.element, { ...layout, ...size(this.element) });
    this.forget();
  }

  /** Data and layout as they are now, for the export. */
  snapshot() {
    const { data, layout } = this.element;
    return data ? structuredClone({ data, layout }) : null;
  }

  purge() {
    this.#Plotly.purge(this.element);
  }
}

/**
 * Plotly takes the element of an empty word away but keeps the one around it, and would need a second
 * draw to write a word there again. Without the hull it makes both anew.
 */
function dropEmptied(element, changes) {
  for (const trace of changes.keys()) {
    const node = element.calcdata?.[trace]?.[0]?.node3?.node();
    for (const hull of node?.querySelectorAll("g.textpoint:empty") ?? []) hull.remove();
  }
}

/** A layout with flat changes ("xaxis.title.text") made in it, as `Plotly.relayout` makes them. */
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

/** Equal values, or arrays of equal values. */
function same(a, b) {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((value, i) => value === b[i] || (Array.isArray(value) && same(value, b[i])));
}
