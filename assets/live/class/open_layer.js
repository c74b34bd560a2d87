// What covers the stage while the class is asked: question, lettered answers, the code to scan and to
// type, how many have answered (never what), and what the teacher can do next.

import { button, fill, h, setHidden, setText } from "../lib/dom.js";
import { Answers } from "./answers.js";
import { Discard } from "./discard.js";
import { LETTERS } from "./questions.js";

const LONG = 140; // characters of question and answers that stand there large
const MOST_HANDS = 1000;
const MOST_ROUNDS = 2; // the second is the one after the discussion
const WAYS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 }; // of clickers
const ACTIONS = ["hands", "close", "reopen", "reveal", "vote_again", "run", "back"];

/** How many have answered of how many phones, never what. */
export function answered(t, votes, phones) {
  const key = votes.hands ? "answered_hands" : phones || votes.answered ? "answered" : "nobody";
  return t(`class.layer.${key}`, { answered: votes.answered, phones: Math.max(phones, votes.answered) });
}

export class OpenLayer {
  #view;
  #about;
  #does;
  #question = null;
  #buttons = {};
  #title = h("h2", { class: "class-question", id: "class-question", tabindex: -1, autofocus: true });
  #count = h("p", { class: "class-count" });
  #status = h("p", { class: "class-status", role: "status" });
  #trouble = h("p", { class: "class-trouble", role: "status" });
  #note = h("p", { class: "class-note" });
  #news = h("p", { class: "class-trouble", role: "status" });
  #qr = h("img", { class: "class-qr" });
  #address = h("p", { class: "class-address" });
  #code = h("p", { class: "class-code" });
  #hands = h("form", { class: "class-hands", onsubmit: (event) => this.#counted(event) });

