// A question that was asked: the reader's own guess, how the vote stands, what came of it. It is kept by the
// tab over a reload. What it was asked about, and from where on it counts, is for the classes that derive
// from it: `QuestionAboutRun` and `QuestionAboutMap`.

import { classroom } from "../contract.js";
import { joinSentences } from "../live/lib/joining.js";
import { readFromTab, storeInTab } from "../live/lib/storage.js";
import { capitalize, say } from "../live/lib/texts.js";

const KEPT = "bnviz-question";

export class AskedQuestion {
  static of = null; // what it is asked about: "run" or "map"
  alone = false; // whether only this reader is asked, by a page that opens with a question
  wasGoing = false; // whether the run, or the drawing of the map, was going when the question was asked
  started = false; // whether a reader has let it go on since
  going = false; // whether it has gone on since
  guess = null; // the index of this reader's own guess; null: none yet
  happened = null; // what came of it once it is decided, see `outcomeOfPhrases`
  // How the vote stands, here before anybody has answered.
  votes = { status: "open", round: 1, answered: 0, hands: false, tally: null, first: null };
  number = null; // its number in the room; null without a room
  from = null; // what the derived class keeps of the run or the map when the question was asked; null: not known yet
  stations = null; // numbers of the first and the last of a talk's stations that it belongs to; null: it belongs to no talk
  former = false; // whether `happened` is of a run that has been replaced since
  warned = false; // whether the reader was warned that the votes are lost when the station is left

  /** @param more what differs from the values above */
  constructor(question, more = {}) {
    Object.assign(this, { question, ...more });
  }

  /**
   * The question that this tab has kept; null where it has none, or one that cannot be asked of this. A question in
   * the teacher's own words can be asked of a run and of a map.
   */
  static kept() {
    const kept = readFromTab(KEPT);
    if (!kept?.question || (kept.question.kind && (kept.of ?? "run") !== this.of)) return null;
    const { of, question, ...rest } = kept;
    const asked = Object.assign(new this(question), rest);
    asked.resume();
    return asked;
  }

  /** Called once when a kept question is there again. */
  resume() {}

  /** How many votes have been given that nobody has been shown. */
  get unseen() {
    return this.votes.status === "revealed" ? 0 : this.votes.answered;
  }

  /**
   * Whether a station, by its number, is none of those that this question belongs to, or a talk has begun or ended since
   * it was asked. The page's own question counts as left already at the next station if nobody has answered it.
   */
  hasLeft(station) {
    const { stations, alone, guess } = this;
    if (!stations || !station) return Boolean(stations) !== Boolean(station);
    const [first, last] = stations;
    return station < first || station > (alone && guess === null ? first : last);
  }

  /** Whether going to a station of the talk, by its number, leaves this question and loses its votes. */
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
 * The stations of a talk that a question belongs to if it is asked now, by number: the present one, and the last
 * of those that follow it on the same run and change only what the question needs. Null: no talk is given.
 *
 * @param data of the page
 */
export function stationsOf({ question: given, talk }, { id }) {
  return talk && [talk.number, id === "given" ? given.until : talk.until];
}

/**
 * What came of a question, as the room is sent it: {answers: indices of those that came true, or null, sentence, in the
 * language of this page, and `sentence_phrases`, the phrases of which phones make theirs}.
 */
export function outcomeOfPhrases(t, answers, phrases) {
  return { answers, sentence: joined(phrases.map((phrase) => say(t, phrase))), sentence_phrases: phrases };
}

/** Sentences joined to one text that is not too long for phones; each begins with a capital. */
export function joined(sentences) {
  const written = sentences.map(capitalize);
  while (written.length > 1 && joinSentences(written).length > classroom.longest_sentence) written.pop();
  return joinSentences(written).slice(0, classroom.longest_sentence);
}
