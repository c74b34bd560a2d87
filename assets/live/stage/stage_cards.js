// A card a network: its headline, its accuracy, and the distributions of its layers.

import { fill, h, setText } from "../lib/dom.js";
import { asksLayer, tellHeadline, waitingHeadline } from "../lib/headline.js";

export class StageCards {
  element = h("div", { class: "bnviz-stage-cards" });
  #view;
  #cards = new Map(); // norm → parts

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
    fill(this.element, ...data.norms.map((norm) => this.#card(norm, places.get(norm))));
  }

  #card(norm, place = h("div", { class: "bnviz-stage-plot" })) {
    const colours = this.#view.data.colours[norm] ?? {};
    const card = {
      headline: waitingHeadline(norm, this.#view),
      accuracy: h("strong", {}), place, where: h("small", {}),
    };
    card.element = h("article", {
      class: "bnviz-card bnviz-stage-card", "data-card": norm, style: { "--text": colours.text ?? "currentColor" },
    }, h("header", {}, card.headline, card.where, card.accuracy), place);
    this.#cards.set(norm, card);
    return card.element;
  }

  /** Where a network's own chart stands. */
  placeOf(norm) {
    return this.#cards.get(norm)?.place ?? null;
  }

  draw({ frame, step }) {
    for (const [norm, card] of this.#cards) {
      const network = frame.networks[norm];
      if (!network) continue;
      tellHeadline(card, norm, network, step, this.#view, true);
      setText(card.where, asksLayer(this.#view) ? "" : brokenIn(network.broke, this.#view.t));
    }
  }
}

/** Which layer broke first, of "layer 3", "time 2" or "output"; nothing where none did. */
function brokenIn(broke, t) {
  if (!broke?.layer) return "";
  const [kind, number] = broke.layer.split(" ");
  return t("stage.first", { place: t(`story.place.${kind}`, { number }) });
}
