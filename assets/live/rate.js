// The learning rate inside the view, for the projector and the phone: a native range over the ladder.

import { h, setHidden, setText } from "./dom.js";
import { number } from "./format.js";

export class RateControl {
  #view;

  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.value = h("output", {});
    this.range = h("input", {
      type: "range", min: 0, step: 1, "aria-label": t("rate.title"),
      oninput: () => this.#show(), onchange: () => this.#commit(),
    });
    this.element = h("div", { class: "bnviz-rate", hidden: true },
      h("label", {}, h("span", {}, t("rate.title")), this.range, this.value), view.edges.element);
  }

  update(visible) {
    const { data } = this.#view;
    const rates = data.rates ?? [];
    const hidden = !visible || !data.can_control || !rates.length || (data.hide ?? []).includes("learning_rate");
    setHidden(this.element, hidden);
    this.range.max = Math.max(0, rates.length - 1);
    this.range.value = nearest(rates, data.learning_rate);
    this.#show(data.learning_rate);
  }

  #show(rate = this.#view.data.rates[Number(this.range.value)]) {
    setText(this.value, number(rate));
    this.range.setAttribute("aria-valuetext", number(rate));
    this.range.style.setProperty("--done", `${(100 * this.range.value) / Math.max(1, this.range.max)}%`);
  }

  #commit() {
    this.#view.act("set", { learning_rate: this.#view.data.rates[Number(this.range.value)] });
  }
}

/** Place of the ladder's rung nearest to a rate, by ratio. */
function nearest(rates, rate) {
  const apart = rates.map((rung) => Math.abs(Math.log(rung / rate)));
  return Math.max(0, apart.indexOf(Math.min(...apart)));
}
