// A question that was asked, with the reader's own guess, the state of the vote and the outcome. The tab stores it, so
// that it survives a reload. The derived classes `QuestionAboutRun` and `QuestionAboutMap` add the subject of the
// question and its starting point.

import { classroom } from "../contract.js";
import { joinSentences } from "../live/lib/joining.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";
import { capitalize, say } from "../live/lib/texts.js";

const KEPT = "bnviz-question";

export class AskedQuestion {
  static of = null; // subject of the question: "run" or "map"
  alone = false; // whether this is the page's opening question, which is put only to this reader
  wasGoing = false; // whether the run, or the drawing of the map, was in progress when the question was asked
  started = false; // whether the reader has resumed the run or map since
  going = false; // whether the run or map has continued since
  guess = null; // index of this reader's own guess, or null if there is none
  happened = null; // the outcome once it is decided, see `outcomeOfPhrases`
  // State of the vote; these are the values before the first vote.
  votes = { status: "open", round: 1, answered: 0, hands: false, tally: null, first: null };
  number = null; // the question's number in the room, or null without a room
  // state of the run or map when the question was asked, as the derived class stores it; null if not yet known
  from = null;
  stations = null; // numbers of the question's first and last talk station, or null outside a talk
  former = false; // whether `happened` belongs to a run that has been replaced since
  warned = false; // whether the reader was warned that the votes are lost when the station is left

  /** @param more fields that differ from the defaults above */
  constructor(question, more = {}) {
    Object.assign(this, { question, ...more });
  }

  /**
   * Return the question stored by this tab, or null if there is none or it does not fit this subject. A question in the
   * teacher's own words fits both a run and a map.
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

  /** Number of votes that have not been shown to anyone. */
  get unseen() {
    return this.votes.status === "revealed" ? 0 : this.votes.answered;
  }

  /**
   * Return whether a station (by number) is outside the question's stations, or a talk has begun or ended since the
   * question was asked. A page's own question without a guess belongs only to its first station.
   */
  hasLeft(station) {
    const { stations, alone, guess } = this;
    if (!stations || !station) return Boolean(stations) !== Boolean(station);
    const [first, last] = stations;
    return station < first || station > (alone && guess === null ? first : last);
  }

  /** Return whether moving to a station of the talk (by number) leaves this question and loses its votes. */
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
 * Return the numbers of the first and last talk station to which a question asked now belongs, or null outside a talk.
 * The question belongs to the stations that follow as long as they keep the same run and change only the settings that
 * the question needs.
 *
 * @param data of the page
 */
export function stationsOf({ question: given, talk }, { id }) {
  return talk && [talk.number, id === "given" ? given.until : talk.until];
}

/**
 * Return the outcome of a question in the form that is sent to the room: {answers: indices of the answers that came
 * true, or null; sentence: text in the language of this page; `sentence_phrases`: phrases from which phones build their
 * own text}.
 */
export function outcomeOfPhrases(t, answers, phrases) {
  return { answers, sentence: joined(phrases.map((phrase) => say(t, phrase))), sentence_phrases: phrases };
}

/** Join sentences into one text that fits the length limit for phones. Each sentence starts with a capital letter. */
export function joined(sentences) {
  const written = sentences.map(capitalize);
  while (written.length > 1 && joinSentences(written).length > classroom.longest_sentence) written.pop();
  return joinSentences(written).slice(0, classroom.longest_sentence);
}
