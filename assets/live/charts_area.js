// All charts: which of them stand on the page, in which mode, and when they are drawn.

import { button, fill, h, setHidden } from "./dom.js";
import { Panel } from "./panel.js";

export class ChartsArea {
  element = h("div", { class: "bnviz-charts" });
  main = h("div", { class: "bnviz-main" });
  more = h("div", { class: "bnviz-more-charts" });
  pills = h("nav", { class: "bnviz-pills" });
  chooser = h("nav", { class: "bnviz-chooser", hidden: true });
  panels = new Map(); // by chart name, in order
  #view;
  #mode = "page"; // "page" | "present" | "phone"
  #opened = new Set(); // "more" charts on the page
  #choice = {}; // chart shown in each switch group
  #slots = []; // charts shown in the other modes, newest last
  #specs = [];
  #moreNames = new Set();
  #watcher;
  #changed = true;

  constructor(view) {
    this.#view = view;
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
    this.#specs = [...main, ...more];
    this.#moreNames = new Set(more.map(({ name }) => name));
    for (const spec of this.#specs) {
      const extra = this.#moreNames.has(spec.name);
      const panel = new Panel(this.#view, spec, { group: this.#switch(spec), close: extra ? this.#close(spec) : null });
      this.panels.set(spec.name, panel);
      (extra ? this.more : this.main).append(panel.element);
      this.#watcher.observe(panel.element);
    }
    this.#defaults();
    this.#pills(more);
    this.#arrange();
  }

  #defaults() {
    const names = this.#specs.map(({ name }) => name);
    for (const { name, switch: group } of this.#specs) if (group) this.#choice[group.group] ??= name;
    this.#slots = this.#slots.filter((name) => names.includes(name));
    const firsts = this.#specs.filter((spec) => this.#onPage(spec)).map(({ name }) => name);
    for (const name of firsts) {
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
    return button("×", () => this.toggle(name), {
      className: "bnviz-icon", title: t("chart.close"), aria: t("chart.close_of", { title }),
    });
  }

  #pills(more) {
    const { t } = this.#view;
    fill(this.pills, h("span", {}, t("more.title")), ...more.map(({ name, title }) => {
      const pill = button(title, () => this.toggle(name), { className: "bnviz-pill" });
      pill.dataset.opens = name;
      return pill;
    }));
  }

  /** Open or close one of the "more" charts. */
  toggle(name) {
    if (!this.#opened.delete(name)) this.#opened.add(name);
    else this.panels.get(name).toggleLarge(false);
    this.#arrange();
    if (this.#opened.has(name)) this.panels.get(name).element.scrollIntoView({ block: "nearest" });
    else this.pills.querySelector(`[data-opens="${name}"]`)?.focus();
  }

  setMode(mode) {
    if (this.#mode === mode) return;
    this.#mode = mode;
    this.#arrange();
  }

  /** Show the chart with this number (from 1) in present or phone mode. */
  pick(place) {
    const name = this.#specs[place - 1]?.name;
    if (!name || this.#mode === "page") return false;
    this.#slots = [...this.#slots.filter((other) => other !== name), name].slice(-2);
    this.#arrange();
    return true;
  }

  #onPage(spec) {
    if (this.#moreNames.has(spec.name)) return this.#opened.has(spec.name);
    return !spec.switch || this.#choice[spec.switch.group] === spec.name;
  }

  #arrange() {
    const places = this.#mode === "phone" ? 1 : 2;
    const slots = this.#slots.slice(-places);
    for (const spec of this.#specs) {
      const shown = this.#mode === "page" ? this.#onPage(spec) : slots.includes(spec.name);
      this.panels.get(spec.name).show(shown);
    }
    for (const pill of this.pills.querySelectorAll("[data-opens]")) {
      pill.setAttribute("aria-pressed", String(this.#opened.has(pill.dataset.opens)));
    }
    setHidden(this.pills, this.#mode !== "page" || this.#moreNames.size === 0);
    this.#fillChooser(slots);
    this.#changed = true;
    this.#view.paint();
  }

  #fillChooser(slots) {
    setHidden(this.chooser, this.#mode === "page");
    if (this.#mode === "page") return;
    fill(this.chooser, ...this.#specs.map(({ name, title }, i) => {
      const number = this.#mode === "present" && i < 9 ? h("kbd", {}, i + 1) : null;
      const pick = button(title, () => this.pick(i + 1), { className: "bnviz-pill" });
      if (number) pick.prepend(number, " ");
      pick.setAttribute("aria-pressed", String(slots.includes(name)));
      return pick;
    }));
  }

  /** Draw what is on screen. @param what {frame, series}: what changed since the last draw */
  draw(scene, what) {
    for (const panel of this.panels.values()) {
      const { time } = panel.spec;
      panel.draw(scene, this.#changed || what.frame || (time && what.series));
    }
    this.#changed = false;
  }

  /** Make the figures that can be seen, while the first frame is on its way. */
  mount() {
    for (const panel of this.panels.values()) panel.mount();
  }

  /** Whether the figures that can be seen stand in the page. */
  get ready() {
    const panels = [...this.panels.values()].filter(({ shown, onScreen }) => shown && onScreen);
    return panels.length > 0 && panels.every(({ mounted, settled }) => mounted && settled);
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