  /**
   * @param about see about_run.js
   * @param does {guess(place), count(counts), close, reopen, reveal, vote_again, run, cancel}: what the buttons do;
   *   these that go on with the vote look themselves for hands that were typed and not counted yet
   */
  constructor(view, about, does) {
    const { t } = view;
    this.#view = view;
    this.#about = about;
    this.#does = does;
    this.answers = new Answers(view, does.guess, "class.layer.yours");
    for (const name of ACTIONS) {
      const made = button(t(`class.layer.${name}`), () => this.#act(name), { className: "bnviz-pill" });
      made.dataset.class = name;
      this.#buttons[name] = made;
    }
    this.discard = new Discard(view, () => this.#act("cancel"), { label: t("class.layer.cancel"), className: "bnviz-pill" });
    this.discard.button.dataset.class = "cancel";
    this.join = h("div", { class: "class-join" }, this.#qr, this.#address, this.#code);
    this.element = h("dialog", { class: "class-open", "aria-labelledby": "class-question", "data-theme": view.data.dark ? "dark" : "light" },
      h("div", { class: "class-words" }, this.#title, this.answers.element, this.#hands, this.#note, this.#count, this.#status, this.#trouble, this.#news),
      this.join, h("div", { class: "class-actions" }, ...ACTIONS.map((name) => this.#buttons[name]), this.discard.keep, this.discard.button));
    this.element.addEventListener("close", () => this.discard.backOut());
    this.element.addEventListener("keydown", (event) => this.#clicker(event));
    setHidden(this.#hands, true);
  }

  /** A presenter's clicker: on to what comes next, or back to the stage. */
  #clicker(event) {
    const way = WAYS[event.key];
    if (!this.open || !this.#view.data.talk || !way || event.repeat || event.target.matches("input")) return;
    event.preventDefault();
    if (way < 0) this.close();
    else this.goOn();
  }

  /** Press the button that goes on. @returns whether there is one */
  goOn() {
    const next = this.#main;
    next?.click();
    return next !== null;
  }

  /** The button that goes on. */
  get #main() {
    return this.element.querySelector(".class-actions .bnviz-filled:not([hidden])");
  }

  get open() {
    return this.element.open;
  }

  /** How many hands were typed for each answer; null: none, or they were counted already. */
  get typedHands() {
    const fields = [...this.#hands.querySelectorAll("input")];
    if (this.#hands.hidden || fields.every(({ value, validity }) => value === "" && !validity.badInput)) return null;
    return fields.map(({ valueAsNumber }) => Math.min(MOST_HANDS, Math.max(0, Math.trunc(valueAsNumber || 0))));
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

  #act(name) {
    if (name === "hands") return this.#askHands(this.#hands.hidden);
    if (name === "back") return this.close();
    // What is typed there is counted first, so it must be a number.
    if (name !== "cancel" && this.typedHands && !this.#hands.reportValidity()) return;
    this.say("");
    this.#does[name]();
    this.#askHands(false);
  }

  /** Show what is known now. @param asked see asked.js; @param room see room_link.js */
  update(asked, room) {
    const { question, votes } = asked;
    const had = this.element.contains(document.activeElement);
    if (this.#question !== question) {
      this.#question = question;
      this.#askHands(false);
      this.say("");
    }
    const { t } = this.#view;
    this.discard.update(asked.unseen);
    setText(this.#title, question.text);
    this.element.classList.toggle("class-long", question.text.length + question.answers.join("").length > LONG);
    const { tally, first } = votes;
    this.answers.show(question, { guess: asked.guess, may: !asked.going && !tally, tally, first, happened: asked.happened?.answers ?? null });
    this.#showRoom(room, votes);
    setText(this.#status, t(`class.layer.${this.#stands(votes)}`));
    this.element.classList.toggle("class-closed", votes.status === "closed");
    setText(this.#note, tally || asked.going ? "" : t("class.layer.guess"));
    setText(this.#buttons.run, this.#about.goes(question));
    const shown = {
      hands: !tally && !asked.going, close: votes.status === "open" && room.code !== null,
      reopen: votes.status === "closed" && room.code !== null && !asked.going, reveal: votes.status !== "revealed" && room.code !== null,
      vote_again: votes.status !== "open" && votes.round < MOST_ROUNDS && !asked.going, run: !asked.going, back: true,
    };
    // One thing at a time: who presses once too early has lost no vote, and can open it again.
    const next = shown.close ? "close" : shown.reveal ? "reveal" : "run";
    for (const name of ACTIONS) {
      setHidden(this.#buttons[name], !shown[name]);
      this.#buttons[name].classList.toggle("bnviz-filled", name === next);
    }
    if (tally) this.#askHands(false);
    if (had) this.#keepFocus();
  }

  /** The key of what is said of the vote. */
  #stands({ status, round, first }) {
    if (status === "open" && round > 1) return "again";
    return status === "revealed" && first ? "revealed_again" : status;
  }

  /** Who pressed what is gone now goes on from the button that comes next. */
  #keepFocus() {
    const focused = document.activeElement;
    if (!this.open || (this.element.contains(focused) && !focused.closest("[hidden]"))) return;
    (this.#main ?? this.#buttons.back).focus();
  }

  #showRoom(room, votes) {
    const { t } = this.#view;
    const { code, address, phones, trouble, reach } = room;
    const joins = code !== null && votes.status === "open";
    setHidden(this.join, !joins);
    this.element.classList.toggle("class-alone", this.join.hidden);
    if (address && this.#qr.dataset.of !== address) {
      this.#qr.dataset.of = address;
      this.#qr.src = `${this.#view.data.base}/qr.svg?data=${encodeURIComponent(address)}`;
      this.#qr.alt = t("class.layer.qr");
      fill(this.#address, t("class.layer.join"), " ", h("b", {}, room.typed), " ", t("class.layer.type"));
      setText(this.#code, code);
    }
    setText(this.#count, code === null && !votes.hands ? "" : answered(t, votes, phones));
    const problem = trouble ? t(`class.layer.${trouble}`) : joins && reach ? t(`class.layer.${reach}`, { host: reach === "hinted" ? room.hint : location.host }) : "";
    setText(this.#trouble, code === null && !trouble ? t("class.layer.opening") : problem);
  }

  /** One field for each answer, to type how many hands went up. */
  #askHands(open) {
    const { t } = this.#view;
    this.#buttons.hands.setAttribute("aria-expanded", String(open));
    const within = this.#hands.contains(document.activeElement);
    if (open) {
      fill(this.#hands, ...this.#question.answers.map((_, place) => h("label", {}, h("span", {}, LETTERS[place]),
        h("input", { type: "number", min: 0, max: MOST_HANDS, step: 1, placeholder: 0, inputmode: "numeric", onfocus: ({ target }) => target.select(),
          "aria-label": t("class.layer.hands_of", { letter: LETTERS[place] }) }))),
      h("button", { type: "submit", class: "bnviz-pill bnviz-filled" }, t("class.layer.count")));
    }
    setHidden(this.#hands, !open);
    if (open) this.#hands.querySelector("input").focus();
    else if (within) (this.#buttons.hands.hidden ? this.#main : this.#buttons.hands)?.focus();
  }

  #counted(event) {
    event.preventDefault();
    this.#does.count(this.typedHands ?? this.#question.answers.map(() => 0));
    this.#askHands(false);
  }

  /** Something to read once: what a restart took, a new code. */
  say(text) {
    setText(this.#news, text);
  }
}
