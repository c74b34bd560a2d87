// The dialog that covers the page while a class votes. It shows the question and its answers, the code to scan or type,
// the number of votes, and buttons for the teacher's next steps. It never shows how the votes are distributed before
// the teacher reveals them.

import { classroom } from "../contract.js";
import { button, fill, h, setHidden, setText } from "../live/lib/dom.js";
import { AnswerList } from "./answer_list.js";
import { DiscardButton } from "./discard_button.js";

const LARGE = 140; // maximum number of characters in the question and its answers for which large type is used
const CLICKER = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }; // keys of presenters' clickers
const ACTIONS = ["hands", "close", "reopen", "reveal", "vote_again", "run", "back"];

/** Return a text with the number of votes and the number of phones. */
export function answered(t, votes, phones) {
  const key = votes.hands ? "answered_hands" : phones || votes.answered ? "answered" : "nobody";
  return t(`class.layer.${key}`, { answered: votes.answered, phones: Math.max(phones, votes.answered) });
}

/** Show the QR code that phones scan. The image's `data-of` attribute stores the address that the code contains. */
export function showCode(image, { data, t }, address) {
  image.dataset.of = address;
  image.src = `${data.base}/qr.svg?data=${encodeURIComponent(address)}`;
  image.alt = t("class.layer.qr");
}

/**
 * Return buttons by name. @param labelOf returns a button's label @param act called with the name of a button that is
 * pressed
 */
export function voteButtons(names, labelOf, act) {
  return Object.fromEntries(names.map((name) => [name, button(labelOf(name), () => act(name), { className: "bnviz-pill", "data-class": name })]));
}

export class VoteDialog {
  #view;
  #subject;
  #does;
  #question = null;
  #buttons;
  #title = h("h2.class-question", { id: "class-question", tabindex: -1, autofocus: true });
  #count = h("p.class-count");
  #status = h("p.class-status", { role: "status" });
  #trouble = h("p.class-trouble", { role: "status" });
  #note = h("p.class-note");
  #news = h("p.class-trouble", { role: "status" });
  #qr = h("img.class-qr");
  #address = h("p.class-address");
  #code = h("p.class-code");
  #hands = h("form.class-hands", { hidden: true, onsubmit: (event) => this.#countHands(event) });
  #answers;

