// What exactly a chart measures, behind a sign: a question leads, and this is a press away.

import { button, h, setText } from "../lib/dom.js";
import { term, termsIn } from "../lib/terms.js";
import { subtitleOf } from "./chart_words.js";

export class Measures {
  said = h("p", { class: "bnviz-subtitle" });
  #spec;
  #view;

  /** @param spec a chart's JSON @param view {id, t, data: {texts}} */
  constructor(spec, view) {
    this.#spec = spec;
    this.#view = view;
    const { t } = view;
    const id = `bnviz-told-${view.id}-${spec.name}`;
    const more = [spec.help, spec.time && t("chart.gap"), spec.source].filter(Boolean).join(" ");
    const words = this.#terms();
    this.element = h("div", { id, class: "bnviz-told", hidden: true }, this.said,
      more ? h("p", {}, more) : null, words.length ? h("p", { class: "bnviz-words" }, ...words) : null);
    this.sign = button("i", () => this.#toggle(), { className: "bnviz-icon bnviz-measures", title: t("chart.measures"), aria: t("chart.measures_of", spec) });
    this.sign.setAttribute("aria-expanded", "false");
    this.sign.setAttribute("aria-controls", id);
  }

  /** The terms in what is said, which is written anew with each step, so that none can be opened there. */
  #terms() {
    const { glossary } = this.#view.data.texts;
    const { title, look = "" } = this.#spec; // what is told there already
    const known = termsIn(`${title} ${look}`, glossary);
    return [...termsIn(this.#spec.subtitle ?? "", glossary)].filter(([key]) => !known.has(key)).map(([key, word]) => term(key, [word], glossary));
  }

  #toggle() {
    this.element.hidden = !this.element.hidden;
    this.sign.setAttribute("aria-expanded", String(!this.element.hidden));
  }

  draw(step) {
    setText(this.said, subtitleOf(this.#spec, step, this.#view.t));
  }
}
