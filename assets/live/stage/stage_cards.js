// A card a network: its headline, its accuracy, and the distributions of its layers.

import { fill, h, setText } from "../lib/dom.js";
import { percent } from "../lib/format.js";
import { capitalize, tellStory } from "../lib/texts.js";

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
    const { data, t } = this.#view;
    const colours = data.colours[norm] ?? {};
    const card = {
      headline: h("h2", {}, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) })),
      accuracy: h("strong", {}), place,
    };
    card.element = h("article", {
      class: "bnviz-card bnviz-stage-card", "data-card": norm, style: { "--text": colours.text ?? "currentColor" },
    }, h("header", {}, card.headline, card.accuracy), place);
    this.#cards.set(norm, card);
    return card.element;
  }

  /** Where a network's own chart stands. */
  placeOf(norm) {
    return this.#cards.get(norm)?.place ?? null;
  }

  draw({ frame, step }) {
    const { data, t } = this.#view;
    for (const [norm, card] of this.#cards) {
      const network = frame.networks[norm];
      if (!network) continue;
      const label = data.labels[norm] ?? norm;
      const story = tellStory(data.texts, network.story, { label, step }, 0);
      // A headline is read at a glance: no full stop.
      setText(card.headline, (story?.short ?? `${capitalize(label)}: ${t(`state.${network.state}`)}`).replace(/[.。]$/, ""));
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(card.accuracy, measured ? percent(network.test_accuracy) : "–");
      card.accuracy.title = t(measured ? "cards.test_accuracy" : "cards.not_finite");
      card.element.dataset.state = network.state;
    }
  }
}
