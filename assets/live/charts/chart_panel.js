// A chart on the page: heading, selectors, the figure, its text equivalent, large and close.

import { momentOf } from "../data/moment.js";
import { seriesKey } from "../data/series.js";
import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { linked } from "../lib/terms.js";
import { agesOf, captionOf } from "./chart_words.js";
import { fittingForm, heightsOf, isLow, layoutOf } from "./figure_heights.js";
import { Measures } from "./measures.js";
import { Overlays } from "./overlays.js";
import { Patcher } from "./patcher.js";
import { PointValues } from "./point_values.js";
import { fillTable } from "./table.js";
import { listenForSteps } from "./time_pointer.js";

const TABLE_EVERY = 1000; // ms between refills of an open data table

export class ChartPanel {
  shown = false; // belongs on the page now
  onScreen = false; // some of it is inside the window
  mounted = false;
  drawn = false; // shows values
  #view;
  #dirty = true;
  #mounting = false;
  #gone = false;
  #form = null; // "wide", "medium" or "compact", by the room there is
  #low = false; // the figure is a low one
  #tableAt = 0;
  #pointer = null; // the last event of a pointer over a chart over time
  #resized;

  /**
   * @param view the live view
   * @param spec a chart's JSON
   * @param actions {group, close}: extra elements for the heading
   */
  constructor(view, spec, actions = {}) {
    this.#view = view;
    this.spec = spec;
    this.selected = Object.fromEntries(spec.selectors.map((s) => [s.name, s.default ?? 0]));
    this.#build(actions);
    this.#resized = new ResizeObserver(() => this.#fit());
    this.#resized.observe(this.frame);
  }

  #build(actions) {
    const { t } = this.#view;
    const { spec } = this;
    this.title = h("h3", { class: "bnviz-title", title: spec.help || null }, ...linked(spec.title, this.#glossary));
    this.measures = new Measures(spec, this.#view);
    this.at = h("span", { class: "bnviz-at" });
    this.note = h("span", { class: "bnviz-note" });
    this.caption = h("p", { class: "bnviz-hidden" });
    this.guess = h("span", { class: "bnviz-guess", hidden: true });
    this.large = button("⤢", () => this.toggleLarge(), { className: "bnviz-icon", title: t("chart.large"), aria: t("chart.large_of", spec) });
    this.plot = h("div", { class: "bnviz-plot", "aria-hidden": true });
    this.frame = h("div", { class: "bnviz-figure", "aria-hidden": true }, this.plot);
    const id = `bnviz-data-${this.#view.id}-${spec.name}`;
    this.table = h("div", {
      id, class: "bnviz-table", tabindex: 0, role: "region", hidden: true, "aria-label": t("chart.data_of", spec),
    });
    this.data = button(t("chart.data"), () => this.#toggleTable(), {
      className: "bnviz-link bnviz-data", title: t("chart.data_of", spec), aria: t("chart.data_of", spec),
    });
    this.data.setAttribute("aria-expanded", "false");
    this.data.setAttribute("aria-controls", id);
    this.element = h("section", {
      class: `bnviz-card bnviz-panel bnviz-panel-${spec.name}${spec.time ? " bnviz-time" : ""}`, "data-chart": spec.name, hidden: true,
      "aria-label": spec.title,
    },
      h("header", {}, this.title, this.guess, this.#look(spec),
        h("div", { class: "bnviz-actions" }, ...spec.selectors.map((selector) => this.#selector(selector)),
          this.measures.sign, this.data, actions.group, this.large, actions.close)),
      this.measures.element, this.caption,
      this.frame, this.table);
    this.#listen();
  }

  get #glossary() {
    return this.#view.data.texts.glossary;
  }

  /** What to look at, of which step it is, and what in it was measured before. */
  #look({ look = "" }) {
    return h("p", { class: "bnviz-look-at" }, this.at, " ", h("span", { class: "bnviz-look-text" }, ...linked(look, this.#glossary)), " ", this.note);
  }

  #selector({ name, label, options }) {
    return h("label", { class: "bnviz-select" }, label,
      h("select", { onchange: ({ target }) => this.choose(name, Number(target.value)), "data-selector": name }, ...options.map((words, i) =>
        h("option", { value: i, selected: i === this.selected[name] }, words))));
  }

  /** Show another option of a selector. */
  choose(name, option) {
    this.selected[name] = option;
    this.element.querySelector(`[data-selector=${name}]`).value = option;
    this.patcher?.forget();
    this.#view.charts.invalidate(); // others may say what is chosen here
    this.#view.paint();
  }

  #listen() {
    if (this.spec.time) {
      return listenForSteps(this.frame, (event) => this.overlays?.pointAt(event) ?? null, (event) => this.#pointTo(event), this.#view);
    }
    this.frame.addEventListener("pointermove", (event) => this.overlays?.light(event));
    this.frame.addEventListener("pointerleave", () => this.overlays?.dim());
  }

  /** Show the values under a pointer; null: it has left. While it rests the run goes on under it. */
  #pointTo(event) {
    this.#pointer = event;
    const point = event && this.overlays?.pointAt(event);
    if (point) this.values.show(point, this.#view.store, this.#view.t);
    else this.values?.hide();
  }

  /** Put the panel on the page or take it away; its figure stays mounted either way. */
  show(shown) {
    if (this.shown === shown) return;
    this.shown = shown;
    setHidden(this.element, !shown);
    if (shown) this.invalidate();
  }

  /** Draw at the next chance. */
  invalidate() {
    this.#dirty = true;
  }

  /** The height this form of the figure is made for, and the least it can do with, for the styles. */
  #setHeight() {
    const { height, least } = this.#heights;
    this.frame.style.setProperty("--height", `${height}px`);
    this.frame.style.setProperty("--least", `${least}px`);
  }

  get #heights() {
    return heightsOf(this.spec, this.#form ?? this.#fittingForm, Boolean(this.#view.block));
  }

  /** The height in pixels that its figure is made for. */
  get ownHeight() {
    return this.#heights.height;
  }

  /** The figure's height in pixels where figures have only this share of their own. */
  heightAt(share) {
    const { height, least } = this.#heights;
    return Math.max(least, share * height);
  }

  get #fittingForm() {
    return fittingForm(this.spec, this.frame.clientWidth);
  }

