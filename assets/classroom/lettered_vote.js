// The lettered vote: a question with two to four answers, A to D, of which each phone chooses one. A guess is
// the index of an answer, a tally has one count for each.

import { classroom } from "../contract.js";
import { fill, h } from "../live/lib/dom.js";
import { count } from "../live/lib/format.js";
import { capitalize, say } from "../live/lib/texts.js";

/**
 * A question with lettered answers, made of phrases: its text and answers are in the language of this page, and phones
 * make theirs of the same phrases. The parameters are those of `letteredQuestion`, with phrases for texts.
 */
export function questionOfPhrases(t, id, kind, text, answers, more = {}) {
  const [ownText, ...ownAnswers] = [text, ...answers].map((phrase) => capitalize(say(t, phrase)));
  return letteredQuestion(id, kind, ownText, ownAnswers, { text_phrase: text, answer_phrases: answers, ...more });
}

/**
 * A question with lettered answers. Of those that a run or a map answers, `kind` says how; `networks` has, for each
 * answer, the norm of the network that it names, or null; `both`, `neither` and `same` are the indices of these answers.
 * `text_phrase` and `answer_phrases` are the phrases of its texts; null: somebody typed them.
 */
export function letteredQuestion(id, kind, text, answers, more = {}) {
  const none = answers.map(() => null);
  const phrases = { text_phrase: null, answer_phrases: null };
  return { id, kind, text, answers, ...phrases, networks: none, network: null, both: null, neither: null, same: null, steps: null, depth: null, needs: {}, ...more };
}

/** The fields in which a teacher writes a question and up to four answers. */
class LetteredForm {
  constructor({ t }, changed) {
    const field = (name, label, most) => h("label", {}, h("span", {}, label),
      h("input", { type: "text", name, maxlength: most, autocomplete: "off", oninput: changed }));
    this.element = h("div", { class: "class-own" }, field("text", t("class.composer.own_text"), classroom.longest_text),
      ...[...classroom.letters].map((letter) => field("answer", t("class.composer.own_answer", { letter }), classroom.longest_answer)));
  }

  fill({ text, answers }) {
    const fields = this.element.querySelectorAll("input");
    [text, ...answers].forEach((words, i) => (fields[i].value = words));
  }

  read() {
    const [text, ...answers] = [...this.element.querySelectorAll("input")].map(({ value }) => value);
    return ownQuestion(text, answers);
  }
}

/** A question in the teacher's own words, without empty answers; null where the text or a second answer is missing. */
export function ownQuestion(text, answers) {
  const written = answers.map(oneLine).filter(Boolean).slice(0, classroom.most_answers);
  if (!oneLine(text) || written.length < 2) return null;
  return letteredQuestion("own", null, oneLine(text).slice(0, classroom.longest_text), written.map((answer) => answer.slice(0, classroom.longest_answer)));
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** The answers in a list: buttons while a reader may guess, and each with its bar once the votes are shown. */
export class LetteredAnswers {
  element = h("ol", { class: "class-answers" });
  #view;
  #onGuess;
  #yours;
  #shown = null;

  /**
   * @param onGuess called with the index of the answer that was clicked
   * @param yours key of the words beside the reader's own guess
   */
  constructor(view, onGuess, yours) {
    this.#view = view;
    this.#onGuess = onGuess;
    this.#yours = yours;
  }

  /**
   * Draw the list anew, if anything of it has changed.
   *
   * @param state {guess, may: whether the reader may guess now, tally and first: the counts of this vote and of the
   *   one before it, or null, happened: indices of the answers that came true, or null}
   */
  show(question, state) {
    const { dark } = this.#view.data;
    const shown = JSON.stringify([question, state, dark]);
    if (shown === this.#shown) return;
    this.#shown = shown;
    const focused = [...this.element.querySelectorAll("button")].indexOf(document.activeElement);
    const most = Math.max(1, ...(state.tally ?? []), ...(state.first ?? []));
    fill(this.element, ...question.answers.map((answer, index) => this.#row(question, answer, index, state, most)));
    this.element.classList.toggle("class-counted", state.tally !== null);
    this.element.querySelectorAll("button")[focused]?.focus();
  }

  #row({ networks, both }, answer, index, { guess, may, tally, first, happened }, most) {
    const { data, t } = this.#view;
    const colours = data.colours[networks[index]] ?? {};
    const content = [h("b", { class: "class-letter" }, classroom.letters[index]), h("span", { class: "class-answer", title: answer }, answer)];
    if (guess === index) content.push(h("small", { class: "class-yours" }, t(this.#yours)));
    const words = may
      ? h("button", { type: "button", "aria-pressed": String(guess === index), "data-answer": index, onclick: () => this.#onGuess(index) }, content)
      : h("div", { class: "class-said" }, content);
    const cameTrue = happened?.includes(index);
    return h("li", {
      class: cameTrue ? "class-came" : "", "data-place": index,
      style: { "--line": colours.line ?? (index === both ? "var(--ink)" : "var(--muted)"), "--text": colours.text ?? "var(--ink)" },
    }, words, tally && this.#bars(tally[index], first?.[index], most), cameTrue && h("em", { class: "class-happened" }, t("class.panel.happened")));
  }

  /** The votes for an answer: a bar and a number; after a second vote also those of the first one, as an outline. */
  #bars(now, before, most) {
    const { t } = this.#view;
    const second = before !== undefined && before !== null;
    const bar = (value, name) => h("i", { class: name, style: { "--share": value / most } });
    const named = (key, value) => [second && h("span", { class: "bnviz-hidden" }, t(`class.panel.${key}`), " "), count(value)];
    return h("span", { class: "class-bars" },
      h("span", { class: "class-track", "aria-hidden": "true" }, second && bar(before, "class-first"), bar(now, "class-now")),
      h("b", {}, second && h("span", { class: "class-before" }, named("first", before)), second && h("span", { "aria-hidden": "true" }, " → "), named("second", now)));
  }
}

/** A show of hands: a number is typed for each answer. */
const hands = {
  fields: (question, t) => question.answers.map((_, index) => h("label", {}, h("span", {}, classroom.letters[index]),
    h("input", { type: "number", min: 0, max: classroom.most_hands, step: 1, placeholder: 0, inputmode: "numeric", onfocus: ({ target }) => target.select(),
      "aria-label": t("class.layer.hands_of", { letter: classroom.letters[index] }) }))),

  /** The count for each answer; null where nothing was typed. */
  read(form) {
    const fields = [...form.querySelectorAll("input")];
    if (fields.every(({ value, validity }) => value === "" && !validity.badInput)) return null;
    return fields.map(({ valueAsNumber }) => Math.min(classroom.most_hands, Math.max(0, Math.trunc(valueAsNumber || 0))));
  },

  none: (question) => question.answers.map(() => 0),

  total: (counts) => counts.reduce((sum, count) => sum + count, 0),
};

/** See vote_kinds.js. */
export const letteredVote = {
  own: { id: "own", label: "class.composer.own", missing: "class.composer.own_missing", Form: LetteredForm },
  preview: ({ answers }) => answers.map((answer, index) => h("li", {}, h("b", {}, classroom.letters[index]), " ", answer)),
  size: ({ text, answers }) => text.length + answers.join("").length,
  Answers: LetteredAnswers,
  guessText: ({ answers }, guess) => answers[guess],
  outcomeNote: (t, answers) => (answers?.length === 0 ? t("class.panel.none_of_these") : ""),
  hands,
  request: ({ text, answers, text_phrase, answer_phrases }) => ({ text, answers, text_phrase, answer_phrases }),
};
