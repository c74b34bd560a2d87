// One line a network: how it does, and its accuracy. Where there is no room for cards.

import { fill, h } from "../lib/dom.js";
import { tellHeadline, waitingHeadline } from "../lib/headline.js";
import { linked } from "../lib/terms.js";

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
      const row = { headline: waitingHeadline(norm, this.#view), accuracy: h("span", { class: "bnviz-accuracy" }) };
      this.#rows.set(norm, row);
      const what = h("small", {}, ...linked(t("cards.test_accuracy"), data.texts.glossary));
      row.element = h("div", { "data-card": norm, style: { "--text": text ?? "currentColor" } },
        row.headline, h("p", { class: "bnviz-share" }, row.accuracy, " ", what));
      return row.element;
    }));
  }

  draw({ frame, step }) {
    for (const [norm, row] of this.#rows) {
      const network = frame.networks[norm];
      if (network) tellHeadline(row, norm, network, step, this.#view);
    }
  }
}
