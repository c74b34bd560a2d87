// A question to a class: a text and two to four answers, A to D. A guess is the index of an answer, a tally has one
// count for each.

import { classroom } from "../contract.js";
import { capitalize, say } from "../live/lib/texts.js";

/**
 * A question whose text and answers are phrases: here they are in the language of this page, and phones make theirs of
 * the same phrases. See `makeQuestion`.
 *
 * @param given {answers: phrases, and more of the question}
 */
export function questionOfPhrases(t, kind, text, { answers, ...more }) {
  const [ownText, ...ownAnswers] = [text, ...answers].map((phrase) => capitalize(say(t, phrase)));
  return makeQuestion(kind, kind, { text: ownText, answers: ownAnswers, text_phrase: text, answer_phrases: answers }, more);
}

/**
 * A question. Of those that a run or a map answers, `kind` says how; `networks` has, for each answer, the norm of the
 * network that it names, or null; `both`, `neither` and `same` are the indices of these answers. `text_phrase` and
 * `answer_phrases` are the phrases of its texts; null: somebody typed them.
 */
export function makeQuestion(id, kind, { text, answers, text_phrase = null, answer_phrases = null }, more = {}) {
  const networks = answers.map(() => null);
  return { id, kind, text, answers, text_phrase, answer_phrases, networks, network: null, both: null, neither: null, same: null, steps: null, depth: null, needs: {}, since: null, ...more };
}

/**
 * The networks as answers, and further ones while there is room.
 *
 * @param names the phrase of each network's name, by norm
 * @param further keys of class.answer
 * @returns {answers: phrases, networks, and by key the index of each further answer}
 */
export function networkAnswers(names, ...further) {
  const named = Object.entries(names).slice(0, classroom.most_answers);
  const others = further.slice(0, classroom.most_answers - named.length);
  return {
    answers: [...named.map(([, name]) => name), ...others.map((key) => ({ key: `class.answer.${key}` }))],
    networks: [...named.map(([norm]) => norm), ...others.map(() => null)],
    ...Object.fromEntries(others.map((key, index) => [key, named.length + index])),
  };
}

/** The norms of the networks that a question is about. */
export function normsOf({ networks, network }) {
  return [...networks, network].filter(Boolean);
}

/** A question in the teacher's own words, without empty answers; null where the text or a second answer is missing. */
export function ownQuestion(text, answers) {
  const written = answers.map(oneLine).filter(Boolean).slice(0, classroom.most_answers);
  if (!oneLine(text) || written.length < 2) return null;
  const shortened = written.map((answer) => answer.slice(0, classroom.longest_answer));
  return makeQuestion("own", null, { text: oneLine(text).slice(0, classroom.longest_text), answers: shortened });
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
