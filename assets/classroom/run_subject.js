// What a class is asked about on a page with a run: `RunSubject` pauses the run and lets it go on, says which
// questions there are, and puts outcomes into words; `QuestionAboutRun` follows the run from the moment at which
// it was asked. A map has the same in map/map_subject.js.

import { AskedQuestion, joined, outcomeOfPhrases } from "./asked_question.js";
import { normsOf } from "./question.js";
import { aboutOf, firstQuestion, givenQuestion, questionsFor, runOutcome, sentencesOf } from "./run_questions.js";
import { joinList } from "../live/lib/joining.js";
import { sameValue } from "../live/lib/live_actions.js";

const OVER = new Set(["diverged", "limit", "failed"]); // reasons for which a run goes no further

export class RunSubject {
  AskedQuestion = QuestionAboutRun;
  #view;
  #replayed = false; // whether a replay of the past was stopped for the question

  /** @param view the live view */
  constructor(view) {
    this.#view = view;
  }

  /** The run on the page. */
  get id() {
    return this.#view.data.run;
  }

  /** A run is paused for a question, so only its owner may ask. */
  get canAsk() {
    return this.#view.data.can_control;
  }

  /** @param norm the network that a question about one network is about */
  questions(norm) {
    const { data, t } = this.#view;
    return questionsFor(data, t, norm);
  }

  /** The question of a page that opens with one. */
  openingQuestion() {
    const { data, t } = this.#view;
    const own = data.talk ? givenQuestion(data, t) : null; // that of the talk's station
    return own ?? firstQuestion(data, t);
  }

  /** When a question will be decided, in words for the teacher who chooses it; "" where that is not known. */
  decidedText(question) {
    const { kind, steps } = question;
    const { data, store, t } = this.#view;
    const broken = this.#brokenOf(question).map((norm) => ({ label: data.labels[norm], step: store.breaks[norm].step }));
    if (kind === "layer" && broken.length) return t(this.#isCovered(question) ? "class.composer.kept" : "class.composer.settled", broken[0]);
    const after = steps ? t("class.composer.steps", { steps }) : "";
    return broken.length ? joined([...broken.map((values) => t("class.composer.broken", values)), after]) : after;
  }

  /** Whether nothing that the page shows answers a question already: no network that it is about has broken. */
  isUndecided(question) {
    return !this.#brokenOf(question).length || this.#isCovered(question);
  }

  /** The networks that a question about breaks is about and that have broken by the step that the page shows. */
  #brokenOf(question) {
    const { store, time } = this.#view;
    const until = time?.rewound ? (this.state()?.step ?? 0) : Infinity;
    return aboutOf(question) === "accuracy" ? [] : normsOf(question).filter((norm) => store.breaks[norm]?.step <= until);
  }

  /** Whether the page does not say in which layer the break was, as long as the talk's station asks for it (lib/headline.js). */
  #isCovered({ id, kind }) {
    return id === "given" && kind === "layer" && Boolean(this.#view.data.talk);
  }

  /** The run as it is now; null before the first frame. */
  state() {
    return this.#view.scene();
  }

  /** Pause the run, and a replay of its past. @returns whether the run was playing */
  pause() {
    const { time, transport } = this.#view;
    const { playing } = transport;
    this.#replayed = time.replays === true && time.hold();
    if (playing) this.#view.act("pause");
    return playing;
  }

  /** A question as it is asked now: of the step that the page shows, also where that is a past one. */
  asAsked(question) {
    const { rewound, step } = this.state() ?? {};
    const since = question.since ?? (rewound && question.kind ? step : null);
    return { ...question, since };
  }

