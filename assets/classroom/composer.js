// The dialog in which a teacher chooses a question: that of the preset or lesson, one of the usual ones, or one
// in their own words.

import { dialog } from "../live/dialogs/dialog.js";
import { button, fill, h, setHidden, setText } from "../live/lib/dom.js";
import { capitalize } from "../live/lib/texts.js";
import { voteKindOf, voteKinds } from "./vote_kinds.js";

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
  composer.box.showModal();
  composer.focus();
  return composer.box;
}

class Composer {
  #view;
  #subject;
  #ask;
  #chosen; // id of a question, or of a kind of vote for one's own words
  #norm;
  #forms = new Map(); // for the teacher's own words: [kind of vote, its form] by its id
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
    for (const kind of voteKinds) this.#forms.set(kind.own.id, [kind, new kind.own.Form(view, () => this.#preview())]);
    const offered = [...subject.questions().map(({ id }) => id), ...this.#forms.keys()];
    this.#chosen = offered.includes(last?.id) ? last.id
      : (subject.questions().find((question) => subject.isUndecided(question) && question.text !== answered?.text)?.id ?? offered[0]);
    this.network = this.#networkChoice();
    const send = h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.composer.ask"));
    const cancel = button(t("class.composer.cancel"), () => this.box.close(), { className: "bnviz-pill" });
    const forms = [...this.#forms.values()].map(([, { element }]) => element);
    this.form = h("form", { onsubmit: (event) => this.#submit(event) }, this.#list, this.network, ...forms, this.#answers,
      this.#decided, this.#problem, h("div", { class: "class-actions" }, send, cancel));
    this.box = dialog(view, t("class.composer.title"), this.form);
    this.box.classList.add("class-composer");
    this.#forms.get(last?.id)?.[1].fill(last);
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
      h("select", { onchange: change }, ...data.norms.map((norm) => h("option", { value: norm }, capitalize(data.labels[norm] ?? norm)))));
  }

  #fill() {
    const { t, id } = this.#view;
    const choice = (value, text) => h("label", {}, h("input", {
      type: "radio", name: `class-question-${id}`, value, checked: value === this.#chosen,
      onchange: () => {
        this.#chosen = value;
        this.#preview();
      },
    }), h("span", {}, text));
    fill(this.#list, h("legend", {}, t("class.composer.which")),
      ...this.#subject.questions(this.#norm).map((question) => choice(question.id, question.text)),
      ...voteKinds.map(({ own }) => choice(own.id, t(own.label))));
    this.#preview();
  }

  /** The question that would be asked; null where words of one's own are missing. */
  #question() {
    const [, form] = this.#forms.get(this.#chosen) ?? [];
    return form ? form.read() : this.#subject.questions(this.#norm).find(({ id }) => id === this.#chosen);
  }

  /** Show the answers of the chosen question, and when it will be decided; or the form for one's own words. */
  #preview() {
    const question = this.#question();
    const own = this.#forms.has(this.#chosen);
    for (const [id, [, form]] of this.#forms) setHidden(form.element, id !== this.#chosen);
    setHidden(this.#answers, own);
    setHidden(this.network, this.#view.data.norms.length < 2 || !question?.network);
    fill(this.#answers, ...(question ? voteKindOf(question).preview(question) : []));
    const decided = question && !own ? this.#subject.decidedText(question) : "";
    setText(this.#decided, decided);
    setHidden(this.#decided, !decided);
    setText(this.#problem, "");
  }

  #submit(event) {
    event.preventDefault();
    const question = this.#question();
    if (!question) {
      const [kind] = this.#forms.get(this.#chosen);
      return setText(this.#problem, this.#view.t(kind.own.missing));
    }
    this.box.close();
    this.#ask(question);
  }
}
