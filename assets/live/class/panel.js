// The question in the stage's lower right: the tally, what the run is waiting for, what happened.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { Answers } from "./answers.js";
import { Discard } from "./discard.js";
import { answered } from "./open_layer.js";

export class Panel {
  element = h("section", { class: "bnviz-card class-panel", hidden: true });
  #view;
  #about;
  #title = h("h2", {});
  #closed = h("p", { class: "class-shut", hidden: true });
  #line = h("p", { class: "class-line" });
  #qr = h("img", { class: "class-small-qr" });
  #code = h("b", { class: "class-small-code" });
  #buttons = {};

  /** @param about see about_run.js; @param does {guess(place), show, reopen, reveal, ask_again, close}: what the buttons do */
  constructor(view, about, does) {
    const { t } = view;
    this.#view = view;
    this.#about = about;
    this.answers = new Answers(view, does.guess, "class.panel.yours");
    for (const name of ["show", "reopen", "reveal", "ask_again"]) {
      const made = button(t(`class.panel.${name}`), does[name], { className: "bnviz-pill" });
      made.dataset.class = name;
      this.#buttons[name] = made;
    }
    this.discard = new Discard(view, does.close, { label: "×", className: "bnviz-icon class-dismiss", aria: t("class.panel.close") });
    this.join = h("figure", { class: "class-scan" }, this.#qr, h("figcaption", {}, this.#code));
    const buttons = h("div", { class: "class-buttons" }, ...Object.values(this.#buttons), this.discard.keep, this.discard.button);
    // The question flows around them, however long it is.
    fill(this.element, h("header", {}, buttons, this.#title),
      h("div", { class: "class-words" }, this.answers.element, this.#closed, this.#line), this.join);
    this.element.setAttribute("aria-label", t("class.panel.title"));
  }

  /** @param asked see asked.js, or null; @param room see room_link.js */
  update(asked, room) {
    setHidden(this.element, !asked);
    this.discard.update(asked?.unseen ?? 0);
    if (!asked) return;
    const { t } = this.#view;
    const { question, votes, happened, going } = asked;
    setText(this.#title, question.text);
    this.answers.show(question, {
      guess: asked.guess, may: !going && votes.status !== "revealed", tally: votes.tally, first: votes.first, happened: happened?.answers ?? null,
    });
    setText(this.#line, this.#says(asked, room));
    const inRoom = room.code !== null && !asked.alone;
    const closed = inRoom && !going && votes.status === "closed";
    setText(this.#closed, closed ? t("class.layer.closed") : "");
    setHidden(this.#closed, !closed);
    this.element.classList.toggle("class-decided", happened !== null);
    setHidden(this.join, !inRoom || going || votes.status !== "open");
    if (inRoom && this.#qr.dataset.of !== room.address) {
      this.#qr.dataset.of = room.address;
      this.#qr.src = `${this.#view.data.base}/qr.svg?data=${encodeURIComponent(room.address)}`;
      this.#qr.alt = t("class.layer.qr");
      setText(this.#code, room.code);
    }
    setHidden(this.#buttons.show, asked.alone || going);
    setHidden(this.#buttons.reopen, !closed);
    setHidden(this.#buttons.reveal, !inRoom || votes.status === "revealed" || !going);
    setHidden(this.#buttons.ask_again, !happened || asked.alone || asked.unseen > 0);
  }

  /** One sentence: what happened, or until when it is open, or how many have answered. */
  #says(asked, { code, phones }) {
    const { t } = this.#view;
    const { going, happened, guess, question, votes, alone } = asked;
    const guessed = guess === null ? "" : t("class.panel.guessed", { guess: question.answers[guess] });
    if (happened) {
      const none = happened.answers?.length === 0 ? t("class.panel.none_of_these") : "";
      const sentence = asked.former ? this.#about.before(happened.sentence) : happened.sentence;
      return [sentence, none].filter(Boolean).join(" ");
    }
    if (going) return [this.#about.waits(asked), guessed].filter(Boolean).join(" ");
    if (alone) return guessed || t("class.layer.guess");
    return code === null && !votes.hands ? guessed : answered(t, votes, phones);
  }
}