  /** Make the figure, if the panel is on screen and has none. */
  async mount() {
    if (this.#mounting || !this.shown || !this.onScreen || this.frame.clientWidth === 0) return;
    this.#mounting = true;
    this.#form = this.#fittingForm;
    this.#setHeight();
    const Plotly = await this.#view.plotly;
    await this.#view.charts.nextTurn();
    if (this.#gone) return;
    this.patcher = new Patcher(Plotly, this.plot, this.spec, this.selected);
    const height = this.plot.clientHeight;
    this.#low = isLow(this.spec, height);
    await this.patcher.mount(this.#form === "wide" && !this.#low ? {} : layoutOf(this.spec, this.#form, height));
    this.overlays = new Overlays(this.frame, this.patcher, this.spec);
    if (this.spec.time) this.values = new PointValues(this.frame, this.patcher, this.spec);
    this.mounted = true;
    this.invalidate();
    this.#view.paint();
  }

  #fit() {
    if (!this.mounted || this.frame.clientWidth === 0) return;
    const form = this.#fittingForm;
    const low = isLow(this.spec, this.plot.clientHeight);
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
   * Draw a scene, if the panel is on screen and anything changed.
   *
   * @param later put off a first picture, which takes many times what those after it take
   * @returns whether this was a first picture, or one was put off
   */
  draw(scene, changed, later = false) {
    if (changed) this.#dirty = true;
    if (!this.shown || !this.onScreen) return false;
    const past = this.settled; // asked for while the figure is still being made
    if (!this.mounted) {
      this.mount();
      return false;
    }
    const first = !this.drawn && Boolean(past);
    if (this.#dirty && past && !(first && later)) {
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

  /** The cursor and the moment to look. */
  #mark({ rewound, step, store }) {
    if (this.#pointer) this.#pointTo(this.#pointer);
    this.overlays.showStep(rewound ? step : null);
    this.overlays.showMoment(momentOf(this.#view.data, store)?.step || null); // at 0 there is the axis
  }

  /** Whether the past that this chart draws is known, so that the first picture is whole. */
  get settled() {
    const items = this.spec.bindings.flatMap((binding) =>
      binding.kind === "series" ? [binding] : binding.kind === "labels" ? binding.of : [],
    );
    const keys = items.map(({ field, index }) => seriesKey(field, index, this.selected));
    return this.#view.store.series.settled(keys);
  }

  /** The steps around a break fill the time axes while they are played. */
  #focus() {
    const { time } = this.#view;
    const around = this.spec.time && time.mode === "playing" ? time.around : null;
    this.patcher.focus(this.overlays.stepsOf(this.#view) ?? around);
  }

  #words(scene) {
    const { data, t, block } = this.#view;
    const guess = block?.note(this.spec.name) ?? "";
    setText(this.guess, guess);
    setHidden(this.guess, !guess);
    setText(this.at, t("chart.at_step", { step: count(scene.step) }));
    this.measures.draw(scene.step);
    setText(this.caption, captionOf(this.spec, scene.step));
    const notes = agesOf(this.spec, scene, data.labels, t);
    const { outside } = this.patcher;
    if (outside) notes.push(t("chart.outside", { count: outside }));
    setText(this.note, notes.join(" "));
    this.note.title = this.note.textContent;
    if (!this.table.hidden && performance.now() - this.#tableAt > TABLE_EVERY) this.#fillTable();
  }

  #toggleTable() {
    this.table.hidden = !this.table.hidden;
    this.data.setAttribute("aria-expanded", String(!this.table.hidden));
    if (!this.table.hidden) this.#fillTable();
  }

  #fillTable() {
    this.#tableAt = performance.now();
    const scene = this.#view.scene();
    if (scene) fillTable(this.table, this.spec, scene, this.selected, this.#view.t);
    else fill(this.table, this.#view.t("chart.no_data"));
  }

  get #enlarged() {
    return this.#view.stage?.alone ?? this.element.hasAttribute("popover");
  }

  /** Fill the window, or go back. The figure stays where it is: the top layer moves no element. */
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
    this.#gone = true;
    this.#resized.disconnect();
    if (this.mounted) this.patcher.purge();
    this.element.remove();
  }
}
