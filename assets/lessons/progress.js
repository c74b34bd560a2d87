// Progress in the course, stored only in this browser: finished lessons with the reader's guesses, review questions
// whose answers were opened, and written answers. The progress can be saved as a file and read back.

import { readForGood, storeForGood } from "../live/lib/storage.js";

const [LESSONS, LOOKED, WORDS] = ["bnviz-lessons", "bnviz-looked", "bnviz-own-words"];
const NAME = /^[a-z][a-z-]{0,39}$/;
const QUESTION = /^[a-z][a-z-]{0,39}-[01]$/;
const FORMAT = 1; // version of the file format
const POINTS = 3; // number of points that a model answer mentions
const MOST = 100; // maximum number of lessons, and likewise of questions and of answers, in a file
const LONGEST_GUESS = 400; // maximum length of a guess, in characters; a drawn guess is a list of numbers
const LARGEST_SEED = 2 ** 31 - 1;
export const LONGEST_WORDS = 2000; // maximum length of a written answer, in characters
export const LARGEST_FILE = 500_000; // bytes

const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isText = (value, longest) => typeof value === "string" && value.length <= longest;
const isBoolean = (value) => typeof value === "boolean";
const isSeed = (value) => Number.isInteger(value) && value >= 0 && value <= LARGEST_SEED;
const isPoints = (value) => Array.isArray(value) && value.length === POINTS && value.every(isBoolean);

const LESSON = {
  done: [(value) => value === undefined || value === true, "true"],
  guess: [(value) => value === undefined || isText(value, LONGEST_GUESS), "text"],
  seed: [(value) => value === undefined || isSeed(value), "seed"],
};
const ANSWER = { text: [(value) => isText(value, LONGEST_WORDS), "text"], compared: [isBoolean, "boolean"], points: [isPoints, "points"] };

/**
 * Return the lessons as {name: {done: true or absent, guess: text or absent, seed: seed of the guess's run, absent if
 * it is 0}}.
 */
export const readLessons = () => entries(readForGood(LESSONS), LESSON);

/**
 * Store that a lesson was finished, or the reader's guess with the seed of its run. Earlier values are kept unless they
 * are replaced.
 */
export function keepLesson(name, { done, guess, seed }) {
  const kept = readLessons();
  const before = kept[name] ?? {};
  const now = { done: before.done || done || undefined, ...guessOf(guess ? { guess, seed } : before) };
  if (now.done || now.guess) storeForGood(LESSONS, { ...kept, [name]: now });
}

const guessOf = ({ guess, seed }) => ({ guess, seed: seed || undefined });

/** Return the names of the review questions whose answers were opened. */
export function readLooked() {
  const kept = readForGood(LOOKED);
  return Array.isArray(kept) ? kept.filter((name) => typeof name === "string" && QUESTION.test(name)) : [];
}

/** Store that the answer to a review question was opened. */
export function keepLooked(name) {
  storeForGood(LOOKED, [...new Set([...readLooked(), name])]);
}

/**
 * Return the written answers as {question: {text, compared: whether the model answer was opened, points: one boolean
 * per point}}.
 */
export const readWords = () => entries(readForGood(WORDS), ANSWER);

/** Store a written answer. */
export function keepWords(name, answer) {
  storeForGood(WORDS, { ...readWords(), [name]: answer });
}

/** Return the text of a file that contains the whole progress. */
export function progressFile() {
  const kept = { bnviz: "course", version: FORMAT, lessons: readLessons(), looked: readLooked(), words: readWords() };
  return `${JSON.stringify(kept, null, 1)}\n`;
}

/**
 * Error for a file that is not a progress file or has an invalid entry. `key` and `values` determine the message, which
 * is in `lessons.toml`.
 */
export class WrongFile extends Error {
  constructor(key, values = {}) {
    super(key);
    Object.assign(this, { key, values });
  }
}

