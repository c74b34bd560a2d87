// Questions on a page with a run. `QuestionedRun` pauses and resumes the run, offers the questions and writes the
// outcomes as text. `QuestionAboutRun` follows the run from the step at which the question was asked.
// map/questioned_map.js is the counterpart for a map.

import { AskedQuestion, joined, outcomeOfPhrases } from "./asked_question.js";
import { normsOf } from "./question.js";
import { aboutOf, firstQuestion, givenQuestion, questionsFor, runOutcome, sentencesOf } from "./run_questions.js";
import { joinList } from "../live/lib/joining.js";
import { sameValue } from "../live/lib/live_actions.js";

const OVER = new Set(["diverged", "limit", "failed"]); // statuses of a run that has ended

export class QuestionedRun {
  AskedQuestion = QuestionAboutRun;
  #view;
  #replayed = false; // whether a replay of past steps was paused in order to ask the question

  constructor(view) {
    this.#view = view;
  }

  /** Identifier of the run shown on the page. */
  get id() {
    return this.#view.data.run;
  }

  /** Whether this reader may ask the class. Only the run's owner may ask, because a question pauses the run. */
  get canAsk() {
    return this.#view.data.can_control;
  }

  /** Whether the run cannot be paused now. Without a connection, it would play on behind an open vote. */
  get isAway() {
    const { scriptConnection, store } = this.#view;
    return !store.connected || Boolean(scriptConnection?.away);
  }

  /** Return the questions about the run. @param norm the norm of the network for questions about a single network */
  questions(norm) {
    const { data, t } = this.#view;
    return questionsFor(data, t, norm);
  }

  /** Return the question with which the page opens. */
  openingQuestion() {
    const { data, t } = this.#view;
    const own = data.talk ? givenQuestion(data, t) : null; // the question of the talk's current stop
    return own ?? firstQuestion(data, t);
  }

  /** Return text for the teacher that says when a question will be decided, or "" if that is unknown. */
  decidedText(question) {
    const { kind, steps } = question;
    const { data, store, t } = this.#view;
    const broken = this.#brokenOf(question).map((norm) => ({ label: data.labels[norm], step: store.breaks[norm].step }));
    if (kind === "layer" && broken.length) return t(this.#isCovered(question) ? "class.composer.kept" : "class.composer.settled", broken[0]);
    const after = steps ? t("class.composer.steps", { steps }) : "";
    return broken.length ? joined([...broken.map((values) => t("class.composer.broken", values)), after]) : after;
  }

  /**
   * Return whether the page does not show the answer yet: either no network in the question has broken, or the page
   * hides the broken layer.
   */
  isUndecided(question) {
    return !this.#brokenOf(question).length || this.#isCovered(question);
  }

  /**
   * Return the networks of a question that have broken by the displayed step, or an empty list for a question about
   * accuracy.
   */
  #brokenOf(question) {
    const { store, time } = this.#view;
    const until = time?.rewound ? (this.state()?.step ?? 0) : Infinity;
    return aboutOf(question) === "accuracy" ? [] : normsOf(question).filter((norm) => store.breaks[norm]?.step <= until);
  }

  /** Return whether the page hides the broken layer because the talk's current stop asks for it. */
  #isCovered({ id, kind }) {
    return id === "given" && kind === "layer" && Boolean(this.#view.data.talk);
  }

  /** Return the current state of the run, or null before the first frame. */
  state() {
    return this.#view.scene();
  }

  /** Pause the run, and also a replay of its past steps. @returns whether the run was playing */
  pause() {
    const { time, transport } = this.#view;
    const { playing } = transport;
    this.#replayed = time.replays === true && time.hold();
    if (playing) this.#view.act("pause");
    return playing;
  }

  /** Return a copy of the question. If a past step is displayed, the question is decided from that step on. */
  asAsked(question) {
    const { rewound, step } = this.state() ?? {};
    const since = question.since ?? (rewound && question.kind ? step : null);
    return { ...question, since };
  }

