// Panel of one chart: heading, selectors, buttons, figure and table. The figure has up to three forms, "wide", "medium"
// and "compact", and the panel's width determines the form. A form may have another layout for figures of small height.

import { stepToSee } from "../data/time_cursor.js";
import { seriesKey } from "../data/time_series.js";
import { button, fill, h, setHidden, setText, showLine } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { joinSentences } from "../lib/joining.js";
import { linked } from "../lib/terms.js";
import { agesOf, captionOf, fillTable, ChartExplanation } from "./chart_words.js";
import { fieldAcross } from "./bindings.js";
import { Overlays } from "./overlays.js";
import { Patcher } from "./patcher.js";
import { listenForSteps, PointValues } from "./time_pointer.js";

const TABLE_EVERY = 1000; // ms between updates of an open table
const LEAST = 240; // minimum height in px of a figure if the window is not tall
const LEAST_ON_PAGE = 190; // minimum height of a figure on the home page and in lessons, in px
const PAST_COMES_IN = 10_000; // maximum time in ms to wait for a chart's history before a picture is drawn

export class ChartPanel {
  shown = false; // whether the panel is on the page
  onScreen = false; // whether part of the panel is in the window
  mounted = false; // whether the figure exists
  drawn = false; // whether the figure shows values
  #view;
  #dirty = true; // whether the panel needs to be redrawn
  #making = null; // promise of the figure, or null before its creation has started
  #destroyed = false;
  #form = null; // form of the figure: "wide", "medium" or "compact"
  #low = false; // whether the figure has the layout for small heights
  #tableAt = 0; // time of the last table update, in ms
  #pointer = null; // the last pointer event over a time chart
  #resized;

  /**
   * @param view the live view
   * @param spec a chart's JSON, see bnviz/charts/chart.py
   * @param actions {group, close}: additional elements for the heading
   */
  constructor(view, spec, actions = {}) {
    this.#view = view;
    this.spec = spec;
    this.selected = Object.fromEntries(spec.selectors.map((s) => [s.name, s.default]));
    this.#build(actions);
    this.#resized = new ResizeObserver(() => this.#fit());
    this.#resized.observe(this.frame);
  }

  #build(actions) {
    const { t } = this.#view;
    const { spec } = this;
    this.title = h("h3.bnviz-title", { title: spec.help || null }, linked(spec.title, this.#glossary));
    this.explanation = new ChartExplanation(spec, this.#view);
    this.at = h("span.bnviz-at");
    this.note = h("span.bnviz-note");
    this.caption = h("p.bnviz-hidden");
    this.guess = h("span.bnviz-guess", { hidden: true });
    this.large = button("⤢", () => this.toggleLarge(), { className: "bnviz-icon", title: t("chart.large"), aria: t("chart.large_of", spec) });
    this.picture = spec.network ? null : button("⤓", () => this.#view.act("picture", { panel: this }), {
      className: "bnviz-icon bnviz-picture-of", title: t("chart.picture"), aria: t("chart.picture_of", spec),
    });
    this.plot = h("div.bnviz-plot", { "aria-hidden": true });
    this.frame = h(`div.bnviz-figure${spec.bindings.some(({ kind }) => kind === "ridges") ? ".bnviz-hills" : ""}`, { "aria-hidden": true }, this.plot);
    const id = `bnviz-data-${this.#view.id}-${spec.name}`;
    this.table = h("div.bnviz-table", {
      id, tabindex: 0, role: "region", hidden: true, "aria-label": t("chart.data_of", spec),
    });
    this.data = button(t("chart.data"), () => this.#toggleTable(), {
      className: "bnviz-link bnviz-data", title: t("chart.data_of", spec), aria: t("chart.data_of", spec),
      "aria-expanded": "false", "aria-controls": id,
    });
    this.element = h("section", {
      class: `bnviz-card bnviz-panel bnviz-panel-${spec.name}${spec.time ? " bnviz-time" : ""}`, "data-chart": spec.name, hidden: true,
      "aria-label": spec.title,
    },
      h("header", this.title, this.guess, this.#look(spec),
        h("div.bnviz-actions", spec.selectors.map((selector) => this.#selector(selector)),
          this.explanation.sign, this.data, actions.group, this.picture, this.large, actions.close)),
      this.explanation, this.caption,
      this.frame, this.table);
    this.#listen();
  }

  get #glossary() {
    return this.#view.data.texts.glossary;
  }

