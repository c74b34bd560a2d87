// What differs from the preset, a line a knob with one way back each. Live knobs are heard from the run
// itself and go back without a script; of the others the page's script says what they are.

import { fill, h } from "../lib/dom.js";
import { written } from "../lib/format.js";

export class WhatDiffers {
  #host;
  #link = null;
  #shown = "";
  #leave = () => {};

  /**
   * @param host {data: {homes, can_control}, t, among, field, takeBack(name)}, read anew with each update; `among`
   *   has the names of the knobs that are looked for, null: nothing is
   */
  constructor(host) {
    this.#host = host;
    this.element = h("div", { class: "bnviz-differs" });
  }

  /** Follow another run's values, or none's. */
  bind(link) {
    this.#leave();
    this.#link = link;
    this.#leave = link?.on("values", () => this.update()) ?? (() => {});
    this.update();
  }

  /** Say what has changed. */
  update() {
    const { data, t, among } = this.#host;
    const asked = (data.homes ?? []).filter(({ name }) => !among || among.has(name));
    const items = asked.map((item) => this.#present(item)).filter(Boolean);
    const allowed = this.#link?.allowed ?? data.can_control;
    const silent = data.homes === null || (among && !items.length);
    const says = JSON.stringify([items, allowed, silent, t("drawer.same")]);
    if (says === this.#shown) return;
    this.#shown = says;
    const held = this.element.contains(document.activeElement) ? document.activeElement.dataset.back : null;
    if (silent) fill(this.element);
    else if (!items.length) fill(this.element, h("p", {}, t("drawer.same")));
    else fill(this.element, h("p", {}, t("drawer.differs")), h("ul", {}, ...items.map((item) => this.#line(item, allowed))));
    if (held) this.#keepFocus(held);
  }

  /** What a knob is now, unless it is as the preset has it. */
  #present(item) {
    if (!item.live || !this.#link) return item.live && item.now === item.was ? null : item;
    const value = this.#link.shown(item.name);
    // With a rate for each network, that of all is nobody's.
    if (item.name === "learning_rate" && this.#link.shown("learning_rates")) return null;
    if (JSON.stringify(value) === JSON.stringify(item.home)) return null;
    return { ...item, now: value === null ? item.now : [value].flat().map(written).join(", ") };
  }

  #line({ name, label, now, was, live, home }, allowed) {
    const { t } = this.#host;
    const back = () => (live && this.#link?.connected ? this.#link.set(name, home) : this.#host.takeBack(name));
    return h("li", { "data-differs": name },
      h("span", {}, t("drawer.now", { label, value: now })), " · ",
      h("button", { type: "button", class: "bnviz-link", "data-back": name, disabled: !allowed,
        "aria-label": t("drawer.back_of", { label, value: was }), onclick: back }, t("drawer.back", { value: was })));
  }

  /** The way back that was taken is gone: the next one has the focus, or what says that all is as it was, or the search. */
  #keepFocus(name) {
    const ways = [...this.element.querySelectorAll("button")];
    const next = ways.find((way) => way.dataset.back === name) ?? ways[0] ?? this.element.querySelector("p") ?? this.#host.field;
    if (next?.localName === "p") next.tabIndex = -1;
    next?.focus();
  }

  end() {
    this.#leave();
  }
}
