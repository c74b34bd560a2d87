// The answers of a question, lettered: to click as one's own guess, and with bars once the votes are shown.

import { fill, h } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { LETTERS } from "./questions.js";

export class Answers {
  element = h("ol", { class: "class-answers" });
  #view;
  #guessed;
  #shown = null;

  #yours;

  /**
   * @param guessed called with the place of an answer that was clicked
   * @param yours the key of what stands at one's own guess
   */
  constructor(view, guessed, yours) {
    this.#view = view;
    this.#guessed = guessed;
    this.#yours = yours;
  }

  /**
   * @param question see questions.js
   * @param state {guess, may: whether a guess may be made, tally, first: counts or null, happened: places or null}
   */
  show(question, state) {
    const { dark } = this.#view.data;
    const stamp = JSON.stringify([question, state, dark]);
    if (stamp === this.#shown) return; // focus stays where it is
    this.#shown = stamp;
    const focused = [...this.element.querySelectorAll("button")].indexOf(document.activeElement);
    const most = Math.max(1, ...(state.tally ?? []), ...(state.first ?? []));
    fill(this.element, ...question.answers.map((answer, place) => this.#row(question, answer, place, state, most)));
    this.element.classList.toggle("class-counted", state.tally !== null);
    this.element.querySelectorAll("button")[focused]?.focus();
  }

  #row({ networks, both }, answer, place, { guess, may, tally, first, happened }, most) {
    const { data, t } = this.#view;
    const colours = data.colours[networks[place]] ?? {};
    const content = [h("b", { class: "class-letter" }, LETTERS[place]), h("span", { class: "class-answer", title: answer }, answer)];
    if (guess === place) content.push(h("small", { class: "class-yours" }, t(this.#yours)));
    const said = may
      ? h("button", { type: "button", "aria-pressed": String(guess === place), "data-answer": place, onclick: () => this.#guessed(place) }, content)
      : h("div", { class: "class-said" }, content);
    const came = happened?.includes(place);
    return h("li", {
      class: came ? "class-came" : "", "data-place": place,
      style: { "--line": colours.line ?? (place === both ? "var(--ink)" : "var(--muted)"), "--text": colours.text ?? "var(--ink)" },
    }, said, tally && this.#bars(tally[place], first?.[place], most), came && h("em", { class: "class-happened" }, t("class.panel.happened")));
  }

  /** The votes of an answer: a bar, around it the outline of a vote before it, and the numbers. */
  #bars(now, before, most) {
    const { t } = this.#view;
    const again = before !== undefined && before !== null;
    const bar = (value, name) => h("i", { class: name, style: { "--share": value / most } });
    const named = (key, value) => [again && h("span", { class: "bnviz-hidden" }, t(`class.panel.${key}`), " "), count(value)];
    return h("span", { class: "class-bars" },
      h("span", { class: "class-track", "aria-hidden": "true" }, again && bar(before, "class-first"), bar(now, "class-now")),
      h("b", {}, again && h("span", { class: "class-before" }, named("first", before)), again && h("span", { "aria-hidden": "true" }, " → "), named("second", now)));
  }
}