  /**
   * Return a line with the step shown, a hint about what to look at, and a note on values that are older than this
   * step.
   */
  #look({ name, look: usual }) {
    const look = this.#view.data.block?.hints?.[name] ?? usual;
    return h("p.bnviz-look-at", this.at, " ", h("span.bnviz-look-text", linked(look, this.#glossary)), " ", this.note);
  }

  #selector({ name, label, options }) {
    return h("label.bnviz-select", label,
      h("select", { onchange: ({ target }) => this.choose(name, Number(target.value)), "data-selector": name }, options.map((words, i) =>
        h("option", { value: i, selected: i === this.selected[name] }, words))));
  }

  /** Select an option of a selector. */
  choose(name, option) {
    this.selected[name] = option;
    this.element.querySelector(`[data-selector=${name}]`).value = option;
    const layout = this.#chosenLayout;
    if (Object.keys(layout).length) this.patcher?.resize(layout);
    else this.patcher?.forget();
    this.#view.charts.invalidate(); // other charts may depend on this option
    this.#view.paint();
  }

  /** Layout changes for the selected options, with dotted keys such as "xaxis.title.text". */
  get #chosenLayout() {
    return Object.assign({}, ...this.spec.selectors.map(({ name, layouts }) => layouts[this.selected[name]]));
  }

  #listen() {
    if (this.spec.time) {
      return listenForSteps(this.frame, (event) => this.overlays?.pointAt(event) ?? null, (event) => this.#pointTo(event), this.#view);
    }
    this.frame.addEventListener("pointermove", (event) => this.overlays?.highlightRow(event));
    this.frame.addEventListener("pointerleave", () => this.overlays?.hideRow());
  }

  /** Show the values under the pointer, or hide them if `event` is null. */
  #pointTo(event) {
    this.#pointer = event;
    const point = event && this.overlays?.pointAt(event);
    if (point) this.values.show(point, this.#view.store, this.#view.t);
    else this.values?.hide();
  }

  /** Show the values, or cover them with a short text if the page layout provides one for this chart. */
  cover() {
    const words = this.#view.pageLayout?.cover(this.spec.name) ?? "";
    this.element.classList.toggle("bnviz-not-yet", Boolean(words));
    this.frame.dataset.cover = words;
  }

  /** Show or hide the panel. Its figure stays mounted. */
  show(shown) {
    if (this.shown === shown) return;
    this.shown = shown;
    setHidden(this.element, !shown);
    if (shown) this.invalidate();
  }

  /** Mark the panel, so that it is redrawn with the next scene. */
  invalidate() {
    this.#dirty = true;
  }