  /** The question was not asked, or is withdrawn: let what was going go on, without leaving the step that is shown. */
  resume(wasGoing) {
    const { time, transport } = this.#view;
    if (!wasGoing) this.discardChanges();
    else if (!transport.playing) this.#view.act("play", { stayRewound: true });
    if (this.#replayed && time.replays === false) time.hold();
    this.#replayed = false;
  }

  /** Let the run go on. @param question that it answers, whose knobs are set first; null: none are */
  run(question = null) {
    const { question: given, talk } = this.#view.data;
    // The talk's next station sets them, at the step that it is about.
    if (talk && question?.id === "given" && given?.walks) return this.#view.talk.walk(1);
    for (const [knob, value] of this.#knobsToSet(question)) this.#view.link.setKnob(knob, value);
    if (!this.#view.transport.playing) this.#view.act("play");
  }

  /** The words on the button that lets the run go on, with the knobs that it sets. */
  runLabel(question) {
    const { t } = this.#view;
    const knobs = this.#knobsToSet(question).map(([knob, value]) => t("class.layer.knob", { knob: this.#knobName(knob), value }));
    return knobs.length ? t("class.layer.run_with", { knobs: joinList(knobs) }) : t("class.layer.run");
  }

  /** The knobs that a question needs at another value than they have: [knob, value]. */
  #knobsToSet(question) {
    const { link } = this.#view;
    return Object.entries(question?.needs ?? {}).filter(([knob, value]) => link?.shown(knob) !== value);
  }

  #knobName(knob) {
    return this.#view.data.knobs.specs[knob]?.label.toLowerCase() ?? knob;
  }

  /** Hide what on the page could answer a question. @param question the open one; null: none */
  cover(question) {
    const view = this.#view;
    if (view.covered === question) return;
    view.covered = question;
    view.root.classList.toggle("bnviz-covered", question !== null);
    view.edges.fill();
    if (view.store) view.paint();
  }

  /** Whether knobs that are set take effect only when the run goes on. */
  holdChanges(yes) {
    this.#view.link?.hold(yes);
  }

  /** Put the knobs that were set meanwhile back to what the run has. */
  discardChanges() {
    this.#view.link?.takeBack();
  }

  /** What came of a question, see `outcomeOfPhrases`; null while that is open. */
  outcomeOf(asked, state) {
    const { data, t } = this.#view;
    const outcome = asked.outcome(state, data.chance);
    return outcome ? outcomeOfPhrases(t, outcome.answers, sentencesOf(outcome, data)) : this.#outcomeOfLesson(asked);
  }

  /** The outcome of a lesson's own question, which the page's script sends when the run has ended. */
  #outcomeOfLesson({ question, happened, going, from }) {
    const given = this.#view.data.question;
    const same = question.id === "given" && given?.text === question.text && given.run === from?.run;
    return same && going && !happened ? (given.happened ?? null) : null;
  }

  /** The step at which the answer is known; null while that is not known. */
  decidedAt(asked) {
    return asked.decidedAt(this.#view.store);
  }

  /** What is waited for while the run goes on, in words. */
  waitingText(asked) {
    const { t } = this.#view;
    const step = this.decidedAt(asked);
    if (step !== null) return t("class.panel.watching", { step });
    const [needed] = Object.entries(asked.question.needs ?? {});
    return needed ? t("class.panel.needs", { knob: this.#knobName(needed[0]), value: needed[1] }) : "";
  }

  /** The sentence of an outcome whose run has been replaced since. */
  formerText(sentence) {
    return this.#view.t("class.panel.before", { sentence });
  }
}

/**
 * A question that was asked about a run. Its `from` is {run, step, broken: {norm: step} by then}: of the newest frame
 * before the run went on, or of the step that the question names as its `since`.
 */
export class QuestionAboutRun extends AskedQuestion {
  static of = "run";
  /** The newest step of the run that has been seen. */
  reached = 0;
  #wasPaused = false; // whether the run has been paused since it was asked

  resume() {
    this.#wasPaused = true;
  }

  isOf(run) {
    return this.from?.run === run;
  }

  /** The step at which the answer is known; null while a knob that the question needs is not set. */
  decidedAt(store) {
    return this.#span(store)?.until ?? null;
  }

  /**
   * The steps that answer the question: as many as it names, after the moment of asking, while all knobs have the
   * values that it needs. If a knob is moved away before the end, the steps before count if they were enough.
   *
   * @returns {step, until}; null while there are none
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

  /** The spans of steps in which all knobs have the values that the question needs: {since, end}, in order. */
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

  /** Whether a break in these steps answers the question: of a network that it is about, and not about accuracy. */
  #brokeWithin({ breaks }, after, until) {
    if (aboutOf(this.question) === "accuracy") return false;
    return normsOf(this.question).some((norm) => breaks[norm]?.step > after && breaks[norm].step <= until);
  }

  /**
   * Follow the run: keep the step at which it stands, and whether it has gone on since.
   *
   * @param state see `state()` of the subject
   * @returns whether anything changed
   */
  follow({ live, store }) {
    if (this.happened) return this.#followDecided(live, store);
    this.reached = live.step;
    if (this.from && (this.from.run !== store.run || live.step < this.from.step)) return this.#startOver(live, store);
    if (this.going) return false;
    // Nothing is concluded from a status such as a lost connection.
    if (store.status === "paused") this.#wasPaused = true;
    const mayGo = this.started || (this.#wasPaused && store.status === "running") || (this.alone && Number.isInteger(this.question.since));
    this.going = mayGo && live.step > (this.from?.step ?? Infinity);
    // Until then single steps may come, and on a busy machine the last frames before the pause.
    return this.going || this.#moveStart(live, store);
  }

  /** The reader lets the run go on. */
  start() {
    if (this.from) this.started = true;
  }

  /** The run began again, or another has taken its place: the question is asked of that one, from its first step on. */
  #startOver(live, store) {
    const step = store.history[0]?.[1] ?? live.step;
    this.#startFrom(step, store);
    this.going = live.step > step;
    // A run that is paused at its first step leaves the class time to think.
    if (this.going || store.status === "running") this.start();
    return true;
  }

  /** Of a decided question only whether its run has been replaced or started over. */
  #followDecided({ step }, { run }) {
    if (this.former) return false;
    this.former = this.from.run !== run || step < this.reached;
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

  /** What came of it, see `runOutcome`; null while that is open. */
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
