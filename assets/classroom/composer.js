// The dialog in which a teacher chooses a question: the question of the preset or lesson, a standard question, or one
// in the teacher's own words.

import { classroom } from "../contract.js";
import { dialog } from "../live/dialogs/dialog.js";
import { button, fill, h, radios, setHidden, setText } from "../live/lib/dom.js";
import { capitalize } from "../live/lib/texts.js";
import { ownQuestion } from "./question.js";

const OWN = "own"; // id of a question in the teacher's own words

/** Placeholder for the question while the teacher is choosing one. It hides every possible answer on the page. */
export const COMPOSING = { kind: null };

export class Composer {
  #view;
  #subject;
  #chosen; // id of a question
  #norm;
  #own; // input fields for the teacher's own words: the question and its answers
  #list = h("fieldset.class-questions");
  #answers = h("ol.class-preview");
  #decided = h("small");
  #problem = h("p.class-problem", { role: "status" });

  /**
   * Open the dialog.
   *
   * @param subject see ask_the_class.js
   * @param ask called with the chosen question
   * @param last the previous question, which is preselected, or null
   * @param answered question that is not preselected because its answer is known, or null
   */
  constructor(view, subject, ask, last, answered) {
    const { data, t } = view;
    this.#view = view;
    this.#subject = subject;
    this.#norm = data.norms.includes(last?.network) ? last.network : data.norms[0];
    const questions = subject.questions(this.#norm);
    const ids = [...questions.map(({ id }) => id), OWN];
    const open = questions.find((question) => subject.isUndecided(question) && question.text !== answered?.text);
    this.#chosen = ids.includes(last?.id) ? last.id : (open?.id ?? ids[0]);
    this.network = h("label.class-about", h("span", t("class.composer.about")),
      h("select", { onchange: ({ target }) => this.#offer(target.value) },
        ...data.norms.map((norm) => h("option", { value: norm, selected: norm === this.#norm }, capitalize(data.labels[norm])))));
    const field = (label, maxlength, value) => h("label", h("span", label),
      h("input", { type: "text", maxlength, value, autocomplete: "off", oninput: () => this.#preview() }));
    const { text, answers } = last?.id === OWN ? last : { text: "", answers: [] };
    this.#own = h("div.class-own", field(t("class.composer.own_text"), classroom.longest_text, text),
      ...[...classroom.letters].map((letter, i) => field(t("class.composer.own_answer", { letter }), classroom.longest_answer, answers[i] ?? "")));
    const form = h("form", { onsubmit: (event) => this.#submit(event, ask) }, this.#list, this.network, this.#own, this.#answers, this.#decided, this.#problem,
      h("div.class-actions",
        h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.composer.ask")),
        button(t("class.composer.cancel"), () => this.box.close(), { className: "bnviz-pill" })));
    this.box = dialog(view, t("class.composer.title"), form);
    this.box.classList.add("class-composer");
    this.#offer(this.#norm);
    this.#list.querySelector("input:checked").focus();
  }

  /** Show the list of questions. @param norm the norm of the network for questions about a single network */
  #offer(norm) {
    const { t, id } = this.#view;
    this.#norm = norm;
    const questions = this.#subject.questions(norm).map((question) => [question.id, question.text]);
    fill(this.#list, h("legend", t("class.composer.which")),
      ...radios(`class-question-${id}`, [...questions, [OWN, t("class.composer.own")]], this.#chosen, (chosen) => {
        this.#chosen = chosen;
        this.#preview();
      }));
    this.#preview();
  }

  /** Return the chosen question, or null if the teacher's own words are incomplete. */
  #question() {
    if (this.#chosen !== OWN) return this.#subject.questions(this.#norm).find(({ id }) => id === this.#chosen);
    const [text, ...answers] = [...this.#own.querySelectorAll("input")].map(({ value }) => value);
    return ownQuestion(text, answers);
  }

  /**
   * Show the answers of the chosen question and say when it will be decided. For a question in the teacher's own words,
   * show the input fields.
   */
  #preview() {
    const question = this.#question();
    const own = this.#chosen === OWN;
    setHidden(this.#own, !own);
    setHidden(this.#answers, own);
    setHidden(this.network, this.#view.data.norms.length < 2 || !question?.network);
    fill(this.#answers, ...(question?.answers ?? []).map((answer, index) => h("li", h("b", classroom.letters[index]), " ", answer)));
    setText(this.#decided, question && !own ? this.#subject.decidedText(question) : "");
    setText(this.#problem, "");
  }

  #submit(event, ask) {
    event.preventDefault();
    const question = this.#question();
    if (!question) return setText(this.#problem, this.#view.t("class.composer.own_missing"));
    this.box.close();
    ask(question);
  }
}
