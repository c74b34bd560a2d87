// The questions there are for a run: that of its preset or lesson, the usual ones, the teacher's own.

import { capitalize } from "../lib/texts.js";
import { STEPS } from "./outcomes.js";

export const MOST_ANSWERS = 4;
export const LONGEST = { text: 140, answer: 48 }; // characters
export const LETTERS = "ABCD";
const BY_PLACE = ["mlp", "conv"]; // kinds of network whose layers follow one another

/** What every question has: what it asks, and how its answers are told apart afterwards. */
export function question(id, kind, text, answers, more = {}) {
  const none = answers.map(() => null);
  return { id, kind, text, answers, networks: none, network: null, both: null, neither: null, same: null,
    steps: STEPS[kind] ?? null, depth: null, needs: {}, ...more };
}

/**
 * @param data what the page says of the run
 * @param t words by key
 * @param norm the network that a question about one network asks about
 * @returns questions, the one of the preset or lesson first
 */
export function questionsFor(data, t, norm = data.norms[0]) {
  const usual = [breaksQuestion(data, t), accuracyQuestion(data, t, norm), layerQuestion(data, t, norm)].filter(Boolean);
  const own = givenQuestion(data, t, norm);
  return own ? [own, ...usual] : usual;
}

/** The page's own question; where it has no answers of its own, they are those of its kind. */
export function givenQuestion(data, t, norm = data.norms[0]) {
  const given = data.question;
  if (!given) return null;
  const about = data.norms.includes(given.network) ? given.network : norm;
  const usual = { breaks: breaksQuestion, first: firstQuestion, ahead: aheadQuestion }[given.kind]?.(data, t)
    ?? { accuracy: accuracyQuestion, layer: layerQuestion }[given.kind]?.(data, t, about);
  if (!usual && !given.answers) return null;
  const base = usual ?? question("given", null, given.text, given.answers);
  return { ...base, id: "given", text: given.text || base.text, steps: given.steps ?? base.steps,
    needs: given.needs ?? {}, since: given.since ?? null };
}

/** The networks as answers, as far as there is room for them. */
function networks({ norms, labels }) {
  const named = norms.slice(0, MOST_ANSWERS);
  return { answers: named.map((norm) => capitalize(labels[norm] ?? norm)), networks: named };
}

/** Answers after the networks, while there is room: each by the name of its place. */
function withMore(data, t, ...more) {
  const { answers, networks: named } = networks(data);
  const places = {};
  for (const name of more) {
    if (answers.length === MOST_ANSWERS) break;
    places[name] = answers.length;
    answers.push(t(`class.answer.${name}`));
    named.push(null);
  }
  return { answers, more: { networks: named, ...places } };
}

function breaksQuestion(data, t) {
  const one = data.norms.length === 1;
  const { answers, more } = withMore(data, t, ...(data.norms.length === 2 ? ["both", "neither"] : ["neither"]));
  const text = t(one ? "class.ask.breaks_one" : data.norms.length === 2 ? "class.ask.breaks" : "class.ask.breaks_several");
  if (one) answers.splice(0, 2, t("class.answer.breaks"), t("class.answer.holds"));
  return question("breaks", "breaks", text, answers, more);
}

/** The question of a page that opens paused at step 0. */
export function firstQuestion(data, t) {
  const { answers, more } = withMore(data, t, "neither");
  return question("first", "first", t("class.ask.first"), answers, more);
}

function aheadQuestion(data, t) {
  if (data.norms.length < 2) return null;
  const { answers, more } = withMore(data, t, "same");
  return question("ahead", "ahead", t("class.ask.ahead"), answers, more);
}

function accuracyQuestion(data, t, norm) {
  const answers = ["rises", "stays", "falls", "chance"].map((name) => t(`class.answer.${name}`));
  return question("accuracy", "accuracy", about(data, t, "accuracy", norm), answers, { network: norm });
}

function layerQuestion(data, t, norm) {
  const { depth, network } = data.config;
  if (!(depth > 1) || !BY_PLACE.includes(network)) return null;
  const between = { first: 2, last: depth - 1 };
  const middle = depth === 2 ? [] : [t(depth === 3 ? "class.answer.layer" : "class.answer.layers", depth === 3 ? { number: 2 } : between)];
  const answers = [t("class.answer.layer", { number: 1 }), ...middle, t("class.answer.layer", { number: depth }), t("class.answer.output_or_none")];
  return question("layer", "layer", about(data, t, "layer", norm), answers, { network: norm, depth });
}

/** Of several networks the question names the one it is about. */
function about({ norms, labels }, t, key, norm) {
  if (norms.length === 1) return t(`class.ask.${key}_one`);
  return t(`class.ask.${key}`, { label: capitalize(labels[norm] ?? norm) });
}

/** The teacher's own words: lines without their blanks; null with the number of what is missing. */
export function ownQuestion(text, answers) {
  const said = answers.map(oneLine).filter(Boolean).slice(0, MOST_ANSWERS);
  if (!oneLine(text) || said.length < 2) return null;
  return question("own", null, oneLine(text).slice(0, LONGEST.text), said.map((answer) => answer.slice(0, LONGEST.answer)));
}

function oneLine(text) {
  return text.replace(/\s+/g, " ").trim();
}