  /** Write the figure's height and minimum height into CSS custom properties. */
  #setHeight() {
    const { height, least } = this.#heights;
    this.frame.style.setProperty("--height", `${height}px`);
    this.frame.style.setProperty("--least", `${least}px`);
  }

  get #heights() {
    return heightsOf(this.spec, this.#form ?? this.#fittingForm, Boolean(this.#view.pageLayout));
  }

  /** Height in px for which the figure is designed. */
  get ownHeight() {
    return this.#heights.height;
  }

  /**
   * Return the height in px of this figure if all figures are scaled to the share `share` of the heights for which they
   * are designed.
   */
  heightAt(share) {
    const { height, least } = this.#heights;
    return Math.max(least, share * height);
  }

  get #fittingForm() {
    return fittingForm(this.spec, this.frame.clientWidth);
  }

  /** Create the figure if the panel is in the window and does not have one yet. */
  mount() {
    if (this.onScreen) this.#make();
  }

  /**
   * Create the figure unless it already exists.
   *
   * @returns a promise of the figure, or null if the panel is not shown or has no width
   */
  #make() {
    if (this.shown && this.frame.clientWidth > 0) this.#making ??= this.#create();
    return this.#making;
  }

  async #create() {
    this.#form = this.#fittingForm;
    this.#setHeight();
    const Plotly = await this.#view.plotly;
    await this.#view.charts.nextTurn();
    if (this.#destroyed) return;
    this.patcher = new Patcher(Plotly, this.plot, this.spec, this.selected);
    const height = this.plot.clientHeight;
    this.#low = isLow(this.spec, this.#form, height);
    await this.patcher.mount({ ...layoutOf(this.spec, this.#form, height), ...this.#chosenLayout, ...underAFinger() });
    this.overlays = new Overlays(this.frame, this.patcher, this.spec);
    if (this.spec.time) this.values = new PointValues(this.frame, this.patcher, this.spec);
    this.mounted = true;
    this.invalidate();
    this.#view.paint();
  }

  /** Fit the figure to the size of the panel. */
  #fit() {
    if (!this.mounted || this.frame.clientWidth === 0) return;
    const form = this.#fittingForm;
    const low = isLow(this.spec, form, this.plot.clientHeight);
    const changed = form !== this.#form || low !== this.#low;
    this.#form = form;
    this.#low = low;
    this.#setHeight();
    const layout = changed ? layoutOf(this.spec, form, this.plot.clientHeight) : {};
    const { width, height } = this.plot._fullLayout ?? {};
    if (!changed && width === this.plot.clientWidth && height === this.plot.clientHeight) return;
    this.patcher.resize(layout);
    this.invalidate();
    this.#view.paint();
  }

  /**
   * Draw a scene if the panel is in the window and something has changed.
   *
   * @param postpone whether to postpone the panel's first drawing, which takes much longer than later drawings
   * @returns whether the first drawing was done or postponed
   */
  draw(scene, changed, postpone = false) {
    if (changed) this.#dirty = true;
    if (!this.shown || !this.onScreen) return false;
    return this.#draw(scene, postpone);
  }

  /**
   * Draw a complete scene for a picture, even if the panel is outside the window.
   *
   * @returns whether the scene could be drawn, which requires that the panel has space and that its history arrived in
   * time
   */
  async drawWhole(scene) {
    const last = performance.now() + PAST_COMES_IN;
    while (!this.settled && performance.now() < last) await new Promise((resolve) => setTimeout(resolve, 50));
    await this.#make();
    if (!this.mounted || !this.settled) return false;
    this.#draw(scene);
    return true;
  }

  #draw(scene, postpone = false) {
    const settled = this.settled; // read first, because reading it requests the history while the figure is created
    if (!this.mounted) {
      this.mount();
      return false;
    }
    const first = !this.drawn && settled;
    if (this.#dirty && settled && !(first && postpone)) {
      this.#focus();
      this.patcher.draw(scene);
      this.overlays.draw(scene, this.#view);
      this.#dirty = false;
      this.drawn = true;
      this.#words(scene);
    }
    if (this.spec.time) this.#mark(scene);
    return first;
  }

  /** Update the values at the pointer, the time cursor and the mark at the preset's opening step. */
  #mark({ rewound, step, store }) {
    if (this.#pointer) this.#pointTo(this.#pointer);
    this.overlays.showCursor(rewound ? step : null);
    // do not mark step 0, because the axis is there
    this.overlays.showStepToSee(stepToSee(this.#view.data, store)?.step || null);
  }

  /**
   * Return whether the history that the chart draws has been fetched, so that the first drawing is complete. If it has
   * not been fetched, request it.
   */
  get settled() {
    const items = this.spec.bindings.flatMap((binding) => ({ series: [binding], labels: binding.of })[binding.kind] ?? []);
    const keys = items.flatMap((item) => [seriesKey(item.field, item.index, this.selected), fieldAcross(item, this.selected)]);
    return this.#view.store.series.settled(keys.filter(Boolean));
  }

  /**
   * Choose the range of steps on the time axes: all steps of a curve that a learner draws, or the steps around a break
   * while these steps are played.
   */
  #focus() {
    const around = this.spec.time ? this.#view.time.around : null;
    this.patcher.focus(this.overlays.stepsOf(this.#view) ?? around);
  }

  #words(scene) {
    const { data, t, pageLayout } = this.#view;
    showLine(this.guess, pageLayout?.note(this.spec.name) ?? "");
    setText(this.at, t("chart.at_step", { step: count(scene.step) }));
    this.explanation.draw(scene.step);
    setText(this.caption, captionOf(this.spec, scene.step));
    const notes = agesOf(this.spec, scene, data.labels, t);
    const { outside } = this.patcher;
    if (outside) notes.push(t("chart.outside", { count: outside }));
    setText(this.note, joinSentences(notes));
    this.note.title = this.note.textContent;
    if (!this.table.hidden && performance.now() - this.#tableAt > TABLE_EVERY) this.#fillTable();
  }

  #toggleTable() {
    this.table.hidden = !this.table.hidden;
    this.data.setAttribute("aria-expanded", !this.table.hidden);
    if (!this.table.hidden) this.#fillTable();
  }

  #fillTable() {
    this.#tableAt = performance.now();
    const scene = this.#view.scene();
    if (scene) fillTable(this.table, this.spec, scene, this.selected, this.#view.t);
    else fill(this.table, this.#view.t("chart.no_data"));
    // Try again later, because columns that no curve uses may still be loading, and a run that has ended draws no more
    // frames.
    if (this.#view.store.series.asking) setTimeout(() => this.table.hidden || this.#fillTable(), TABLE_EVERY);
  }

  get #enlarged() {
    return this.#view.stage?.alone ?? this.element.hasAttribute("popover");
  }

  /**
   * Enlarge the panel to the size of the window, or restore its size. An enlarged panel is a popover, so it keeps its
   * place in the document.
   */
  toggleLarge(large = !this.#enlarged) {
    if (large === this.#enlarged) return;
    const { t, stage } = this.#view;
    if (stage) stage.setAlone(large);
    else if (large) {
      this.element.setAttribute("popover", "manual");
      this.element.showPopover();
    } else {
      this.element.hidePopover();
      this.element.removeAttribute("popover");
    }
    setText(this.large, large ? "⤡" : "⤢");
    this.large.title = t(large ? "chart.small" : "chart.large");
    this.#fit();
  }

  destroy() {
    this.#destroyed = true;
    this.#resized.disconnect();
    if (this.mounted) this.patcher.purge();
    this.element.remove();
  }
}

/**
 * Return the layout of a chart for a place with the given size in px.
 * @returns {layout: layout changes with dotted keys, height: height for which the chart is designed, least: minimum
 * height}
 */
export function layoutAt(spec, width, height) {
  const form = fittingForm(spec, width);
  return { layout: layoutOf(spec, form, height), ...heightsOf(spec, form, false) };
}

/** Return the form of a figure with this width in px. */
function fittingForm({ compact, medium }, width) {
  if (compact && width < compact.below) return "compact";
  return medium && width < medium.below ? "medium" : "wide";
}

/** Return the layout changes (with dotted keys) of a form, for a figure with this height in px. */
function layoutOf(spec, form, height) {
  const own = spec[form].layout ?? {};
  return isLow(spec, form, height) ? { ...own, ...lowOf(spec, form).layout } : own;
}

/**
 * Return whether a figure with this form and height (px) gets the layout for small heights. If the chart has no such
 * layout, return false.
 */
function isLow(spec, form, height) {
  return height > 0 && height < (lowOf(spec, form)?.below ?? 0);
}

const lowOf = ({ low }, form) => low?.[form] ?? low;

/**
 * Return the height in px for which a form of a chart is designed, and its minimum height.
 *
 * @param onPage whether the chart is on the home page or in a lesson
 */
function heightsOf(spec, form, onPage) {
  const { wide, [form]: own } = spec;
  const height = own.height ?? wide.height ?? spec.height;
  return { height, least: own.least ?? Math.min(height, onPage ? LEAST_ON_PAGE : LEAST) };
}

/** Return a layout change that lets a reader scroll the page by moving a finger over a chart. */
const underAFinger = () => (matchMedia("(pointer: coarse)").matches ? { dragmode: false } : {});
