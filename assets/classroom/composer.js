// The dialog in which a teacher chooses a question: that of the preset or lesson, one of the usual ones, or one
// in their own words.

import { classroom } from "../contract.js";
import { dialog } from "../live/dialogs/dialog.js";
import { button, fill, h, radios, setHidden, setText } from "../live/lib/dom.js";
import { capitalize } from "../live/lib/texts.js";
import { ownQuestion } from "./question.js";

const OWN = "own"; // id of a question in the teacher's own words

/** Stands for the question while one is chosen: nothing on the page may answer any. */
export const COMPOSING = { kind: null };

/**
 * Open the dialog.
 *
 * @param subject see ask_the_class.js
 * @param ask called with the question
 * @param last the question asked before, which is offered first; null: there was none
 * @param answered the question that has been answered, which is not; null: none
 * @returns the dialog's element
 */
export function openComposer(view, subject, ask, last = null, answered = null) {
  const composer = new Composer(view, subject, ask, last, answered);
  composer.focus();
  return composer.box;
}

class Composer {
  #view;
  #subject;
  #ask;
  #chosen; // id of a question
  #norm;
  #own = h("div", { class: "class-own" }); // fields for the teacher's own words: the question and its answers
  #list = h("fieldset", { class: "class-questions" });
  #answers = h("ol", { class: "class-preview" });
  #decided = h("small", {});
  #problem = h("p", { class: "class-problem", role: "status" });

  constructor(view, subject, ask, last, answered) {
    const { data, t } = view;
    this.#view = view;
    this.#subject = subject;
    this.#ask = ask;
    this.#norm = data.norms.includes(last?.network) ? last.network : data.norms[0];
    const offered = [...subject.questions().map(({ id }) => id), OWN];
    this.#chosen = offered.includes(last?.id) ? last.id
      : (subject.questions().find((question) => subject.isUndecided(question) && question.text !== answered?.text)?.id ?? offered[0]);
    this.network = this.#networkChoice();
    const send = h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.composer.ask"));
    const cancel = button(t("class.composer.cancel"), () => this.box.close(), { className: "bnviz-pill" });
    const field = (name, label, most, value = "") => h("label", {}, h("span", {}, label),
      h("input", { type: "text", name, maxlength: most, value, autocomplete: "off", oninput: () => this.#preview() }));
    const before = last?.id === OWN ? last : { answers: [] };
    fill(this.#own, field("text", t("class.composer.own_text"), classroom.longest_text, before.text), ...[...classroom.letters].map((letter, i) =>
      field("answer", t("class.composer.own_answer", { letter }), classroom.longest_answer, before.answers[i])));
    this.form = h("form", { onsubmit: (event) => this.#submit(event) }, this.#list, this.network, this.#own, this.#answers,
      this.#decided, this.#problem, h("div", { class: "class-actions" }, send, cancel));
    this.box = dialog(view, t("class.composer.title"), this.form);
    this.box.classList.add("class-composer");
    this.#fill();
  }

  focus() {
    this.#list.querySelector("input:checked").focus();
  }

  /** The choice of the network that a question about one network is about. */
  #networkChoice() {
    const { data, t } = this.#view;
    const change = (event) => {
      this.#norm = event.target.value;
      this.#fill();
    };
    return h("label", { class: "class-about" }, h("span", {}, t("class.composer.about")),
      h("select", { onchange: change }, ...data.norms.map((norm) => h("option", { value: norm }, capitalize(data.labels[norm])))));
  }

  #fill() {
    const { t, id } = this.#view;
    const questions = this.#subject.questions(this.#norm).map((question) => [question.id, question.text]);
    fill(this.#list, h("legend", {}, t("class.composer.which")),
      ...radios(`class-question-${id}`, [...questions, [OWN, t("class.composer.own")]], this.#chosen, (chosen) => {
        this.#chosen = chosen;
        this.#preview();
      }));
    this.#preview();
  }

  /** The question that would be asked; null where words of one's own are missing. */
  #question() {
    if (this.#chosen !== OWN) return this.#subject.questions(this.#norm).find(({ id }) => id === this.#chosen);
    const [text, ...answers] = [...this.#own.querySelectorAll("input")].map(({ value }) => value);
    return ownQuestion(text, answers);
  }

  /** Show the answers of the chosen question, and when it will be decided; or the form for one's own words. */
  #preview() {
    const question = this.#question();
    const own = this.#chosen === OWN;
    setHidden(this.#own, !own);
    setHidden(this.#answers, own);
    setHidden(this.network, this.#view.data.norms.length < 2 || !question?.network);
    fill(this.#answers, ...(question?.answers ?? []).map((answer, index) => h("li", {}, h("b", {}, classroom.letters[index]), " ", answer)));
    const decided = question && !own ? this.#subject.decidedText(question) : "";
    setText(this.#decided, decided);
    setHidden(this.#decided, !decided);
    setText(this.#problem, "");
  }

  #submit(event) {
    event.preventDefault();
    const question = this.#question();
    if (!question) return setText(this.#problem, this.#view.t("class.composer.own_missing"));
    this.box.close();
    this.#ask(question);
  }
}
