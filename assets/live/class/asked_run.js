// A question that was asked about a run: at which step, whether it has gone on since, what came of it.

import { Asked } from "./asked.js";
import { outcome } from "./outcomes.js";

const OVER = new Set(["diverged", "limit", "failed"]); // why a run goes no further
const BY_ACCURACY = new Set(["accuracy", "ahead"]);

/**
 * Its `from` is {run, step, broken}: the newest frame, until the run goes on; or the step that the question says
 * itself, its `since`.
 */
export class AskedRun extends Asked {
  static of = "run";
  /** The newest step that was seen of the run. */
  reached = 0;
  #paused = false; // whether it was seen to wait since it was asked

  resume() {
    this.#paused = true;
  }

  /** Whether it was asked about this run. */
  isOf(run) {
    return this.from?.run === run;
  }

  /** After which step the run has decided; null as long as what the question takes for granted is not so. */
  until(store) {
    return this.#counts(store)?.until ?? null;
  }

  /**
   * The steps that count: those in which the knobs are what the question says of them, from where it was
   * asked on. Where they are so no longer, the steps before that count if they were enough to answer it.
   *
   * @returns {step, until}, or null as long as there are none
   */
  #counts(store) {
    const { steps } = this.question;
    if (!this.from || !steps) return null;
    for (const { since, end } of this.#asSaid(store)) {
      const step = Math.max(since, this.from.step);
      const until = Math.min(step + steps, end);
      if (end === Infinity || until === step + steps || this.#broke(store, step, until)) return { step, until };
    }
    return null;
  }

  /** The spans of steps in which the knobs are what the question says of them: {since, end}, in order. */
  #asSaid({ initial, changes }) {
    const needs = Object.entries(this.question.needs ?? {});
    const so = (values) => needs.every(([knob, value]) => values[knob] === value);
    const spans = [];
    let values = {};
    for (const change of [{ step: 0, values: initial ?? {} }, ...changes]) {
      const before = spans.at(-1)?.end === Infinity;
      values = { ...values, ...change.values };
      if (so(values) && !before) spans.push({ since: change.step, end: Infinity });
      if (!so(values) && before) spans.at(-1).end = change.step;
    }
    return spans.filter(({ end }) => end > (this.from?.step ?? 0));
  }

  /** Whether a network broke in these steps, of those that are asked about, and the question is about that. */
  #broke({ breaks }, after, until) {
    if (BY_ACCURACY.has(this.question.kind)) return false;
    return this.#measured().some((norm) => breaks[norm]?.step > after && breaks[norm].step <= until);
  }

  /**
   * Follow the run: note where it stood when it was asked, and whether it has gone on since.
   *
   * @returns whether anything changed
   */
  follow({ live, store }) {
    if (this.happened) return this.#outlive(live, store);
    this.reached = live.step;
    if (this.from && (this.from.run !== store.run || live.step < this.from.step)) return this.#startOver(live, store);
    if (this.going) return false;
    // A connection that was lost says nothing of the run.
    if (store.status === "paused") this.#paused = true;
    const goesOn = this.started || (this.#paused && store.status === "running") || (this.alone && this.#since !== null);
    this.going = goesOn && live.step > (this.from?.step ?? Infinity);
    // While it waits single steps may come, and on a busy machine the last frames before the pause.
    return this.going || this.#stand(live, store);
  }

  /** From here on it counts: what the run does next is what was asked about. */
  start() {
    if (this.from) this.started = true;
  }

  /** Another run, or one that began again: what was asked is asked of it, from its first step on. */
  #startOver(live, store) {
    const step = store.history[0]?.[1] ?? live.step;
    this.from = { run: store.run, step, broken: brokenBy(store.breaks, step) };
    this.going = live.step > step;
    // Where it waits at its beginning it is thought about as before.
    if (this.going || store.status === "running") this.start();
    return true;
  }

  /** It is decided: what the run did then is not what one that was started over does. */
  #outlive({ step }, { run }) {
    if (this.former) return false;
    this.former = this.from.run !== run || step < this.reached;
    this.reached = step;
    return this.former;
  }

  get #since() {
    return this.question.since ?? null;
  }

  #stand(live, store) {
    const step = this.#since ?? live.step;
    const broken = brokenBy(store.breaks, step);
    const changed = this.from?.step !== step || this.from.run !== store.run;
    this.from = { run: store.run, step, broken };
    return changed;
  }

  /** What came of it, as far as the run has gone; null as long as that is open. See `outcome`. */
  decide({ live, store }, chance) {
    if (!this.going || this.happened || !this.question.kind || this.from.run !== store.run) return null;
    const keys = BY_ACCURACY.has(this.question.kind) ? this.#measured().map((norm) => `${norm}.test_accuracy`) : [];
    const counts = this.#counts(store);
    if (!counts || !store.series.settled(keys)) return null;
    return outcome(this.question, { ...this.from, ...counts }, {
      step: live.step, breaks: store.breaks, chance, ended: store.status !== "running" && OVER.has(store.reason),
      states: Object.fromEntries(Object.entries(live.networks).map(([norm, { state }]) => [norm, state])),
      accuracy: (norm) => store.series.get(`${norm}.test_accuracy`),
    });
  }

  #measured() {
    return [...this.question.networks, this.question.network].filter(Boolean);
  }
}

/** The networks that had broken by a step, and when. */
function brokenBy(breaks, until) {
  return Object.fromEntries(Object.entries(breaks).flatMap(([norm, { step }]) => (step <= until ? [[norm, step]] : [])));
}
