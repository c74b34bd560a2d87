// What a class is asked about on the map's page: `MapSubject` stops the drawing and lets it go on, says which
// questions there are, and puts outcomes into words; `QuestionAboutMap` follows the map from the moment at which
// it was asked. A run has the same in classroom/run_subject.js.

import { AskedQuestion, outcomeOfPhrases } from "../classroom/asked_question.js";
import { mapOutcome, questionsFor, sentenceOf } from "./map_questions.js";

const OVER = new Set(["finished", "failed"]);

export class MapSubject {
  AskedQuestion = QuestionAboutMap;
  /** Whether the cells are hidden now. */
  covered = false;
  #view;
  #held = false;

  /** @param view the map */
  constructor(view) {
    this.#view = view;
  }

  /** The map on the page. */
  get id() {
    return this.#view.data.key;
  }

  /** Not on a page in a frame, and not about a map that the server refused. */
  get canAsk() {
    const { framed, key } = this.#view.data;
    return !framed && Boolean(key);
  }

  questions(norm) {
    return questionsFor(this.#view, norm);
  }

  /** Also a map that is drawn may be asked about: nobody reads all of it at a look. */
  isUndecided() {
    return true;
  }

  /** When a question will be decided, and how much of the map is on the page already, in words. */
  decidedText() {
    const { t, answer, model } = this.#view;
    const key = OVER.has(answer?.status) ? "drawn" : model.count ? "begun" : "settled";
    return t(`class.map.${key}`, { done: answer?.progress.done ?? 0 });
  }

  /** The map as it is now: {key, wanted: whether it is to be drawn, over, failed, norms: names, model}. */
  state() {
    const { data, answer, model, wanted } = this.#view;
    const status = answer?.key === data.key ? answer.status : null;
    return { key: data.key, wanted, over: OVER.has(status), failed: status === "failed", norms: this.#view.norms.map(({ name }) => name), model };
  }

  /** Stop the drawing. @returns whether it was going */
  pause() {
    const going = this.#view.wanted && !OVER.has(this.#view.answer?.status);
    this.#view.want(false);
    return going;
  }

  /** A question as it is asked now. */
  asAsked(question) {
    return question;
  }

  /** The question was not asked, or is withdrawn. */
  resume(wasGoing) {
    if (wasGoing) this.run();
  }

  /** Let the drawing go on. */
  run() {
    this.#view.want(true);
  }

  /** The words on the button that lets it go on; a map that is drawn is only shown. */
  runLabel() {
    return this.#view.t(OVER.has(this.#view.answer?.status) ? "class.map.show" : "class.layer.run");
  }

  discardChanges() {}

  /** Whether nothing more is drawn, also not what others have had drawn of the same map. */
  holdChanges(yes) {
    if (this.#held === yes) return;
    this.#held = yes;
    if (yes && this.#view.wanted) this.#view.want(false);
    this.#view.feed?.hold(yes);
  }

  /** Hide the cells while a question is open whose answer they show. @param question the open one; null: none */
  cover(question) {
    const yes = Boolean(question?.kind);
    if (this.covered === yes) return;
    this.covered = yes;
    const { root, planes } = this.#view;
    root.classList.toggle("bnviz-map-covered", yes);
    planes.element.inert = yes; // keys do not reach the cells, and no screen reader reads them
    this.#view.sayCell();
  }

  get held() {
    return this.#held;
  }

  /** What came of a question, see `outcomeOfPhrases`; null while that is open. */
  outcomeOf(asked, state) {
    const outcome = asked.outcome(state);
    if (!outcome) return null;
    return outcomeOfPhrases(this.#view.t, outcome.answers, [sentenceOf(outcome, asked.question, this.#view)]);
  }

  /** What is waited for while the map is drawn, in words. */
  waitingText({ question }) {
    return question.kind ? this.#view.t("class.map.waits") : "";
  }

  /** The sentence of an outcome whose map has been replaced since. */
  formerText(sentence) {
    return this.#view.t("class.map.before", { sentence });
  }
}

/** A question that was asked about a map. Its `from` is {key: of the map}. */
export class QuestionAboutMap extends AskedQuestion {
  static of = "map";

  isOf(key) {
    return this.from?.key === key;
  }

  /** The reader lets the drawing go on. */
  start() {
    this.started = true;
  }

  /**
   * Follow the map: the question is asked of another one that takes its place, and goes on as soon as the map is
   * wanted again.
   *
   * @param state see `state()` of the subject
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

  /** What came of it, see `mapOutcome`; null while that is open. */
  outcome(state) {
    if (!this.going || this.happened || !this.isOf(state.key)) return null;
    return mapOutcome(this.question, state);
  }
}
