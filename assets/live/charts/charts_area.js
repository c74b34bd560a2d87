// All charts of the page: makes their panels, puts them in their places, and draws those on screen.

import { button, h } from "../lib/dom.js";
import { ChartChoice } from "./chart_choice.js";
import { ChartPanel } from "./chart_panel.js";
import { ChartsMenu } from "./charts_menu.js";

export class ChartsArea {
  element = h("div", { class: "bnviz-charts" });
  main = h("div", { class: "bnviz-main" });
  more = h("div", { class: "bnviz-more-charts" });
  lead = h("div", { class: "bnviz-more-charts bnviz-lead" }); // what a preset is there to show
  panels = new Map(); // by chart name, in order
  #view;
  #choice = new ChartChoice();
  #watcher;
  #changed = true;
  #making = Promise.resolve();

  constructor(view) {
    this.#view = view;
    this.menu = new ChartsMenu(view, this);
    this.#watcher = new IntersectionObserver((entries) => this.#seen(entries), { rootMargin: "80px" });
  }

  #seen(entries) {
    for (const { target, isIntersecting } of entries) {
      const panel = this.panels.get(target.dataset.chart);
      if (!panel || panel.element !== target) continue;
      panel.onScreen = isIntersecting;
      if (isIntersecting) panel.invalidate();
    }
    this.#view.paint();
  }

  /** Build panels for other charts; what was opened or chosen stays so by name. @param stage a chart a network */
  build(main, more, stage = []) {
    for (const panel of this.panels.values()) panel.destroy();
    this.#watcher.disconnect();
    this.panels.clear();
    this.#choice.adopt(this.#view.data);
    this.#choice.setCharts(main, more, this.fixed);
    for (const spec of this.#choice.specs) {
      const close = this.#choice.isExtra(spec.name) && !this.fixed ? this.#close(spec) : null;
      const panel = new ChartPanel(this.#view, spec, { group: this.#switch(spec), close });
      this.panels.set(spec.name, panel);
      if (this.#view.block) panel.element.classList.add(`bnviz-size-${this.#view.block.size(spec.name)}`);
      this.#place(spec).append(panel.element);
      this.#watcher.observe(panel.element);
    }
    for (const spec of stage) this.#buildOne(spec);
    this.#view.block?.settle();
    this.#choice.complete();
    this.#arrange();
    this.#view.stage?.settle();
  }

  /** The chart of one network, which is always on the stage. */
  #buildOne(spec) {
    const place = this.#view.stage?.placeOf(spec.network);
    if (!place) return;
    const panel = new ChartPanel(this.#view, spec);
    this.panels.set(spec.name, panel);
    place.replaceChildren(panel.element);
    this.#watcher.observe(panel.element);
    panel.show(true);
  }

  /** The chart of choice below the networks on the stage. */
  get shownBelow() {
    return this.#choice.slots.at(-1);
  }

  /** Where a chart stands: one in which the preset is to be seen before all others. */
  #place({ name }) {
    if (this.#view.data.leading?.includes(name)) return this.lead;
    return this.#choice.isExtra(name) ? this.more : this.main;
  }

  /** Follow the page where it opened other charts among the same ones. */
  update() {
    if (!this.#choice.begun || !this.#choice.adopt(this.#view.data)) return;
    for (const { spec, element } of this.panels.values()) {
      if (spec.network) continue; // it stands on its network's card
      if (element.parentNode !== this.#place(spec)) this.#place(spec).append(element);
    }
    this.#choice.complete();
    this.#arrange();
  }

  /** Whether charts can be neither added nor taken away. */
  get fixed() {
    return Boolean(this.#view.block) || (this.#view.data.hide ?? []).includes("more");
  }

  /** A segmented control for charts that share one place. */
  #switch(spec) {
    if (!spec.switch) return null;
    return h("div", { class: "bnviz-segments bnviz-switch", role: "group" }, ...this.#choice.groupOf(spec).map((other) => {
      const pick = button(other.switch.label, (event) => this.#pickInGroup(other, event));
      pick.setAttribute("aria-pressed", String(other.name === spec.name));
      return pick;
    }));
  }

  #pickInGroup(spec, { detail }) {
    this.#choice.pickInGroup(spec);
    this.#arrange();
    this.#view.stage?.follow(this.panels.get(spec.name));
    if (detail) return; // what was clicked does not keep the focus, so that Space plays
    this.panels.get(spec.name).element.querySelector("[aria-pressed=true]")?.focus();
  }

  #close({ name, title }) {
    const { t } = this.#view;
    return button("×", () => this.toggleHere(name), {
      className: "bnviz-icon", title: t("chart.close"), aria: t("chart.close_of", { title }),
    });
  }

  /** The charts that can be added. */
  get extra() {
    return this.#choice.extra;
  }

  /** Whether one of them was added. */
  opened(name) {
    return this.#choice.opened(name);
  }

  /** Add a chart or take it away. */
  toggle(name) {
    const open = this.#choice.toggle(name);
    if (!open) this.panels.get(name).toggleLarge(false);
    this.#arrange();
    this.#view.script.opened(this.#choice.allOpened);
    return open;
  }

  /** Open or close a chart from the page itself: go with it to where it is, or was. */
  toggleHere(name) {
    if (this.toggle(name)) this.reveal(name);
    else this.menu.focus(name);
  }

  /** Whether there is any of these charts, on the page or to be added. */
  has(names) {
    return names.some((name) => this.panels.has(name));
  }

  /** Open charts with an option of a selector, such as a layer. */
  openAt(names, selector, option) {
    const there = names.filter((name) => this.panels.has(name));
    for (const name of there) this.panels.get(name).choose(selector, option);
    for (const name of there) if (this.#choice.isExtra(name) && !this.opened(name)) this.toggle(name);
    if (this.#choice.mode === "page") return this.reveal(there[0]);
    this.put(there[0]);
    this.menu.focus(there[0]);
  }

  /** The option of a selector in a chart that is on the page; null: it is not. */
  chosenIn(name, selector) {
    const panel = this.panels.get(name);
    return panel?.shown ? panel.selected[selector] : null;
  }

  /** Bring a chart into the window. */
  reveal(name) {
    this.panels.get(name)?.element.scrollIntoView({ block: "nearest" });
  }

  setMode(mode) {
    if (this.#choice.mode === mode) return;
    this.#choice.mode = mode;
    this.#arrange();
  }

  /** Show a chart in present or phone mode, by name. */
  put(name) {
    const other = this.shownBelow !== name;
    this.#choice.put(name);
    this.#arrange();
    if (other) this.#view.stage?.follow(this.panels.get(name));
  }

  /** Show the chart with this number (from 1) of the chooser. */
  pick(place) {
    const name = this.#choice.choices(this.#view.data.often)[place - 1]?.name;
    if (!name || this.#choice.mode === "page") return false;
    this.put(name);
    return true;
  }

  #arrange() {
    const { mode, slots, specs } = this.#choice;
    const { often } = this.#view.data;
    for (const spec of specs) this.panels.get(spec.name).show(this.#choice.shows(spec));
    this.menu.update(mode, {
      often: this.#choice.often(often), choices: this.#choice.choices(often), slots,
      add: !this.fixed && this.extra.length > 0,
    });
    this.#changed = true;
    this.#view.askProbes();
    this.#view.paint();
  }

  /** The probes that the charts on the page draw. */
  needs() {
    const shown = [...this.panels.values()].filter((panel) => panel.shown);
    return [...new Set(shown.flatMap(({ spec }) => spec.needs ?? []))].sort();
  }

  /** Draw what is on screen. @param what {frame, series}: what changed since the last draw */
  draw(scene, what) {
    let first = false;
    for (const panel of this.panels.values()) {
      const { time } = panel.spec;
      const changed = this.#changed || what.frame || (time && what.series);
      const begins = panel.draw(scene, changed, first);
      first ||= begins;
    }
    if (first) this.#view.paint();
    this.#changed = false;
  }

  /** Resolves when one more figure may be made: each in a task of its own, so that none is long. */
  nextTurn() {
    this.#making = this.#making.then(() => new Promise((resolve) => setTimeout(resolve)));
    return this.#making;
  }

  /** Make the figures that can be seen, while the first frame is on its way. */
  mount() {
    for (const panel of this.panels.values()) panel.mount();
  }

  /** Whether the figures that can be seen stand in the page, with what is known. */
  get ready() {
    const panels = [...this.panels.values()].filter(({ shown, onScreen }) => shown && onScreen);
    return panels.length > 0 && panels.every(({ drawn, settled }) => drawn && settled);
  }

  /** Forget everything drawn: another run begins in the same charts. */
  forget() {
    for (const panel of this.panels.values()) {
      panel.patcher?.forget();
      panel.invalidate();
    }
  }

  /** Ask for the past that the charts on the page show, before there is anything to draw it in. */
  requestPast() {
    for (const panel of this.panels.values()) if (panel.shown) void panel.settled;
  }

  /** Draw everything on screen at the next chance. */
  invalidate() {
    for (const panel of this.panels.values()) panel.invalidate();
  }

  /** Close a large chart; false if there was none. */
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
