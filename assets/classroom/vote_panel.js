// The question on the page itself: its answers with their votes, and one line about the pending outcome or the result.

import { fill, h, setHidden, setText } from "../live/lib/dom.js";
import { joinSentences } from "../live/lib/joining.js";
import { AnswerList } from "./answer_list.js";
import { DiscardButton } from "./discard_button.js";
import { answered, showCode, voteButtons } from "./vote_dialog.js";

export class VotePanel {
  element = h("section.bnviz-card.class-panel", { hidden: true });
  #view;
  #subject;
  #title = h("h2");
  #closed = h("p.class-shut");
  #line = h("p.class-line");
  #qr = h("img.class-small-qr");
  #code = h("b.class-small-code");
  #buttons;
  #answers;

  /**
   * @param subject see ask_the_class.js
   * @param does callbacks of the buttons by name, and also guess(guess)
   */
  constructor(view, subject, does) {
    const { t } = view;
    this.#view = view;
    this.#subject = subject;
    this.#answers = new AnswerList(view, does.guess, "class.panel.yours");
    this.#buttons = voteButtons(["show", "reopen", "reveal", "ask_again"], (name) => t(`class.panel.${name}`), (name) => does[name]());
    this.discard = new DiscardButton(view, does.cancel, { label: "×", className: "bnviz-icon class-dismiss", aria: t("class.panel.close") });
    this.join = h("figure.class-scan", this.#qr, h("figcaption", this.#code));
    const buttons = h("div.class-buttons", ...Object.values(this.#buttons), this.discard.keep, this.discard.button);
    // The buttons come first and float to the side, so that a long question flows around them.
    fill(this.element, h("header", buttons, this.#title),
      h("div.class-words", this.#answers.element, this.#closed, this.#line), this.join);
    this.element.setAttribute("aria-label", t("class.panel.title"));
  }

  /**
   * Show the state of a question, or hide the panel if there is none.
   * @param asked an AskedQuestion, or null
   * @param room see room_link.js
   */
  update(asked, room) {
    setHidden(this.element, !asked);
    this.discard.update(asked?.unseen ?? 0);
    if (!asked) return;
    const { t } = this.#view;
    const { question, votes, happened, going } = asked;
    setText(this.#title, question.text);
    this.#answers.show(asked);
    setText(this.#line, this.#lineOf(asked, room));
    const inRoom = room.code !== null && !asked.alone;
    const closed = inRoom && !going && votes.status === "closed";
    setText(this.#closed, closed ? t("class.layer.closed") : "");
    this.element.classList.toggle("class-decided", happened !== null);
    setHidden(this.join, !inRoom || going || votes.status !== "open");
    if (inRoom && this.#qr.dataset.of !== room.address) {
      showCode(this.#qr, this.#view, room.address);
      setText(this.#code, room.code);
    }
    setHidden(this.#buttons.show, asked.alone || going);
    setHidden(this.#buttons.reopen, !closed);
    setHidden(this.#buttons.reveal, !inRoom || votes.status === "revealed" || !going);
    setHidden(this.#buttons.ask_again, !happened || asked.alone || asked.unseen > 0);
  }

  /**
   * Return the text of the line under the answers: the outcome, or else what must happen before the outcome is known,
   * or else the number of votes.
   */
  #lineOf(asked, { code, phones }) {
    const { t } = this.#view;
    const { going, happened, guess, question, votes, alone } = asked;
    const guessed = guess === null ? "" : t("class.panel.guessed", { guess: question.answers[guess] });
    if (happened) {
      const sentence = asked.former ? this.#subject.formerText(happened.sentence) : happened.sentence;
      return joinSentences([sentence, happened.answers?.length === 0 ? t("class.panel.none_of_these") : ""]);
    }
    if (going) return joinSentences([this.#subject.waitingText(asked), guessed]);
    if (alone) return guessed || t("class.layer.guess");
    return code === null && !votes.hands ? guessed : answered(t, votes, phones);
  }
}