/**
 * Add the contents of a file to the stored progress. Stored entries take precedence over entries of the file. If the
 * stored progress and the file both have a written answer to the same question, the file's text is appended to the
 * stored text.
 *
 * @returns {both: number of answers that now contain two texts, left: number of texts that were too long to append}
 * @throws {WrongFile} before anything is changed
 */
export function addFile(text) {
  const given = parsed(text);
  const [lessons, words] = [readLessons(), readWords()];
  const count = { both: 0, left: 0 };
  for (const [name, theirs] of Object.entries(given.lessons)) {
    const here = lessons[name] ?? {};
    lessons[name] = { done: here.done || theirs.done || undefined, ...guessOf(here.guess ? here : theirs) };
  }
  for (const [name, answer] of Object.entries(given.words)) {
    const here = words[name];
    if (!here?.text.trim() || (here.text === answer.text && !here.compared)) words[name] = answer;
    else {
      const text = bothTexts(here.text, answer.text);
      if (text === null) count.left += 1;
      else if (text !== here.text) {
        words[name] = { ...here, text };
        count.both += 1;
      }
    }
  }
  storeForGood(LESSONS, lessons);
  storeForGood(LOOKED, [...new Set([...readLooked(), ...given.looked])]);
  storeForGood(WORDS, words);
  return count;
}

/**
 * Join two answers to the same question. If one answer contains the other one, return the longer answer. If the joined
 * text is too long, return null.
 */
function bothTexts(here, other) {
  if (here.includes(other.trim())) return here;
  if (other.includes(here.trim())) return other;
  const both = `${here.trimEnd()}\n\n${other.trim()}`;
  return both.length <= LONGEST_WORDS ? both : null;
}

/** Parse a file and check every field. */
function parsed(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    throw new WrongFile("no_json");
  }
  if (!isTable(given) || given.bnviz !== "course") throw new WrongFile("not_ours");
  need("version", given.version, given.version === FORMAT, "version");
  const unknown = Object.keys(given).find((name) => !["bnviz", "version", "lessons", "looked", "words"].includes(name));
  if (unknown !== undefined) throw new WrongFile("field", { field: short(unknown), value: short(given[unknown]), allowed: "left_out" });
  const looked = given.looked ?? [];
  need("looked", looked, Array.isArray(looked) && looked.length <= MOST && looked.every((name) => typeof name === "string" && QUESTION.test(name)), "names");
  return { looked, lessons: table("lessons", given.lessons ?? {}, LESSON), words: table("words", given.words ?? {}, ANSWER) };
}

function table(field, given, fields) {
  need(field, given, isTable(given) && Object.keys(given).length <= MOST, "table");
  for (const [name, value] of Object.entries(given)) {
    need(field, name, NAME.test(name), "names");
    const wrong = problemOf(value, fields);
    if (wrong) need(`${field}.${name}${wrong.field}`, wrong.value, false, wrong.allowed);
  }
  return given;
}

function need(field, value, fits, allowed) {
  if (!fits) throw new WrongFile("field", { field: short(field), value: short(value), allowed });
}

/**
 * Check an entry. `fields` maps each field to [its check, a name for the allowed values]. Return the first problem
 * found, or null if there is none.
 */
function problemOf(given, fields) {
  if (!isTable(given)) return { field: "", value: given, allowed: "table" };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(fields, name));
  if (unknown !== undefined) return { field: `.${unknown}`, value: given[unknown], allowed: "left_out" };
  const wrong = Object.keys(fields).find((name) => !fields[name][0](given[name]));
  return wrong ? { field: `.${wrong}`, value: given[wrong], allowed: fields[wrong][1] } : null;
}

/**
 * Return the valid entries of a stored table. Other scripts may write to the browser's storage, so its contents are not
 * trusted.
 */
function entries(kept, fields) {
  if (!isTable(kept)) return {};
  return Object.fromEntries(Object.entries(kept).filter(([name, value]) => NAME.test(name) && !problemOf(value, fields)));
}

function short(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value) ?? String(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
