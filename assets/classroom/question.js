// Questions to a class. A question has a text and two to four answers, A to D. A guess is the index of an answer, and a
// tally is a list with the number of votes for each answer.

import { classroom } from "../contract.js";
import { capitalize, say } from "../live/lib/texts.js";

/**
 * Return a question built from phrases. Its texts are in the language of this page, and phones build texts in their own
 * language from the same phrases. See `makeQuestion`.
 *
 * @param given {answers: phrases, and further fields of the question}
 */
export function questionOfPhrases(t, kind, text, { answers, ...more }) {
  const [ownText, ...ownAnswers] = [text, ...answers].map((phrase) => capitalize(say(t, phrase)));
  return makeQuestion(kind, kind, { text: ownText, answers: ownAnswers, text_phrase: text, answer_phrases: answers }, more);
}

/**
 * Return a question. `kind` selects the rule by which a run or a map decides the question; null means that nothing
 * decides it. `networks` holds, for each answer, the norm of the network that the answer names, or null. `both`,
 * `neither` and `same` are the indices of the answers with these meanings, or null. `text_phrase` and `answer_phrases`
 * are the phrases of the texts, or null if somebody typed the texts.
 */
export function makeQuestion(id, kind, { text, answers, text_phrase = null, answer_phrases = null }, more = {}) {
  const networks = answers.map(() => null);
  return { id, kind, text, answers, text_phrase, answer_phrases, networks, network: null, both: null, neither: null, same: null, steps: null, depth: null, needs: {}, since: null, ...more };
}

/**
 * Return the networks as answers, followed by further answers up to the maximum number of answers.
 *
 * @param names phrase of each network's name, by norm
 * @param further keys of class.answer
 * @returns {answers: phrases, networks, and the index of each further answer under its key}
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

/** Norms of the networks that a question is about. */
export function normsOf({ networks, network }) {
  return [...networks, network].filter(Boolean);
}

/**
 * Return a question in the teacher's own words; empty answers are left out. Return null if the text is missing or there
 * are fewer than two answers.
 */
export function ownQuestion(text, answers) {
  const written = answers.map(oneLine).filter(Boolean).slice(0, classroom.most_answers);
  if (!oneLine(text) || written.length < 2) return null;
  const shortened = written.map((answer) => answer.slice(0, classroom.longest_answer));
  return makeQuestion("own", null, { text: oneLine(text).slice(0, classroom.longest_text), answers: shortened });
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
