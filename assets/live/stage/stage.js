// The stage: the page as a hall sees it. Transport and one knob across the top, a card a network with
// its distributions, one chart of choice below; all of it in one window, nothing of it small.

import { setHidden, h } from "../lib/dom.js";
import { StageCards } from "./stage_cards.js";
import { StageMenu } from "./stage_menu.js";

const TALLEST = 345; // px of a figure's own height that can still be read in the place below

export class Stage {
  #view;
  #alone = false;

  constructor(view) {
    this.#view = view;
    this.cards = new StageCards(view);
    this.menu = new StageMenu(view);
  }

  /** Put the view's parts where they stand on the stage. */
  arrange() {
    const { root, notices, transport, rate, charts, timeline, talk, question, announcer } = this.#view;
    charts.menu.pills.remove();
    this.foot = h("div", { class: "bnviz-stage-foot" }, charts.element, question.element);
    this.bar = h("div", { class: "bnviz-stage-bar" }, transport.element, rate.element, this.menu.element);
    this.element = h("div", { class: "bnviz-stage" }, this.bar, this.cards.element, this.foot,
      h("div", { class: "bnviz-stage-base" }, talk.element, timeline.element, notices.element));
    root.append(this.element, announcer.element);
    this.menu.take(transport, charts.menu);
  }

  update() {
    this.cards.update();
    this.menu.update();
    const { data } = this.#view;
    this.element.dataset.count = data.norms.length;
  }

  draw(scene) {
    this.cards.draw(scene);
  }

  /** The place of a network's own chart. */
  placeOf(norm) {
    return this.cards.placeOf(norm);
  }

  /** Whether one chart has the window, under transport and knob. */
  get alone() {
    return this.#alone;
  }

  /** Give the chart of choice the window, or take it back. */
  setAlone(alone) {
    this.#alone = alone;
    this.element.classList.toggle("bnviz-alone", alone);
    setHidden(this.cards.element, alone);
    // One that needs the window does not stay below without it.
    if (!alone) this.settle();
  }

  /** A number key: another chart in the place below; the same one again has the window. */
  pick(place) {
    const { charts } = this.#view;
    const before = charts.shownBelow;
    if (!charts.pick(place)) return false;
    if (charts.shownBelow === before) this.setAlone(!this.#alone);
    return true;
  }

  /** The charts are there: in the place below stands one that it has room for, if there is one. */
  settle() {
    const { charts } = this.#view;
    const fits = (panel) => panel && panel.ownHeight <= TALLEST;
    const shown = charts.panels.get(charts.shownBelow);
    this.#make(shown);
    if (!shown || shown.spec.time || fits(shown)) return;
    const fitting = [...charts.panels.values()].find((panel) => panel.spec.time && fits(panel));
    if (fitting) charts.put(fitting.spec.name);
  }

  /** Another chart has the place below: one that is too tall for it has the window. */
  follow(panel) {
    this.setAlone(panel.ownHeight > TALLEST);
    this.#make(panel);
  }

  /** Rows of words need height; lines over time do not. */
  #make(panel) {
    this.element.toggleAttribute("data-rows", Boolean(panel && !panel.spec.time));
  }
}
