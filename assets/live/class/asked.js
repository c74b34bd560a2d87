// One question that was asked: where in the run, one's own guess, how the votes stand, what came of it.

import { keptQuestion } from "./kept.js";
import { outcome } from "./outcomes.js";

const LONGEST = 200; // characters of a sentence that phones are sent
const OVER = new Set(["diverged", "limit", "failed"]); // why a run goes no further
const BY_ACCURACY = new Set(["accuracy", "ahead"]);

/** Votes where there is no room: show of hands alone. */
const NO_VOTES = { status: "open", round: 1, answered: 0, hands: false, tally: null, first: null, happened: null };

export class Asked {
  /** Whether it was put to nobody but this reader, as a page does that opens with a question. */
  alone;
  /** Whether it has gone on from the moment of asking. */
  going = false;
  /** The answer that this reader thinks of, as an index; null: none yet. */
  guess = null;
  /** {answers, sentence} once the run has decided. */
  happened = null;
  votes = { ...NO_VOTES };
  /** Hands of the first round, where there is no room that keeps them. */
  firstHands = null;
  /** The room's number for it; null where there is no room. */
  number = null;
  /** Where it was asked: {run, step, broken}; the newest frame, until the run goes on. */
  from = null;
  #paused = false; // whether it was seen to wait since it was asked, or told to go on

  constructor(question, { alone = false } = {}) {
    this.question = question;
    this.alone = alone;
  }

  /** The question that this tab kept over a reload; null where it asked none. */
  static kept() {
    const kept = keptQuestion.get();
    if (!kept?.question) return null;
    const asked = Object.assign(new Asked(kept.question), kept);
    asked.#paused = true;
    return asked;
  }

  keep() {
    const { question, alone, going, guess, happened, votes, firstHands, number, from } = this;
    keptQuestion.set({ question, alone, going, guess, happened, votes, firstHands, number, from });
  }

  static forget() {
    keptQuestion.set(null);
  }

  /** After which step the run has decided; null as long as what the question takes for granted is not so. */
  until(store) {
    const begun = this.#begun(store);
    return begun !== null && this.question.steps ? begun + this.question.steps : null;
  }

  /** From which step on it counts: where it was asked, or where its knobs came to what it says of them. */
  #begun({ initial, changes }) {
    if (!this.from) return null;
    const needs = Object.entries(this.question.needs ?? {});
    const so = (values) => needs.every(([knob, value]) => values[knob] === value);
    let values = { ...initial };
    let since = so(values) ? 0 : null;
    for (const change of changes) {
      values = { ...values, ...change.values };
      since = so(values) ? (since ?? change.step) : null;
    }
    return since === null ? null : Math.max(since, this.from.step);
  }

  /**
   * Follow the run: note where it stood when it was asked, and whether it has gone on since.
   *
   * @returns whether anything changed
   */
  follow({ live, store }) {
    if (this.happened) return false;
    if (this.from && (this.from.run !== store.run || live.step < this.from.step)) return this.#startOver(live, store);
    if (this.going) return false;
    if (store.status !== "running") this.#paused = true;
    this.going = store.status === "running" && this.#paused && live.step > (this.from?.step ?? Infinity);
    // While it waits single steps may come, and on a busy machine the last frames before the pause.
    return this.going || this.#stand(live, store);
  }

  /** From here on it counts: what the run does next is what was asked about. */
  start() {
    if (this.from) this.#paused = true;
  }

  /** Another run, or one that began again: what was asked is asked of it, from its first step on. */
  #startOver(live, store) {
    const step = store.history[0]?.[1] ?? live.step;
    this.from = { run: store.run, step, broken: brokenBy(store.breaks, step) };
    this.going = live.step > step;
    this.start();
    return true;
  }

  #stand(live, store) {
    const broken = brokenBy(store.breaks, live.step);
    const changed = this.from?.step !== live.step || this.from.run !== store.run;
    this.from = { run: store.run, step: live.step, broken };
    return changed;
  }

  /** What came of it, as far as the run has gone; null as long as that is open. See `outcome`. */
  decide({ live, store }, chance) {
    if (!this.going || this.happened || !this.question.kind || this.from.run !== store.run) return null;
    const keys = BY_ACCURACY.has(this.question.kind) ? this.#measured().map((norm) => `${norm}.test_accuracy`) : [];
    const begun = this.#begun(store);
    if (begun === null || !store.series.settled(keys)) return null;
    return outcome(this.question, { ...this.from, step: begun }, {
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

/** The sentences of an outcome as one, as long as phones are sent it. */
export function sentence(t, labels, { said }) {
  const parts = said.map(([key, { norm, ...values }]) =>
    t(`class.happened.${key}`, { ...values, ...(norm && { label: labels[norm] ?? norm }) }));
  const told = parts.map((part) => part[0].toLocaleUpperCase() + part.slice(1));
  while (told.length > 1 && told.join(" ").length > LONGEST) told.pop();
  return told.join(" ").slice(0, LONGEST);
}
