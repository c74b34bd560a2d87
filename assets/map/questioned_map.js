// Questions on the map page. `QuestionedMap` stops and resumes the drawing, offers the questions and describes the
// outcomes. `QuestionAboutMap` follows the map after the question has been asked. For questions about runs, see
// classroom/questioned_run.js.

import { AskedQuestion, outcomeOfPhrases } from "../classroom/asked_question.js";
import { mapOutcome, questionsFor, sentenceOf } from "./map_questions.js";

const OVER = new Set(["finished", "failed"]);

export class QuestionedMap {
  AskedQuestion = QuestionAboutMap;
  /** Whether the cells are hidden at present. */
  covered = false;
  #view;
  #held = false;

  constructor(view) {
    this.#view = view;
  }

  /** Identifier of the map on the page. */
  get id() {
    return this.#view.data.key;
  }

  /** Whether the reader may ask a question. This is not allowed in a frame, or if the server refused the map. */
  get canAsk() {
    const { framed, key } = this.#view.data;
    return !framed && Boolean(key);
  }

  questions(norm) {
    return questionsFor(this.#view, norm);
  }

  /** Return true even for a complete map, because nobody can take in all of a map at a glance. */
  isUndecided() {
    return true;
  }

  /** Return text that says when a question will be decided and how much of the map the page already shows. */
  decidedText() {
    const { t, answer, model } = this.#view;
    const key = OVER.has(answer?.status) ? "drawn" : model.count ? "begun" : "settled";
    return t(`class.map.${key}`, { done: answer?.progress.done ?? 0 });
  }

  /**
   * Return the current state of the map: {key, wanted: whether it should be drawn, over, failed, norms: names, model}.
   */
  state() {
    const { data, answer, model, wanted } = this.#view;
    const status = answer?.key === data.key ? answer.status : null;
    return { key: data.key, wanted, over: OVER.has(status), failed: status === "failed", norms: this.#view.norms.map(({ name }) => name), model };
  }

  /** Stop drawing. @returns whether drawing was in progress */
  pause() {
    const going = this.#view.wanted && !OVER.has(this.#view.answer?.status);
    this.#view.want(false);
    return going;
  }

  asAsked(question) {
    return question;
  }

  /** Continue drawing after a question was cancelled or withdrawn, if drawing was in progress before the question. */
  resume(wasGoing) {
    if (wasGoing) this.run();
  }

  /** Continue drawing. */
  run() {
    this.#view.want(true);
  }

  /** Return the label of the button that continues drawing. For a complete map, the button shows the map instead. */
  runLabel() {
    return this.#view.t(OVER.has(this.#view.answer?.status) ? "class.map.show" : "class.layer.run");
  }

  discardChanges() {}

  /** Set whether all further cells are withheld, even cells that are being drawn for other viewers. */
  holdChanges(yes) {
    if (this.#held === yes) return;
    this.#held = yes;
    if (yes && this.#view.wanted) this.#view.want(false);
    this.#view.feed?.hold(yes);
  }

  /**
   * Hide the cells while there is an open question that they would answer. @param question the open question, or null
   */
  cover(question) {
    const yes = Boolean(question?.kind);
    if (this.covered === yes) return;
    this.covered = yes;
    const { root, planes } = this.#view;
    root.classList.toggle("bnviz-map-covered", yes);
    planes.element.inert = yes; // neither the keyboard nor a screen reader can reach the cells
    this.#view.sayCell();
  }

  get held() {
    return this.#held;
  }

  /** Return the outcome of a question (see `outcomeOfPhrases`), or null while the question is open. */
  outcomeOf(asked, state) {
    const outcome = asked.outcome(state);
    if (!outcome) return null;
    return outcomeOfPhrases(this.#view.t, outcome.answers, [sentenceOf(outcome, asked.question, this.#view)]);
  }

  /** Return text that says what must happen before the outcome is known, while the map is being drawn. */
  waitingText({ question }) {
    return question.kind ? this.#view.t("class.map.waits") : "";
  }

  /** Return the sentence for an outcome of a map that has since been replaced by another map. */
  formerText(sentence) {
    return this.#view.t("class.map.before", { sentence });
  }
}

/** A question that was asked about a map. Its property `from` is {key: identifier of the map}. */
export class QuestionAboutMap extends AskedQuestion {
  static of = "map";

  isOf(key) {
    return this.from?.key === key;
  }

  /** Record that the reader has continued the drawing. */
  start() {
    this.started = true;
  }

  /**
   * Update the question to the current state of the map. If another map has replaced the map, the question is then
   * about the new map. The question continues as soon as drawing resumes.
   * @param state see `state()` of `QuestionedMap`
   * @returns whether anything changed
   */
  follow({ key, wanted }) {
    if (this.happened) return false;
    const moved = !this.isOf(key);
    if (moved) this.from = { key };
    const goes = this.started || wanted;
    const begins = goes && !this.going;
    this.going ||= goes;
    return moved || begins;
  }

  /** Return the outcome (see `mapOutcome`), or null while the question is open. */
  outcome(state) {
    if (!this.going || this.happened || !this.isOf(state.key)) return null;
    return mapOutcome(this.question, state);
  }
}
