// All charts: which of them stand on the page, in which mode, and when they are drawn.

import { ChartsMenu } from "./charts_menu.js";
import { button, h } from "../lib/dom.js";
import { openGallery } from "../dialogs/gallery.js";
import { Panel } from "./chart_panel.js";

export class ChartsArea {
  element = h("div", { class: "bnviz-charts" });
  main = h("div", { class: "bnviz-main" });
  more = h("div", { class: "bnviz-more-charts" });
  lead = h("div", { class: "bnviz-more-charts bnviz-lead" }); // what a preset is there to show
  panels = new Map(); // by chart name, in order
  #view;
  #mode = "page"; // "page" | "present" | "phone"
  #opened = new Set(); // "more" charts on the page
  #turn = null; // the page's last word on them; null before the first
  #choice = {}; // chart shown in each switch group
  #slots = []; // charts shown in the other modes, newest last
  #specs = [];
  #moreNames = new Set();
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
      if (isIntersecting) panel.touch();
    }
    this.#view.paint();
  }

  /** Build panels for other charts; what was opened or chosen stays so by name. */
  build(main, more) {
    for (const panel of this.panels.values()) panel.destroy();
    this.#watcher.disconnect();
    this.panels.clear();
    this.#adopt();
    // Where a link takes the choice away, only what it opened is there, to stay.
    if (this.fixed) more = more.filter(({ name }) => this.#opened.has(name));
    this.#specs = [...main, ...more];
    this.#moreNames = new Set(more.map(({ name }) => name));
    for (const spec of this.#specs) {
      const extra = this.#moreNames.has(spec.name);
      const close = extra && !this.fixed ? this.#close(spec) : null;
      const panel = new Panel(this.#view, spec, { group: this.#switch(spec), close });
      this.panels.set(spec.name, panel);
      this.#place(spec).append(panel.element);
      this.#watcher.observe(panel.element);
    }
    this.#defaults();
    this.#arrange();
  }

  /** Where a chart stands: one that the preset brings before all others. */
  #place({ name }) {
    if (!this.#moreNames.has(name)) return this.main;
    return this.#view.data.leading?.includes(name) ? this.lead : this.more;
  }

  /** What the page itself opened, at the start and with each preset. */
  #adopt() {
    const { opened = [], opened_turn: turn = 0 } = this.#view.data;
    if (this.#turn === turn) return false;
    this.#turn = turn;
    this.#opened = new Set(opened);
    this.#slots = this.#slots.filter((name) => !this.#moreNames.has(name) || this.#opened.has(name));
    for (const name of opened) this.#push(name);
    for (const { spec, element } of this.panels.values()) {
      if (element.parentNode !== this.#place(spec)) this.#place(spec).append(element);
    }
    return true;
  }

  /** Follow the page where it opened other charts among the same ones. */
  update() {
    if (this.#turn === null || !this.#adopt()) return;
    this.#defaults();
    this.#arrange();
  }

  /** Whether charts can be neither added nor taken away. */
  get fixed() {
    return (this.#view.data.hide ?? []).includes("more");
  }

  #defaults() {
    const names = this.#specs.map(({ name }) => name);
    for (const { name, switch: group } of this.#specs) if (group) this.#choice[group.group] ??= name;
    this.#slots = this.#slots.filter((name) => names.includes(name));
    const main = this.#specs.filter((spec) => !this.#moreNames.has(spec.name) && this.#onPage(spec));
    for (const { name } of main) {
      if (this.#slots.length < 2 && !this.#slots.includes(name)) this.#slots.unshift(name);
    }
  }

  /** A segmented control for charts that share one place. */
  #switch(spec) {
    if (!spec.switch) return null;
    const group = this.#specs.filter((other) => other.switch?.group === spec.switch.group);
    return h("div", { class: "bnviz-segments bnviz-switch", role: "group" }, ...group.map((other) => {
      const pick = button(other.switch.label, () => this.#choose(other));
      pick.setAttribute("aria-pressed", String(other.name === spec.name));
      return pick;
    }));
  }

  #choose(spec) {
    this.#choice[spec.switch.group] = spec.name;
    const group = this.#specs.filter((other) => other.switch?.group === spec.switch.group);
    const at = this.#slots.findIndex((name) => group.some((other) => other.name === name));
    if (at >= 0) this.#slots[at] = spec.name;
    this.#arrange();
    this.panels.get(spec.name).element.querySelector("[aria-pressed=true]")?.focus();
  }

  #close({ name, title }) {
    const { t } = this.#view;
    return button("×", () => this.toggleHere(name), {
      className: "bnviz-icon", title: t("chart.close"), aria: t("chart.close_of", { title }),
    });
  }

  /** Whether a "more" chart was opened. */
  opened(name) {
    return this.#opened.has(name) && this.#moreNames.has(name);
  }

  /** Open or close one of the "more" charts. */
  toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    else this.panels.get(name).toggleLarge(false);
    const open = this.opened(name);
    if (open) this.#push(name);
    else this.#slots = this.#slots.filter((other) => other !== name);
    this.#defaults();
    this.#arrange();
    this.#view.tellOpened([...this.#opened]);
    return open;
  }

  /** Open or close a chart from the page itself: go with it to where it is, or was. */
  toggleHere(name) {
    if (this.toggle(name)) this.reveal(name);
    else this.menu.focus(name);
  }

  /** Bring a chart into the window. */
  reveal(name) {
    this.panels.get(name)?.element.scrollIntoView({ block: "nearest" });
  }

  /** Offer every chart there is. */
  offer() {
    const more = this.#specs.filter(({ name }) => this.#moreNames.has(name));
    openGallery(this.#view, more, (name) => this.opened(name), (name) => this.toggle(name));
  }

  setMode(mode) {
    if (this.#mode === mode) return;
    this.#mode = mode;
    this.#arrange();
  }

  /** Show a chart in present or phone mode, by name. */
  put(name) {
    this.#push(name);
    this.#arrange();
  }

  /** Show the chart with this number (from 1) of the chooser. */
  pick(place) {
    const name = this.choices()[place - 1]?.name;
    if (!name || this.#mode === "page") return false;
    this.put(name);
    return true;
  }

  #push(name) {
    this.#slots = [...this.#slots.filter((other) => other !== name), name].slice(-2);
  }

  /** The charts that one press shows: the main ones, the often used ones, the opened ones. */
  choices() {
    const often = new Set(this.#often());
    return this.#specs.filter((spec) => !this.#moreNames.has(spec.name) || often.has(spec) || this.opened(spec.name));
  }

  /** The charts that can be added with one press. */
  #often() {
    const { often } = this.#view.data;
    return this.#specs.filter(({ name }) => this.#moreNames.has(name) && (!often || often.includes(name)));
  }

  #onPage(spec) {
    if (this.#moreNames.has(spec.name)) return this.opened(spec.name);
    return !spec.switch || this.#choice[spec.switch.group] === spec.name;
  }

  #arrange() {
    const slots = this.#slots.slice(this.#mode === "phone" ? -1 : -2);
    for (const spec of this.#specs) {
      const shown = this.#mode === "page" ? this.#onPage(spec) : slots.includes(spec.name);
      this.panels.get(spec.name).show(shown);
    }
    const more = new Set(this.fixed ? [] : this.#moreNames);
    this.menu.update(this.#mode, { often: this.#often(), choices: this.choices(), slots, more });
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
  turn() {
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
      panel.touch();
    }
  }

  /** Ask for the past that the charts on the page show, before there is anything to draw it in. */
  ask() {
    for (const panel of this.panels.values()) if (panel.shown) void panel.settled;
  }

  /** Draw everything on screen at the next chance. */
  touch() {
    for (const panel of this.panels.values()) panel.touch();
  }

  /** Close a large chart; false if there was none. */
  shrink() {
    const large = [...this.panels.values()].find(({ element }) => element.hasAttribute("popover"));
    large?.toggleLarge(false);
    return Boolean(large);
  }

  destroy() {
    this.#watcher.disconnect();
    for (const panel of this.panels.values()) panel.destroy();
  }
}
