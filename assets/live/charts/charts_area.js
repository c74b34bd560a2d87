// All charts of the page. This class creates their panels, places them and draws the panels that are in the window. It
// also contains the menu of charts.

import { button, fill, h, pill, setHidden } from "../lib/dom.js";
import { ChartChoice } from "./chart_choice.js";
import { ChartPanel } from "./chart_panel.js";

const KEYS = 9; // charts with a number key

export class ChartsArea {
  element = h("div.bnviz-charts");
  main = h("div.bnviz-main");
  more = h("div.bnviz-more-charts");
  lead = h("div.bnviz-more-charts.bnviz-lead"); // charts that the preset is about
  panels = new Map(); // name → ChartPanel, in order
  #view;
  choice = new ChartChoice();
  #watcher;
  #changed = true; // whether the set of shown charts has changed since the last drawing
  #creating = Promise.resolve();

  constructor(view) {
    this.#view = view;
    this.menu = new ChartsMenu(view, this);
    this.#watcher = new IntersectionObserver((entries) => this.#onScreen(entries), { rootMargin: "80px" });
  }

  #onScreen(entries) {
    for (const { target, isIntersecting } of entries) {
      const panel = this.panels.get(target.dataset.chart);
      if (!panel || panel.element !== target) continue;
      panel.onScreen = isIntersecting;
      if (isIntersecting) panel.invalidate();
    }
    this.#view.paint();
  }

  /**
   * Replace all charts and create their panels. Added and chosen charts are kept if charts with the same names still
   * exist.
   *
   * @param main charts that are always on the page
   * @param more charts that can be added
   * @param stage one chart per network, for the network's card in the presentation view
   */
  build(main, more, stage = []) {
    for (const panel of this.panels.values()) panel.destroy();
    this.#watcher.disconnect();
    this.panels.clear();
    this.choice.adopt(this.#view.data);
    this.choice.setCharts(main, more, this.fixed);
    for (const spec of this.choice.specs) {
      const close = this.choice.isExtra(spec.name) && !this.fixed ? this.#close(spec) : null;
      const panel = new ChartPanel(this.#view, spec, { group: this.#switch(spec), close });
      this.panels.set(spec.name, panel);
      panel.cover();
      if (this.#view.pageLayout) panel.element.classList.add(`bnviz-size-${this.#view.pageLayout.size(spec.name)}`);
      this.#place(spec).append(panel.element);
      this.#watcher.observe(panel.element);
    }
    for (const spec of stage) this.#buildForCard(spec);
    this.#view.pageLayout?.foldExplanations();
    this.choice.complete();
    this.#arrange();
    this.#view.stage?.showFittingChart();
  }

  /** Create the panel of a network's own chart on the network's card in the presentation view. */
  #buildForCard(spec) {
    const place = this.#view.stage?.cards.placeOf(spec.network);
    if (!place) return;
    const panel = new ChartPanel(this.#view, spec);
    this.panels.set(spec.name, panel);
    place.replaceChildren(panel.element);
    this.#watcher.observe(panel.element);
    panel.show(true);
  }

  /** Name of the chart below the cards in the presentation view. */
  get shownBelow() {
    return this.choice.chosen;
  }

  /** Return the element that contains a chart. The charts that the preset is about come first on the page. */
  #place({ name }) {
    if (this.#view.data.leading?.includes(name)) return this.lead;
    return this.choice.isExtra(name) ? this.more : this.main;
  }

  /** Adopt the page's list of added charts if the list is new. */
  update() {
    for (const panel of this.panels.values()) panel.cover();
    if (!this.choice.begun || !this.choice.adopt(this.#view.data)) return;
    for (const { spec, element } of this.panels.values()) {
      if (spec.network) continue; // this chart is on the card of its network
      if (element.parentNode !== this.#place(spec)) this.#place(spec).append(element);
    }
    this.choice.complete();
    this.#arrange();
  }

  /** Return whether charts can be neither added nor removed. */
  get fixed() {
    return Boolean(this.#view.pageLayout) || this.#view.data.hide.includes("more");
  }

  /** Return a segmented control with which readers switch between charts that share one place. */
  #switch(spec) {
    if (!spec.switch) return null;
    return h("div.bnviz-segments.bnviz-switch", { role: "group" }, this.choice.groupOf(spec).map((other) => (
      button(other.switch.label, (event) => this.#pickInGroup(other, event), { "aria-pressed": String(other.name === spec.name) }))));
  }

  #pickInGroup(spec, { detail }) {
    this.choice.pickInGroup(spec);
    this.#arrange();
    this.#view.stage?.chartChosen(this.panels.get(spec.name));
    if (detail) return; // after a click no button has the focus, so that the space bar plays the run
    this.panels.get(spec.name).element.querySelector("[aria-pressed=true]")?.focus();
  }

  #close({ name, title }) {
    const { t } = this.#view;
    return button("×", () => this.toggleHere(name), {
      className: "bnviz-icon", title: t("chart.close"), aria: t("chart.close_of", { title }),
    });
  }

  /**
   * Add a chart, or remove the chart if it was already added.
   *
   * @returns whether the chart is on the page now
   */
  toggle(name) {
    const open = this.choice.toggle(name);
    if (!open) this.panels.get(name).toggleLarge(false);
    this.#arrange();
    this.#view.script.tell("charts", this.choice.allOpened);
    return open;
  }

  /** Add a chart and scroll to it, or remove the chart and move the focus to its button. */
  toggleHere(name) {
    if (this.toggle(name)) this.reveal(name);
    else this.menu.focus(name);
  }

  /** Return whether any of these charts exists, whether shown or not. */
  has(names) {
    return names.some((name) => this.panels.has(name));
  }

  /** Show charts with an option of a selector, such as a layer. Add charts that are not on the page yet. */
  openAt(names, selector, option) {
    const there = names.filter((name) => this.panels.has(name));
    for (const name of there) this.panels.get(name).choose(selector, option);
    for (const name of there) if (this.choice.isExtra(name) && !this.choice.opened(name)) this.toggle(name);
    if (this.choice.mode === "page") return this.reveal(there[0]);
    this.put(there[0]);
    this.menu.focus(there[0]);
  }

  /** Return the selected option of a chart's selector, or null if the chart is not shown. */
  chosenIn(name, selector) {
    const panel = this.panels.get(name);
    return panel?.shown ? panel.selected[selector] : null;
  }

  /** Scroll a chart into the window. */
  reveal(name) {
    this.panels.get(name)?.element.scrollIntoView({ block: "nearest" });
  }

  /** Set the mode in which charts are shown. @param mode "page", "present" (the presentation view) or "phone" */
  setMode(mode) {
    if (this.choice.mode === mode) return;
    this.choice.mode = mode;
    this.#arrange();
  }

  /** Choose the chart shown in the presentation view or on a phone. */
  put(name) {
    const other = this.shownBelow !== name;
    this.choice.put(name);
    this.#arrange();
    if (other) this.#view.stage?.chartChosen(this.panels.get(name));
  }

  /**
   * Choose a chart by its number in the chooser (from 1).
   *
   * @returns whether there is such a chart
   */
  pick(place) {
    const name = this.choice.choices(this.#view.data.frequent_charts)[place - 1]?.name;
    if (!name || this.choice.mode === "page") return false;
    this.put(name);
    return true;
  }

  #arrange() {
    for (const spec of this.choice.specs) this.panels.get(spec.name).show(this.choice.shows(spec));
    this.menu.update();
    this.#changed = true;
    this.#view.wantProbes();
    this.#view.paint();
  }

  /** The names of the probes that the charts on the page draw. */
  needs() {
    const shown = [...this.panels.values()].filter((panel) => panel.shown);
    return [...new Set(shown.flatMap(({ spec }) => spec.needs))].sort();
  }

  /**
   * Draw the charts in the window. @param what {frame, series}: whether the frame and the series have changed since the
   * last drawing
   */
  draw(scene, what) {
    let first = false;
    for (const panel of this.panels.values()) {
      const { time } = panel.spec;
      const changed = this.#changed || what.frame || (time && what.series);
      // after one first drawing, postpone all other first drawings
      const firstDrawing = panel.draw(scene, changed, first);
      first ||= firstDrawing;
    }
    if (first) this.#view.paint();
    this.#changed = false;
  }

  /**
   * Return a promise that resolves when the next figure may be created. Each figure is created in a separate task, so
   * that no task takes long.
   */
  nextTurn() {
    this.#creating = this.#creating.then(() => new Promise((resolve) => setTimeout(resolve)));
    return this.#creating;
  }

  /** Create the figures in the window, even if the first frame has not arrived yet. */
  mount() {
    for (const panel of this.panels.values()) panel.mount();
  }

  /** Return whether all figures in the window have been drawn with their history. */
  get ready() {
    const panels = [...this.panels.values()].filter(({ shown, onScreen }) => shown && onScreen);
    return panels.length > 0 && panels.every(({ drawn, settled }) => drawn && settled);
  }

  /** Forget what has been drawn, because the same charts now show another run. */
  forget() {
    for (const panel of this.panels.values()) {
      panel.patcher?.forget();
      panel.invalidate();
    }
  }

  /** Request the history that the charts on the page draw, before their figures exist. */
  requestPast() {
    for (const panel of this.panels.values()) if (panel.shown) void panel.settled;
  }

  /** Mark all charts, so that they are redrawn with the next scene. */
  invalidate() {
    for (const panel of this.panels.values()) panel.invalidate();
  }

  /**
   * Close the enlarged chart.
   *
   * @returns whether a chart was enlarged
   */
  closeLarge() {
    const large = [...this.panels.values()].find(({ element }) => element.hasAttribute("popover"));
    large?.toggleLarge(false);
    return Boolean(large);
  }

  destroy() {
    this.#watcher.disconnect();
    for (const panel of this.panels.values()) panel.destroy();
  }
}

/**
 * Buttons that choose charts: small buttons below the charts of the page, or a chooser in the presentation and phone
 * modes.
 */
class ChartsMenu {
  pills = h("nav.bnviz-pills");
  chooser = h("nav.bnviz-chooser", { hidden: true });
  #view;
  #area;

  constructor(view, area) {
    this.#view = view;
    this.#area = area;
  }

  update() {
    const { choice, fixed } = this.#area;
    const { frequent_charts: frequent } = this.#view.data;
    const focused = document.activeElement?.dataset?.opens ?? null;
    const onPage = choice.mode === "page";
    const add = !fixed && choice.extra.length > 0;
    setHidden(this.pills, !onPage || !add);
    setHidden(this.chooser, onPage);
    if (onPage) this.#fillPills(choice.frequent(frequent));
    else this.#fillChooser(choice.choices(frequent), add);
    if (focused !== null && !this.#view.root?.contains(document.activeElement)) this.focus(focused);
  }

  #fillPills(frequent) {
    fill(this.pills, h("span", this.#view.t("more.title")),
      frequent.map((spec) => this.#pill(spec, this.#area.choice.opened(spec.name), () => this.#area.toggleHere(spec.name))),
      this.#add());
  }

  #fillChooser(choices, add) {
    const { mode, chosen } = this.#area.choice;
    fill(this.chooser, choices.map((spec, i) => {
      const pick = this.#pill(spec, spec.name === chosen, () => this.#area.put(spec.name));
      if (mode === "present" && i < KEYS) pick.prepend(h("kbd", i + 1), " ");
      return pick;
    }), add ? this.#add() : null);
  }

  #pill({ name, title, help }, pressed, act) {
    return pill(title, act, { title: help || null, "data-opens": name, "aria-pressed": String(pressed) });
  }

  #add() {
    const { t } = this.#view;
    return pill(t("gallery.open"), () => this.#view.act("gallery"), {
      className: "bnviz-add", title: t("gallery.open_help"), "data-opens": "", "aria-haspopup": "dialog",
    });
  }

  /** Move the focus to a chart's button, or else to the button that opens the gallery. */
  focus(name) {
    const all = [...this.pills.querySelectorAll("[data-opens]"), ...this.chooser.querySelectorAll("[data-opens]")];
    const visible = all.filter((element) => element.offsetParent);
    (visible.find(({ dataset }) => dataset.opens === name) ?? visible.find(({ dataset }) => dataset.opens === ""))?.focus();
  }
}