  /**
   * @param subject see ask_the_class.js
   * @param does callbacks of the buttons by name, and also guess(guess) and count(hands)
   */
  constructor(view, subject, does) {
    const { t } = view;
    this.#view = view;
    this.#subject = subject;
    this.#does = does;
    this.#answers = new AnswerList(view, does.guess, "class.layer.yours");
    this.#buttons = voteButtons(ACTIONS, (name) => t(`class.layer.${name}`), (name) => this.#act(name));
    this.discard = new DiscardButton(view, () => this.#act("cancel"), { label: t("class.layer.cancel"), className: "bnviz-pill" });
    this.discard.button.dataset.class = "cancel";
    this.join = h("div.class-join", this.#qr, this.#address, this.#code);
    this.element = h("dialog.class-open", { "aria-labelledby": "class-question", "data-theme": view.data.dark ? "dark" : "light" },
      h("div.class-words", this.#title, this.#answers.element, this.#hands, this.#note, this.#count, this.#status, this.#trouble, this.#news),
      this.join, h("div.class-actions", ...Object.values(this.#buttons), this.discard.keep, this.discard.button));
    this.element.addEventListener("close", () => this.discard.backOut());
    this.element.addEventListener("keydown", (event) => this.#clicked(event));
  }

  /**
   * Handle a presenter's clicker during a talk: "forward" presses the button for the next step, and "back" closes the
   * dialog.
   */
  #clicked(event) {
    const way = CLICKER[event.key];
    if (!this.open || !this.#view.data.talk || !way || event.repeat || event.target.matches("input")) return;
    event.preventDefault();
    if (way < 0) this.close();
    else this.goOn();
  }

  /** Press the button for the next step of the vote. @returns whether there is such a button */
  goOn() {
    const next = this.#next;
    next?.click();
    return next !== null;
  }

  /** The button for the next step of the vote, or null if there is none. */
  get #next() {
    return this.element.querySelector(".class-actions .bnviz-filled:not([hidden])");
  }

  get open() {
    return this.element.open;
  }

  /**
   * Numbers of raised hands, one per answer, that the teacher has typed but not yet submitted, or null if there are
   * none.
   */
  get typedHands() {
    const fields = [...this.#hands.querySelectorAll("input")];
    if (this.#hands.hidden || fields.every(({ value, validity }) => value === "" && !validity.badInput)) return null;
    return fields.map(({ valueAsNumber }) => Math.min(classroom.most_hands, Math.max(0, Math.trunc(valueAsNumber || 0))));
  }

  show() {
    const { root, data } = this.#view;
    this.element.dataset.theme = data.dark ? "dark" : "light";
    if (!this.element.isConnected) root.append(this.element);
    if (!this.element.open) this.element.showModal();
  }

  close() {
    if (this.element.open) this.element.close();
  }

  /** Show a message under the votes. It stays until the next action. */
  say(text) {
    setText(this.#news, text);
  }

  #act(name) {
    if (name === "hands") return this.#showHands(this.#hands.hidden);
    if (name === "back") return this.close();
    // The typed numbers of hands are submitted before the vote continues, so these numbers must be valid.
    if (name !== "cancel" && this.typedHands && !this.#hands.reportValidity()) return;
    this.say("");
    this.#does[name]();
    this.#showHands(false);
  }

  /**
   * Show the state of a question.
   * @param asked an AskedQuestion
   * @param room see room_link.js
   */
  update(asked, room) {
    const { question, votes } = asked;
    const hadFocus = this.element.contains(document.activeElement);
    if (this.#question !== question) {
      this.#question = question;
      this.#showHands(false);
      this.say("");
    }
    const { t } = this.#view;
    this.discard.update(asked.unseen);
    setText(this.#title, question.text);
    this.element.classList.toggle("class-long", question.text.length + question.answers.join("").length > LARGE);
    const { tally } = votes;
    this.#answers.show(asked);
    this.#showRoom(room, votes);
    setText(this.#status, room.trouble === "gone" ? "" : t(`class.layer.${statusKey(votes)}`));
    this.element.classList.toggle("class-closed", votes.status === "closed");
    setText(this.#note, tally || asked.going ? "" : t("class.layer.guess"));
    setText(this.#buttons.run, this.#subject.runLabel(question));
    const inRoom = room.code !== null;
    const shown = {
      hands: !tally && !asked.going, close: votes.status === "open" && inRoom,
      reopen: votes.status === "closed" && inRoom && !asked.going, reveal: votes.status !== "revealed" && inRoom,
      vote_again: votes.status !== "open" && votes.round < classroom.most_rounds && !asked.going, run: !asked.going, back: true,
    };
    // Highlight the button for one step at a time. Pressing a highlighted button too early only closes the vote, which
    // can be reopened.
    const next = shown.close ? "close" : shown.reveal ? "reveal" : "run";
    for (const [name, control] of Object.entries(this.#buttons)) {
      setHidden(control, !shown[name]);
      control.classList.toggle("bnviz-filled", name === next);
    }
    if (tally) this.#showHands(false);
    if (hadFocus) this.#keepFocus();
  }

  /** If the pressed button has disappeared, focus the button for the next step of the vote. */
  #keepFocus() {
    const focused = document.activeElement;
    if (!this.open || (this.element.contains(focused) && !focused.closest("[hidden]"))) return;
    (this.#next ?? this.#buttons.back).focus();
  }

  #showRoom(room, votes) {
    const { t } = this.#view;
    const { code, address, phones, trouble, reach } = room;
    const joins = code !== null && votes.status === "open";
    setHidden(this.join, !joins);
    this.element.classList.toggle("class-alone", this.join.hidden);
    if (address && this.#qr.dataset.of !== address) {
      showCode(this.#qr, this.#view, address);
      fill(this.#address, t("class.layer.join"), " ", h("b", room.typed), " ", t("class.layer.type"));
      setText(this.#code, code);
    }
    setText(this.#count, code === null && !votes.hands ? "" : answered(t, votes, phones));
    const problem = trouble ? t(`class.layer.${trouble}`) : joins && reach ? t(`class.layer.${reach}`, { host: room.host }) : "";
    setText(this.#trouble, code === null && !trouble ? t("class.layer.opening") : problem);
  }

  /** Show or hide the input fields for a show of hands. */
  #showHands(open) {
    const { t } = this.#view;
    this.#buttons.hands.setAttribute("aria-expanded", open);
    const hadFocus = this.#hands.contains(document.activeElement);
    if (open) {
      const field = (letter) => h("label", h("span", letter),
        h("input", { type: "number", min: 0, max: classroom.most_hands, step: 1, placeholder: 0, inputmode: "numeric",
          onfocus: ({ target }) => target.select(), "aria-label": t("class.layer.hands_of", { letter }) }));
      fill(this.#hands, ...this.#question.answers.map((_, index) => field(classroom.letters[index])),
        h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.layer.count")));
    }
    setHidden(this.#hands, !open);
    if (open) this.#hands.querySelector("input").focus();
    else if (hadFocus) (this.#buttons.hands.hidden ? this.#next : this.#buttons.hands)?.focus();
  }

  #countHands(event) {
    event.preventDefault();
    this.#does.count(this.typedHands ?? this.#question.answers.map(() => 0));
    this.#showHands(false);
  }
}

/** Return the text key for the status of a vote. */
function statusKey({ status, round, first }) {
  if (status === "open" && round > 1) return "again";
  return status === "revealed" && first ? "revealed_again" : status;
}
