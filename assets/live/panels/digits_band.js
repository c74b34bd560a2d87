// Band of eight images that were not used for training. Below the images are each network's predictions, its state in
// words and its test accuracy, all derived from ../data/readings.js.

import { h, set, setText } from "../lib/dom.js";
import { digitImage, pixelsOf } from "../lib/digit_image.js";
import { percent } from "../lib/format.js";
import { linked } from "../lib/terms.js";
import { capitalize } from "../lib/texts.js";

const NOTHING = 255; // value of a prediction if the logits are not finite

/** Text of a predicted digit. */
export function answerText(answer) {
  return answer === NOTHING ? "–" : String(answer);
}

export class DigitsBand {
  #view;
  #rows = new Map(); // norm → elements

  constructor(view) {
    this.#view = view;
    this.element = h("div.bnviz-band");
    this.#build();
  }

  get #images() {
    return this.#view.data.block.images;
  }

  #build() {
    const { data, t } = this.#view;
    const images = this.#images;
    if (images) {
      this.element.append(h("div.bnviz-band-row.bnviz-band-images",
        h("p.bnviz-band-what", t("reading.what")),
        h("div.bnviz-band-cells", { role: "img", "aria-label": images.labels.join(" ") }, pixelsOf(images).map(digitImage)),
        h("p.bnviz-band-accuracy", h("small", linked(t("cards.test_accuracy"), data.texts.glossary)))));
    }
    for (const norm of data.norms) this.element.append(this.#row(norm));
  }

  #row(norm) {
    const { data, t } = this.#view;
    const { line, text } = data.colours[norm];
    const row = {
      does: h("span", t("reading.waits")),
      cells: (this.#images?.labels ?? []).map(() => h("b", "·")),
      accuracy: h("span.bnviz-accuracy", "–"),
    };
    row.answers = h("div.bnviz-band-cells", { role: "img" }, row.cells);
    row.element = h("div.bnviz-band-row", { "data-card": norm, style: { "--text": text, "--line": line } },
      h("h2", h("i.bnviz-band-full", capitalize(data.labels[norm])), h("i.bnviz-band-short", t(`sharing_break.name.${norm}`)), " ", row.does), row.answers,
      h("p.bnviz-band-accuracy", row.accuracy));
    this.#rows.set(norm, row);
    return row.element;
  }

  draw({ frame }) {
    const { readings, announcer, data, t } = this.#view;
    for (const [norm, row] of this.#rows) {
      const network = frame.networks[norm];
      const found = readings.of(norm);
      if (!network || !found) continue;
      setText(row.does, t(`reading.${found.state}`));
      row.element.dataset.reading = found.state;
      this.#drawAnswers(row, found.answers);
      const measured = Number.isFinite(Number(network.test_accuracy));
      setText(row.accuracy, measured ? percent(network.test_accuracy) : "–");
      announcer.say(t("reading.said", { label: capitalize(data.labels[norm]), does: row.does.textContent }), `network ${norm}`, found.state);
    }
  }

  #drawAnswers({ cells, answers }, predictions) {
    cells.forEach((cell, i) => {
      setText(cell, answerText(predictions[i]));
      cell.classList.toggle("bnviz-wrong", predictions[i] !== NOTHING && predictions[i] !== this.#images.labels[i]);
    });
    set(answers, { "aria-label": predictions.map(answerText).join(" ") });
  }
}
