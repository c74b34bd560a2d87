// One line a network: how it does, and its accuracy. Where there is no room for cards.

import { fill, h, setText } from "../lib/dom.js";
import { percent } from "../lib/format.js";
import { capitalize, tellStory } from "../lib/texts.js";

export class Headlines {
  element = h("div", { class: "bnviz-headlines" });
  #view;
  #rows = new Map();

  constructor(view) {
    this.#view = view;
  }

  update() {
    const { data, t } = this.#view;
    this.#rows.clear();
    fill(this.element, ...data.norms.map((norm) => {
      const { text } = data.colours[norm] ?? {};
      const row = { headline: h("h2", {}, t("cards.waiting", { label: capitalize(data.labels[norm] ?? norm) })), accuracy: h("span", { class: "bnviz-accuracy" }) };
      this.#rows.set(norm, row);
      row.element = h("div", { "data-card": norm, style: { "--text": text ?? "currentColor" } }, row.headline, row.accuracy);
      return row.element;
    }));
  }

  draw({ frame, step }) {
    const { data, t } = this.#view;
    for (const [norm, row] of this.#rows) {
      const network = frame.networks[norm];
      if (!network) continue;
      const label = data.labels[norm] ?? norm;
      const story = tellStory(data.texts, network.story, { label, step }, 0);
      setText(row.headline, story?.headline ?? `${capitalize(label)}: ${t(`state.${network.state}`)}.`);
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(row.accuracy, measured ? percent(network.test_accuracy) : "–");
      row.accuracy.title = t(measured ? "cards.test_accuracy" : "cards.not_finite");
      row.element.dataset.state = network.state;
    }
  }
}