  /** Continue the run or replay after a question was cancelled or withdrawn. Keep showing the displayed step. */
  resume(wasGoing) {
    const { time, transport } = this.#view;
    if (!wasGoing) this.discardChanges();
    else if (!transport.playing) this.#view.act("play", { stayRewound: true });
    if (this.#replayed && time.replays === false) time.hold();
    this.#replayed = false;
  }

  /**
   * Continue the run. @param question the question to be decided, or null; the knob values that the question needs are
   * set first
   */
  run(question = null) {
    const { question: given, talk } = this.#view.data;
    // The talk's next stop sets the knobs at its own step.
    if (talk && question?.id === "given" && given?.walks) return this.#view.talk.walk(1);
    for (const [knob, value] of this.#knobsToSet(question)) this.#view.link.setKnob(knob, value);
    if (!this.#view.transport.playing) this.#view.act("play");
  }

  /** Return the label of the button that continues the run, including the knobs that it sets. */
  runLabel(question) {
    const { t } = this.#view;
    const knobs = this.#knobsToSet(question).map(([knob, value]) => t("class.layer.knob", { knob: this.#knobName(knob), value }));
    return knobs.length ? t("class.layer.run_with", { knobs: joinList(knobs) }) : t("class.layer.run");
  }

  /** Return the knobs that must be changed for a question, as [knob, value]. */
  #knobsToSet(question) {
    const { link } = this.#view;
    return Object.entries(question?.needs ?? {}).filter(([knob, value]) => link?.shown(knob) !== value);
  }

  #knobName(knob) {
    return this.#view.data.knobs.specs[knob]?.label.toLowerCase() ?? knob;
  }

  /** Hide everything on the page that could reveal an answer. @param question the open question, or null */
  cover(question) {
    const view = this.#view;
    if (view.covered === question) return;
    view.covered = question;
    view.root.classList.toggle("bnviz-covered", question !== null);
    view.edges.fill();
    if (view.store) view.paint();
  }

  /** Set whether changes of knobs are held back until the run continues. */
  holdChanges(yes) {
    this.#view.link?.hold(yes);
  }

  /** Reset the knobs to the values of the run. */
  discardChanges() {
    this.#view.link?.takeBack();
  }

  /** Return the outcome of a question, see `outcomeOfPhrases`, or null while it is undecided. */
  outcomeOf(asked, state) {
    const { data, t } = this.#view;
    const outcome = asked.outcome(state, data.chance);
    return outcome ? outcomeOfPhrases(t, outcome.answers, sentencesOf(outcome, data)) : this.#outcomeOfLesson(asked);
  }

  /** Return the outcome of a lesson's own question. The Streamlit script sends it after the run has ended. */
  #outcomeOfLesson({ question, happened, going, from }) {
    const given = this.#view.data.question;
    const same = question.id === "given" && given?.text === question.text && given.run === from?.run;
    return same && going && !happened ? (given.happened ?? null) : null;
  }

