// Presentation view, the layout for a projector. At the top are the transport and the knobs, then one card per network
// with the distributions of its layers, and below the cards one selected chart. The type is large, and everything fits
// into one window.

import { Knobs } from "../knobs/knobs.js";
import { differsFromLast, fill, h, pill, radios, setHidden, setText } from "../lib/dom.js";
import { fillHeadline, waitingHeadline } from "../lib/headlines.js";
import { blurClicked } from "../lib/keyboard_focus.js";
import { readFromTab, storeInTab } from "../lib/storage.js";
import { capitalize } from "../lib/texts.js";
import { StageMenu } from "./stage_menu.js";

const CHART = "bnviz-stage-chart"; // keys in the tab's storage
const SECOND_KNOB = "bnviz-second-knob";
const NONE = ""; // no second knob
const TALLEST = 345; // maximum design height in px of a figure that remains readable below the cards

export class Stage {
  #view;
  #alone = false; // whether the selected chart fills the window

  constructor(view) {
    this.#view = view;
    this.cards = new StageCards(view);
    this.menu = new StageMenu(view);
    this.knobs = new StageKnobs(view);
    this.showBreak = pill(view.t("cards.show_break"), () => this.#showBreak(), { hidden: true });
  }

  /** Put the view's parts into their places. */
  arrange() {
    const { root, notices, transport, rate, charts, timeline, talk, question, announcer } = this.#view;
    charts.menu.pills.remove();
    this.foot = h("div.bnviz-stage-foot", charts, question);
    this.bar = h("div.bnviz-stage-bar", transport, this.knobs.place(rate.element), this.menu, talk.says);
    // Elements that appear and disappear are at the bottom, so that nothing in the bar moves.
    this.element = h("div.bnviz-stage", this.bar, this.cards, this.foot,
      h("div.bnviz-stage-base", talk, timeline, transport.what, transport.live, this.showBreak, notices));
    root.append(this.element, announcer.element);
    this.menu.fill(transport, charts.menu, this.knobs);
    this.element.addEventListener("click", blurClicked);
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
    setHidden(this.showBreak, norm === undefined || this.#view.coversLayer || this.#view.coversLater);
    if (norm === undefined) return;
    const { data, t } = this.#view;
    this.showBreak.title = t("stage.show_break", { label: data.labels[norm] });
  }

  /**
   * Return the networks that broke, in the order of their breaks, starting with the first break after the step shown.
   */
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

  destroy() {
    this.knobs.second.destroy();
    this.menu.sidebar.close();
  }

  /** Whether the selected chart fills the window below the transport and the knobs, so that the cards are hidden. */
  get alone() {
    return this.#alone;
  }

  /** Let the selected chart fill the window, or show the cards again. */
  setAlone(alone) {
    this.#alone = alone;
    this.element.classList.toggle("bnviz-alone", alone);
    setHidden(this.cards.element, alone);
    // A chart that needs the whole window cannot remain below the cards.
    if (!alone) this.showFittingChart();
  }

  /**
   * Show the chart with this number below the cards. If its number is chosen a second time, the chart fills the window;
   * the third time, the cards return.
   * @returns whether there is such a chart
   */
  pick(place) {
    const { charts } = this.#view;
    const before = charts.shownBelow;
    if (!charts.pick(place)) return false;
    if (charts.shownBelow === before) this.setAlone(!this.#alone);
    return true;
  }

  /**
   * Show the previously selected chart below the cards, or another chart if the previous one does not fit there. Called
   * after charts have been created.
   */
  showFittingChart() {
    const { charts, data } = this.#view;
    const chosen = readFromTab(CHART);
    if (chosen?.run === data.run && charts.panels.has(chosen.name) && charts.shownBelow !== chosen.name) charts.put(chosen.name);
    const fits = (panel) => panel && panel.ownHeight <= TALLEST;
    const shown = charts.panels.get(charts.shownBelow);
    this.#fitRows(shown);
    if (!shown || shown.spec.time || fits(shown)) return;
    const fitting = [...charts.panels.values()].find((panel) => panel.spec.time && fits(panel));
    if (fitting) charts.put(fitting.spec.name);
  }

  /** Store the newly selected chart. It fills the window if it does not fit below the cards. */
  chartChosen(panel) {
    storeInTab(CHART, { run: this.#view.data.run, name: panel.spec.name });
    this.setAlone(panel.ownHeight > TALLEST);
    this.#fitRows(panel);
  }

  /** Give a chart with one row per layer more height than a chart over time. */
  #fitRows(panel) {
    this.element.toggleAttribute("data-rows", Boolean(panel && !panel.spec.time));
  }
}

/** Cards of the networks. Each card has a headline, the accuracy, and space for the network's own chart. */
class StageCards {
  element = h("div.bnviz-stage-cards");
  #view;
  #cards = new Map(); // norm → elements

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data, t } = this.#view;
    const same = data.norms.join() === [...this.#cards.keys()].join();
    this.element.setAttribute("aria-label", t("cards.title"));
    this.element.dataset.count = data.norms.length;
    if (same) return;
    const places = new Map([...this.#cards].map(([norm, { place }]) => [norm, place]));
    this.#cards.clear();
    fill(this.element, data.norms.map((norm) => this.#card(norm, places.get(norm))));
  }

  #card(norm, place = h("div.bnviz-stage-plot")) {
    const card = {
      headline: waitingHeadline(norm, this.#view),
      accuracy: h("strong"), place, where: h("small"),
    };
    card.element = h("article.bnviz-card.bnviz-stage-card", {
      "data-card": norm, style: { "--text": this.#view.data.colours[norm].text },
    }, h("header", card.headline, card.where, card.accuracy), place);
    this.#cards.set(norm, card);
    return card.element;
  }

  /** Return the element for a network's own chart, or null if the network has no card. */
  placeOf(norm) {
    return this.#cards.get(norm)?.place ?? null;
  }

  draw({ frame, step }) {
    for (const [norm, card] of this.#cards) {
      const network = frame.networks[norm];
      if (!network) continue;
      fillHeadline(card, norm, network, step, this.#view, true);
      setText(card.where, this.#view.coversLayer ? "" : brokenIn(network.broke, this.#view.t));
    }
  }
}

/** Sentence about the layer that broke first ("layer 3", "time 2" or "output"), or "" if no layer broke. */
function brokenIn(broke, t) {
  if (!broke?.layer) return "";
  const [kind, number] = broke.layer.split(" ");
  return t(broke.unit ? "stage.constant" : "stage.first", { place: t(`story.place.${kind}`, { number }), unit: broke.unit });
}

/**
 * Sliders of the presentation view: one for the learning rate, and one for a second knob that the reader can choose.
 */
class StageKnobs {
  #view;
  #chosen = NONE;
  #isNew = differsFromLast();

  constructor(view) {
    this.#view = view;
    const chosen = readFromTab(SECOND_KNOB);
    if (chosen?.run === view.data.run) this.#chosen = chosen.name;
    this.second = new Knobs(view, { shown: () => this.#offered.filter((name) => name === this.#chosen) });
    this.second.element.classList.add("bnviz-rate");
    this.choice = h("div.bnviz-segments", { role: "radiogroup", "aria-label": view.t("stage.second") });
  }

  /** Names of the knobs that can be chosen for the second slider. */
  get #offered() {
    return this.#view.data.knobs.second ?? [];
  }

  /** Return an element that contains both sliders. @param rate element of the learning-rate slider */
  place(rate) {
    return h("div.bnviz-stage-knobs", rate, this.second);
  }

  update() {
    const { data, t, id } = this.#view;
    const names = this.#offered.length ? [NONE, ...this.#offered] : [];
    if (this.#isNew(names)) {
      const options = names.map((name) => [name, name === NONE ? t("stage.no_second") : capitalize(data.knobs.specs[name].label)]);
      this.choice.replaceChildren(...radios(`bnviz-second-${id}`, options, this.#chosen, (name) => this.#choose(name)));
    }
    this.second.follow(data.run);
    this.#show();
  }

  #choose(name) {
    this.#chosen = name;
    storeInTab(SECOND_KNOB, name ? { run: this.#view.data.run, name } : null);
    this.#show();
  }

  #show() {
    setHidden(this.second.element, !this.#offered.includes(this.#chosen));
    this.second.update();
  }
}
