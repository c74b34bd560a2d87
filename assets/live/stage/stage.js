// The stage: the page as a hall sees it. Transport and one knob across the top, a card a network with
// its distributions, one chart of choice below; all of it in one window, nothing of it small.

import { button, h, setHidden } from "../lib/dom.js";
import { asksLayer, coversLater } from "../lib/headline.js";
import { leaveClicked } from "../lib/returned_focus.js";
import { keep, readKept } from "../lib/tab_storage.js";
import { StageCards } from "./stage_cards.js";
import { StageKnobs } from "./stage_knobs.js";
import { StageMenu } from "./stage_menu.js";

const KEPT = "bnviz-stage-chart";
const TALLEST = 345; // px of a figure's own height that can still be read in the place below

export class Stage {
  #view;
  #alone = false;

  constructor(view) {
    this.#view = view;
    this.cards = new StageCards(view);
    this.menu = new StageMenu(view);
    this.knobs = new StageKnobs(view);
    this.showBreak = button(view.t("cards.show_break"), () => this.#showBreak(), { className: "bnviz-pill" });
    setHidden(this.showBreak, true);
  }

  /** Put the view's parts where they stand on the stage. */
  arrange() {
    const { root, notices, transport, rate, charts, timeline, talk, question, announcer } = this.#view;
    charts.menu.pills.remove();
    this.foot = h("div", { class: "bnviz-stage-foot" }, charts.element, question.element);
    this.bar = h("div", { class: "bnviz-stage-bar" }, transport.element, this.knobs.place(rate.element), this.menu.element, talk.says);
    // What comes and goes stands at the foot: nothing in the bar is moved by it.
    this.element = h("div", { class: "bnviz-stage" }, this.bar, this.cards.element, this.foot,
      h("div", { class: "bnviz-stage-base" }, talk.element, timeline.element, transport.what, transport.live, this.showBreak, notices.element));
    root.append(this.element, announcer.element);
    this.menu.take(transport, charts.menu, this.knobs);
    this.element.addEventListener("click", leaveClicked);
  }

  update() {
    this.cards.update();
    this.menu.update();
    this.knobs.update();
    const { data } = this.#view;
    this.element.dataset.count = data.norms.length;
  }

  draw(scene) {
    this.cards.draw(scene);
    const [norm] = this.#broken;
    setHidden(this.showBreak, norm === undefined || asksLayer(this.#view) || coversLater(this.#view));
    if (norm === undefined) return;
    const { data, t } = this.#view;
    this.showBreak.title = t("stage.show_break", { label: data.labels[norm] ?? norm });
  }

  /** The networks that broke, in the order in which their breaks are shown: after the one that is shown now. */
  get #broken() {
    const { store, time } = this.#view;
    const all = Object.entries(store.breaks).filter(([, { step }]) => step > 0).sort(([, one], [, other]) => one.step - other.step);
    const next = time.rewound ? all.findIndex(([, { step }]) => step > time.centre) : 0;
    return [...all.slice(Math.max(0, next)), ...all.slice(0, Math.max(0, next))].map(([norm]) => norm);
  }

  #showBreak() {
    const { store, time } = this.#view;
    time.playAround(store.breaks[this.#broken[0]].step);
  }

  end() {
    this.knobs.end();
    this.menu.drawer.close();
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
    const { charts, data } = this.#view;
    const kept = readKept(KEPT); // of the same run, as after a look at the page
    if (kept?.run === data.run && charts.panels.has(kept.name) && charts.shownBelow !== kept.name) charts.put(kept.name);
    const fits = (panel) => panel && panel.ownHeight <= TALLEST;
    const shown = charts.panels.get(charts.shownBelow);
    this.#make(shown);
    if (!shown || shown.spec.time || fits(shown)) return;
    const fitting = [...charts.panels.values()].find((panel) => panel.spec.time && fits(panel));
    if (fitting) charts.put(fitting.spec.name);
  }

  /** Another chart has the place below: one that is too tall for it has the window. */
  follow(panel) {
    keep(KEPT, { run: this.#view.data.run, name: panel.spec.name });
    this.setAlone(panel.ownHeight > TALLEST);
    this.#make(panel);
  }

  /** Rows of words need height; lines over time do not. */
  #make(panel) {
    this.element.toggleAttribute("data-rows", Boolean(panel && !panel.spec.time));
  }
}
