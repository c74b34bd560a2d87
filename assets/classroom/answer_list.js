// List of a question's answers. They are buttons while the reader may guess, and bars once the votes are shown.

import { classroom } from "../contract.js";
import { differsFromLast, fill, h } from "../live/lib/dom.js";
import { count } from "../live/lib/format.js";

export class AnswerList {
  element = h("ol.class-answers");
  #view;
  #onGuess;
  #yours;
  #isNew = differsFromLast();

  /**
   * @param onGuess called with the index of the clicked answer
   * @param yours text key of the label beside the reader's own guess
   */
  constructor(view, onGuess, yours) {
    this.#view = view;
    this.#onGuess = onGuess;
    this.#yours = yours;
  }

  /**
   * Redraw the list if its contents have changed.
   *
   * @param asked an AskedQuestion. The reader may guess until the run continues or the votes are shown.
   */
  show({ question, guess, going, votes: { tally, first }, happened }) {
    const { dark } = this.#view.data;
    const state = { guess, may: !going && tally === null, tally, first, happened: happened?.answers };
    if (!this.#isNew([question, state, dark])) return;
    const focused = [...this.element.querySelectorAll("button")].indexOf(document.activeElement);
    const most = Math.max(1, ...(tally ?? []), ...(first ?? []));
    fill(this.element, ...question.answers.map((answer, index) => this.#row(question, answer, index, state, most)));
    this.element.classList.toggle("class-counted", tally !== null);
    this.element.querySelectorAll("button")[focused]?.focus();
  }

  #row({ networks, both }, answer, index, { guess, may, tally, first, happened }, most) {
    const { data, t } = this.#view;
    const colours = data.colours[networks[index]] ?? {};
    const content = [h("b.class-letter", classroom.letters[index]), h("span.class-answer", { title: answer }, answer)];
    if (guess === index) content.push(h("small.class-yours", t(this.#yours)));
    const words = may
      ? h("button", { type: "button", "aria-pressed": String(guess === index), "data-answer": index, onclick: () => this.#onGuess(index) }, content)
      : h("div.class-said", content);
    const cameTrue = happened?.includes(index);
    return h("li", {
      class: cameTrue ? "class-came" : "", "data-place": index,
      style: { "--line": colours.line ?? (index === both ? "var(--ink)" : "var(--muted)"), "--text": colours.text ?? "var(--ink)" },
    }, words, tally && this.#bars(tally[index], first?.[index], most), cameTrue && h("em.class-happened", t("class.panel.happened")));
  }

  /**
   * Return the votes for an answer as a bar and a number. If the class voted twice, add an outlined bar for the first
   * vote.
   */
  #bars(now, before, most) {
    const { t } = this.#view;
    const second = before !== undefined && before !== null;
    const bar = (value, name) => h("i", { class: name, style: { "--share": value / most } });
    const named = (key, value) => [second && h("span.bnviz-hidden", t(`class.panel.${key}`), " "), count(value)];
    return h("span.class-bars",
      h("span.class-track", { "aria-hidden": "true" }, second && bar(before, "class-first"), bar(now, "class-now")),
      h("b", second && h("span.class-before", named("first", before)), second && h("span", { "aria-hidden": "true" }, " → "), named("second", now)));
  }
}
