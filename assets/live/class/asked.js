// One question that was asked: one's own guess, how the votes stand, what came of it. What it was asked
// about, and from where on it counts, is for what derives from it: a run's, or a map's.

import { keptQuestion } from "./kept.js";

const LONGEST = 200; // characters of a sentence that phones are sent

/** Votes where there is no room: show of hands alone. */
const NO_VOTES = { status: "open", round: 1, answered: 0, hands: false, tally: null, first: null, happened: null };

export class Asked {
  /** What it is asked about: "run" or "map". */
  static of = null;
  /** Whether it was put to nobody but this reader, as a page does that opens with a question. */
  alone;
  /** Whether it was going before it was stopped to be asked about. */
  wasGoing = false;
  /** Whether it was told to go on. */
  started = false;
  /** Whether it has gone on from the moment of asking. */
  going = false;
  /** The answer that this reader thinks of, as an index; null: none yet. */
  guess = null;
  /** {answers, sentence} once it is decided. */
  happened = null;
  votes = { ...NO_VOTES };
  /** Hands of the first round, where there is no room that keeps them. */
  firstHands = null;
  /** The room's number for it; null where there is no room. */
  number = null;
  /** Where it was asked; null: not known yet. */
  from = null;
  /** The numbers of a talk's stations that it belongs to; null: to no talk. */
  stations = null;
  /** Whether what happened is of a run that no longer stands there. */
  former = false;
  /** Whether it was said that its votes go with its station. */
  warned = false;

  constructor(question, { alone = false } = {}) {
    this.question = question;
    this.alone = alone;
  }

  /**
   * The question that this tab kept over a reload, or from page to page; null where it asked none of
   * this kind. One's own words can be asked of a run and of a map.
   */
  static kept() {
    const kept = keptQuestion.get();
    if (!kept?.question || (kept.question.kind && (kept.of ?? "run") !== this.of)) return null;
    const { of, ...rest } = kept;
    const asked = Object.assign(new this(kept.question), rest);
    asked.resume();
    return asked;
  }

  /** It was kept over a reload. */
  resume() {}

  /** How many answers were given and never shown. */
  get unseen() {
    return this.votes.status === "revealed" ? 0 : this.votes.answered;
  }

  /** Whether a class has voted, and a talk's station would leave what was asked. */
  loses(number) {
    const { stations, votes } = this;
    return Boolean(stations && votes.answered) && (number < stations[0] || number > stations[1]);
  }

  keep() {
    keptQuestion.set({ ...this, of: this.constructor.of, started: false });
  }

  static forget() {
    keptQuestion.set(null);
  }
}

/** The sentences of an outcome as one, as long as phones are sent it. */
export function joined(parts) {
  const told = parts.map((part) => part[0].toLocaleUpperCase() + part.slice(1));
  while (told.length > 1 && told.join(" ").length > LONGEST) told.pop();
  return told.join(" ").slice(0, LONGEST);
}
