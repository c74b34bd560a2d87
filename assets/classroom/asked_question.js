// A question that was asked, with this reader's guess, the state of the vote and the outcome. The tab stores the
// question, so that it survives a reload. The derived classes `QuestionAboutRun` and `QuestionAboutMap` add the subject
// of the question and its starting point.

import { classroom } from "../contract.js";
import { joinSentences } from "../live/lib/joining.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";
import { capitalize, say } from "../live/lib/texts.js";

const KEPT = "bnviz-question";

export class AskedQuestion {
  static of = null; // subject of the question: "run" or "map"
  alone = false; // whether the page opened with this question, which is then put only to this reader
  wasGoing = false; // whether the run, or the drawing of the map, was in progress when the question was asked
  started = false; // whether the reader has resumed the run or map since the question was asked
  going = false; // whether the run or map has continued since the question was asked
  guess = null; // index of this reader's own guess, or null if there is none
  happened = null; // the outcome after it has been decided, see `outcomeOfPhrases`; null before
  // State of the vote. These are the values before the first vote is cast.
  votes = { status: "open", round: 1, answered: 0, hands: false, tally: null, first: null };
  number = null; // number of the question on the server, or null if the server holds no room for the class
  // State of the run or map when the question was asked, in the form that the derived class stores; null if it is not
  // yet known
  from = null;
  stations = null; // numbers of the first and last stop of a talk to which the question belongs, or null outside a talk
  former = false; // whether `happened` belongs to a run that has since been replaced
  warned = false; // whether the reader was warned that leaving the talk's stop loses the votes

  /** @param more fields whose values differ from the defaults above */
  constructor(question, more = {}) {
    Object.assign(this, { question, ...more });
  }

  /**
   * Return the question stored by this tab, or null if there is none or if it belongs to the other kind of subject. A
   * question in the teacher's own words fits both a run and a map.
   */
  static kept() {
    const kept = readFromTab(KEPT);
    if (!kept?.question || (kept.question.kind && (kept.of ?? "run") !== this.of)) return null;
    const { of, question, ...rest } = kept;
    const asked = Object.assign(new this(question), rest);
    asked.resume();
    return asked;
  }

  /** Hook for derived classes, called once after a stored question has been restored. */
  resume() {}

  /** Number of votes in the current round whose result has not been shown to the class. */
  get unseen() {
    return this.votes.status === "revealed" ? 0 : this.votes.answered;
  }

  /**
   * Return whether a stop of the talk (by number) is outside the stops to which the question belongs, or whether a talk
   * has begun or ended since the question was asked. A question with which the page opened belongs only to its first
   * stop until the reader has guessed.
   */
  hasLeft(station) {
    const { stations, alone, guess } = this;
    if (!stations || !station) return Boolean(stations) !== Boolean(station);
    const [first, last] = stations;
    return station < first || station > (alone && guess === null ? first : last);
  }

  /** Return whether moving to a stop of the talk (by number) leaves this question and loses its votes. */
  isLostAt(station) {
    return Boolean(this.stations && this.votes.answered) && this.hasLeft(station);
  }

  keep() {
    storeInTab(KEPT, { ...this, of: this.constructor.of, started: false });
  }

  static forget() {
    storeInTab(KEPT, null);
  }
}

/**
 * Return the numbers of the first and last stop of a talk to which a question that is asked now belongs, or null
 * outside a talk. The question belongs to the following stops as long as they keep the same run and change only the
 * settings that the question needs.
 * @param data the page's data
 */
export function stationsOf({ question: given, talk }, { id }) {
  return talk && [talk.number, id === "given" ? given.until : talk.until];
}

/**
 * Return the outcome of a question in the form that is sent to the server: {answers: indices of the correct answers, or
 * null; sentence: text in the language of this page; `sentence_phrases`: phrases from which phones build the text in
 * their own language}.
 */
export function outcomeOfPhrases(t, answers, phrases) {
  return { answers, sentence: joined(phrases.map((phrase) => say(t, phrase))), sentence_phrases: phrases };
}

/**
 * Join sentences into one text, and omit the last sentences if the text is too long for phones. Each sentence starts
 * with a capital letter.
 */
export function joined(sentences) {
  const written = sentences.map(capitalize);
  while (written.length > 1 && joinSentences(written).length > classroom.longest_sentence) written.pop();
  return joinSentences(written).slice(0, classroom.longest_sentence);
}
