// Which question to ask: that of the preset or lesson, one of the usual ones, or the teacher's own words.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { capitalize } from "../lib/texts.js";
import { dialog } from "../dialogs/dialog.js";
import { LETTERS, LONGEST, MOST_ANSWERS, ownQuestion } from "./questions.js";

export const COMPOSING = { kind: null }; // what is covered while a question is chosen

const OWN = "own";

/**
 * Let the teacher choose.
 *
 * @param about see about_run.js
 * @param ask called with the question
 * @param last the question before, which is offered again; null: there was none
 * @param answered the one that has been answered; null: none
 */
export function openComposer(view, about, ask, last = null, answered = null) {
  const composer = new Composer(view, about, ask, last, answered);
  composer.box.showModal();
  composer.focus();
  return composer.box;
}

class Composer {
  #view;
  #about;
  #ask;
  #chosen;
  #norm;
  #list = h("fieldset", { class: "class-questions" });
  #answers = h("ol", { class: "class-preview" });
  #settled = h("small", {});
  #problem = h("p", { class: "class-problem", role: "status" });

  constructor(view, about, ask, last, answered) {
    const { data, t } = view;
    this.#view = view;
    this.#about = about;
    this.#ask = ask;
    this.#norm = data.norms.includes(last?.network) ? last.network : data.norms[0];
    const there = [...about.questions().map(({ id }) => id), OWN];
    this.#chosen = there.includes(last?.id) ? last.id : (about.questions().find((question) => about.open(question) && question.text !== answered?.text)?.id ?? there[0]);
    this.own = h("div", { class: "class-own" }, this.#field("text", t("class.composer.own_text"), LONGEST.text),
      ...Array.from({ length: MOST_ANSWERS }, (_, i) =>
        this.#field("answer", t("class.composer.own_answer", { letter: LETTERS[i] }), LONGEST.answer)));
    this.about = this.#networks();
    const send = h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.composer.ask"));
    const cancel = button(t("class.composer.cancel"), () => this.box.close(), { className: "bnviz-pill" });
    this.form = h("form", { onsubmit: (event) => this.#submit(event) }, this.#list, this.about, this.own, this.#answers,
      this.#settled, this.#problem, h("div", { class: "class-actions" }, send, cancel));
    this.box = dialog(view, t("class.composer.title"), this.form);
    this.box.classList.add("class-composer");
    if (last?.id === OWN) {
      [last.text, ...last.answers].forEach((words, i) => (this.own.querySelectorAll("input")[i].value = words));
    }
    this.#fill();
  }

  focus() {
    this.#list.querySelector("input:checked").focus();
  }

  #field(name, label, most) {
    return h("label", {}, h("span", {}, label),
      h("input", { type: "text", name, maxlength: most, autocomplete: "off", oninput: () => this.#preview() }));
  }

  /** Of which network a question asks that is about one. */
  #networks() {
    const { data, t } = this.#view;
    const change = (event) => {
      this.#norm = event.target.value;
      this.#fill();
    };
    return h("label", { class: "class-about" }, h("span", {}, t("class.composer.about")),
      h("select", { onchange: change }, ...data.norms.map((norm) => h("option", { value: norm }, capitalize(data.labels[norm] ?? norm)))));
  }

  get #questions() {
    return this.#about.questions(this.#norm);
  }

  #fill() {
    const { t, id } = this.#view;
    const choice = (name, text) => h("label", {}, h("input", {
      type: "radio", name: `class-question-${id}`, value: name, checked: name === this.#chosen,
      onchange: () => {
        this.#chosen = name;
        this.#preview();
      },
    }), h("span", {}, text));
    fill(this.#list, h("legend", {}, t("class.composer.which")),
      ...this.#questions.map((question) => choice(question.id, question.text)), choice(OWN, t("class.composer.own")));
    this.#preview();
  }

  /** What would be asked; null where words are missing. */
  #question() {
    if (this.#chosen !== OWN) return this.#questions.find(({ id }) => id === this.#chosen);
    const words = (name) => [...this.own.querySelectorAll(`input[name=${name}]`)].map(({ value }) => value);
    return ownQuestion(words("text")[0], words("answer"));
  }

  /** The answers as they will be lettered. */
  #preview() {
    const { data } = this.#view;
    const question = this.#question();
    const own = this.#chosen === OWN;
    setHidden(this.own, !own);
    setHidden(this.#answers, own);
    setHidden(this.about, data.norms.length < 2 || !question?.network);
    fill(this.#answers, ...(question?.answers ?? []).map((answer, i) => h("li", {}, h("b", {}, LETTERS[i]), " ", answer)));
    const settled = question && !own ? this.#about.settles(question) : "";
    setText(this.#settled, settled);
    setHidden(this.#settled, !settled);
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