  /** Return the step at which the answer will be known, or null if the step is not known yet. */
  decidedAt(asked) {
    return asked.decidedAt(this.#view.store);
  }

  /** Return text that says what must happen before the outcome is known, while the run continues. */
  waitingText(asked) {
    const { t } = this.#view;
    const step = this.decidedAt(asked);
    if (step !== null) return t("class.panel.watching", { step });
    const [needed] = Object.entries(asked.question.needs ?? {});
    return needed ? t("class.panel.needs", { knob: this.#knobName(needed[0]), value: needed[1] }) : "";
  }

  /** Return the text for an outcome whose run has since been replaced. */
  formerText(sentence) {
    return this.#view.t("class.panel.before", { sentence });
  }
}

/**
 * A question that was asked about a run. Its `from` is {run, step, broken: {norm: step} of earlier breaks}. `step` is
 * the question's `since` if it has one, and otherwise the step of the last frame before the run continued.
 */
export class QuestionAboutRun extends AskedQuestion {
  static of = "run";
  /** Latest step of the run that the page has received. */
  reached = 0;
  #wasPaused = false; // whether the run has been paused since the question was asked

  resume() {
    this.#wasPaused = true;
  }

  isOf(run) {
    return this.from?.run === run;
  }

  /**
   * Return the step at which the answer will be known, or null while a knob does not have the value that the question
   * needs.
   */
  decidedAt(store) {
    return this.#span(store)?.until ?? null;
  }

  /**
   * Return the span of steps that decides the question. It begins when the question has been asked and all knobs have
   * the needed values, and it has the question's number of steps. If a knob changes earlier, the span ends at the
   * change, and counts only if a break within it has already decided the question.
   *
   * @returns {step, until}, or null if there is no such span yet
   */
  #span(store) {
    const { steps } = this.question;
    if (!this.from || !steps) return null;
    for (const { since, end } of this.#spansWithNeeds(store)) {
      const step = Math.max(since, this.from.step);
      const until = Math.min(step + steps, end);
      if (until === step + steps || this.#brokeWithin(store, step, until)) return { step, until };
    }
    return null;
  }

  /** Return the spans of steps in which all knobs have the values that the question needs, in order: {since, end}. */
  #spansWithNeeds({ initial, changes }) {
    const needs = Object.entries(this.question.needs ?? {});
    const met = (values) => needs.every(([knob, value]) => sameValue(values[knob], value));
    const spans = [];
    let values = {};
    for (const change of [{ step: 0, values: initial ?? {} }, ...changes]) {
      const metBefore = spans.at(-1)?.end === Infinity;
      values = { ...values, ...change.values };
      if (met(values) && !metBefore) spans.push({ since: change.step, end: Infinity });
      if (!met(values) && metBefore) spans.at(-1).end = change.step;
    }
    return spans.filter(({ end }) => end > (this.from?.step ?? 0));
  }

  /** Return whether a break in these steps decides the question. Breaks never decide a question about accuracy. */
  #brokeWithin({ breaks }, after, until) {
    if (aboutOf(this.question) === "accuracy") return false;
    return normsOf(this.question).some((norm) => breaks[norm]?.step > after && breaks[norm].step <= until);
  }

  /**
   * Follow the run: record its current step and whether it has continued since the question was asked.
   *
   * @param state see `state()` of the subject
   * @returns whether anything changed
   */
  follow({ live, store }) {
    if (this.happened) return this.#followDecided(live, store);
    this.reached = live.step;
    if (this.from && (this.from.run !== store.run || live.step < this.from.step)) return this.#startOver(live, store);
    if (this.going) return false;
    // Other statuses, such as a lost connection, do not mean that the run was paused.
    if (store.status === "paused") this.#wasPaused = true;
    const mayGo = this.started || (this.#wasPaused && store.status === "running") || (this.alone && Number.isInteger(this.question.since));
    this.going = mayGo && live.step > (this.from?.step ?? Infinity);
    // Until the run has continued, single steps may still arrive. On a busy machine, the last frames before the pause
    // may also arrive late.
    return this.going || this.#moveStart(live, store);
  }

  /** Record that the reader has continued the run. */
  start() {
    if (this.from) this.started = true;
  }

  /**
   * Restart the question from the first step of the run, because the run was restarted or has replaced the previous
   * run.
   */
  #startOver(live, store) {
    const step = store.history[0]?.[1] ?? live.step;
    this.#startFrom(step, store);
    this.going = live.step > step;
    // If the run is paused at its first step, the class still has time to vote.
    if (this.going || store.status === "running") this.start();
    return true;
  }

  /** After a question has been decided, check only whether its run has been replaced or restarted. */
  #followDecided({ step }, { run, restoredAt }) {
    if (this.former) return false;
    // After a restart of the server, the run repeats its last steps with the same results.
    this.former = this.from.run !== run || (step < this.reached && restoredAt === null);
    this.reached = step;
    return this.former;
  }

  #moveStart(live, store) {
    const step = this.question.since ?? live.step;
    const changed = this.from?.step !== step || this.from.run !== store.run;
    this.#startFrom(step, store);
    return changed;
  }

  #startFrom(step, { run, breaks }) {
    const broken = Object.entries(breaks).flatMap(([norm, broke]) => (broke.step <= step ? [[norm, broke.step]] : []));
    this.from = { run, step, broken: Object.fromEntries(broken) };
  }

  /** Return the outcome, see `runOutcome`, or null while the question is undecided. */
  outcome({ live, store }, chance) {
    if (!this.going || this.happened || !this.question.kind || this.from.run !== store.run) return null;
    const series = aboutOf(this.question) === "accuracy" ? normsOf(this.question).map((norm) => `${norm}.test_accuracy`) : [];
    const span = this.#span(store);
    if (!span || !store.series.settled(series)) return null;
    return runOutcome(this.question, { ...this.from, ...span }, {
      step: live.step, breaks: store.breaks, chance, ended: store.status !== "running" && OVER.has(store.reason),
      states: Object.fromEntries(Object.entries(live.networks).map(([norm, { state }]) => [norm, state])),
      accuracy: (norm) => store.series.get(`${norm}.test_accuracy`),
    });
  }
}
