// The questions about a map and the rules that decide them. Each kind of question is an entry of KINDS. The functions
// are pure: they take the cells, and return the indices of the correct answers and the values to put into a sentence.
// They do not judge guesses.

import { networkAnswers, normsOf, questionOfPhrases } from "../classroom/question.js";
import { stabilityMap } from "../contract.js";
import { regionPhrase } from "./colouring.js";
import { UNKNOWN } from "./model.js";

/**
 * Kinds of question by name. `ask(view, climb, norm)` returns the question, or null if the map does not allow it.
 * `mapOutcome` calls `answer`.
 */
const KINDS = {
  highest: { ask: askHighest, answer: answerHighest },
  row: { ask: askRow, answer: answerHighest },
  most: { ask: askMost, answer: answerMost },
  reach: { ask: askReach, answer: answerReach },
};

// Knobs for questions about the largest value at which a network learns. A question uses the first of these knobs that
// is an axis of the map.
const CLIMBED = ["learning_rate", "init_std", "depth"];
// For the question `row`: index of a rung of the other axis, by the name of that axis's knob. The index selects the end
// of the axis at which training is harder, where a different network may win.
const ENDS = { batch_size: 0, depth: -1, skip: 0 };
// number of round values along an axis, and number of bounds that separate the four answers
const [TICKS, BOUNDS] = [8, 3];
const ROUND = 6; // significant digits of a bound
// Classes of cells (see the model's `survivors`) for each answer, in the order of the answers: both networks learn,
// only the first, only the second, neither (whether broken or not). The first class of each entry gives the region its
// name.
const REGIONS = [[4], [2], [3], [1, 5]];
const EVEN = 0.01; // fractions of the plane that differ by less than this count as equal
const FAILED = { answers: null, words: ["failed", {}] };
const GONE = { answers: null, words: ["gone", {}] }; // the map that the question was about has been replaced

/**
 * Return the questions that the axes of a map allow.
 *
 * @param view {data, model, norms, t}
 * @param norm the network for questions about a single network
 */
export function questionsFor(view, norm = view.norms[0].name) {
  const { model } = view;
  const knob = CLIMBED.find((name) => [model.across.knob, model.up.knob].includes(name));
  const name = knob === model.across.knob ? "across" : "up";
  const [axis, other] = axesOf(name, model);
  const climbs = knob !== undefined && axis.rungs.length > 1;
  const kinds = climbs ? Object.values(KINDS) : [KINDS.most];
  return kinds.map(({ ask }) => ask(view, { name, axis, other }, norm)).filter(Boolean);
}

/** Return the axis that a question is about, and the other axis. */
function axesOf(climb, { across, up }) {
  return climb === "across" ? [across, up] : [up, across];
}

/**
 * Return the outcome of a question.
 * @param question a question from `questionsFor`, with {climb: axis that the question is about, "across" or "up"; row:
 * value of a rung of the other axis, or null for all rungs; bounds: values that separate the answers}
 * @param map {over: whether no more cells will come, failed, norms: names, model}
 * @returns null while the question is open; otherwise {answers: indices of the correct answers, or null if the map does
 * not decide the question; words: [key, values] of the sentence, see `sentenceOf`}
 */
export function mapOutcome(question, map) {
  const kind = KINDS[question.kind];
  if (!kind || !map.over) return null;
  if (map.failed) return FAILED;
  const row = question.row === null ? null : axesOf(question.climb, map.model)[1].rungs.indexOf(question.row);
  if (row < 0 || normsOf(question).some((norm) => !map.norms.includes(norm))) return GONE;
  return kind.answer(question, map, row);
}

/** Return the sentence of an outcome as a phrase, with the names of networks, knobs and regions. */
export function sentenceOf({ words: [key, { reached, shares }] }, { climb, row }, view) {
  const [axis, other] = axesOf(climb, view.model);
  const names = networkNames(view);
  const told = (each, values) => ({ key: `class.map.happened.${each}`, values });
  if (shares) return told(key, { shares: regions(view).map((region, i) => told("share_of", { region, share: shares[i] })) });
  if (!reached) return told(key, {});
  const each = ({ norm, value, end }) => (value === null ? told("nowhere", { label: names[norm] })
    : told(end ? "to_the_end" : "reached", { label: names[norm], value: axis.write(value) }));
  const place = row === null ? {} : { other: knobName(other), value: other.write(row) };
  return told(key, { knob: knobName(axis), reached: reached.map(each), ...place });
}

/** Return the names of the networks as phrases, by norm. */
function networkNames({ norms }) {
  return Object.fromEntries(norms.map(({ name, label }) => [name, { key: `norms.${name}.network`, text: label }]));
}

/** Return the name of an axis's knob within a sentence, as a phrase. */
function knobName({ knob, said }) {
  return { key: `map.page.said.${knob}`, text: said };
}

function asked(view, kind, text, given) {
  return questionOfPhrases(view.t, kind, text, { row: null, ...given });
}

/**
 * Return the largest value of an axis at which a network learned.
 * @param climb the axis, "across" or "up"
 * @param row index of a rung of the other axis, or null for all rungs
 * @returns {value: the value, or null if the network did not learn anywhere; end: whether the value is the last rung of
 * the axis}
 */
function reached(model, network, climb, row = null) {
  const [value, along, other] = climb === "across" ? ["x", "i", "j"] : ["y", "j", "i"];
  const learned = model.networks[network].rows.filter((each) => each.kind === "learned" && (row === null || each[other] === row));
  const best = learned.reduce((one, each) => (one?.[value] >= each[value] ? one : each), null);
  return { value: best?.[value] ?? null, end: best?.[along] === model[climb].last };
}

// Questions `highest` and `row`: which network learns at the highest value. `highest` is about the whole map, and `row`
// about the line of cells at the end of the other axis where training is harder.

function askHighest(view, { name, axis }) {
  if (view.norms.length < 2) return null;
  const text = { key: `class.map.ask.highest.${axis.knob}` };
  return asked(view, "highest", text, { ...networkAnswers(networkNames(view), "same"), climb: name });
}

function askRow(view, { name, axis, other }) {
  if (view.norms.length < 2 || !(other.knob in ENDS) || other.rungs.length < 2) return null;
  const row = other.rungs.at(ENDS[other.knob]);
  const text = { key: `class.map.ask.row.${axis.knob}`, values: { other: knobName(other), value: other.write(row) } };
  return asked(view, "row", text, { ...networkAnswers(networkNames(view), "same"), climb: name, row });
}

function answerHighest({ networks, same, climb }, { norms, model }, row) {
  const found = networks.filter(Boolean).map((norm) => ({ norm, ...reached(model, norms.indexOf(norm), climb, row) }));
  const words = [row === null ? "highest" : "row", { reached: found }];
  const most = Math.max(...found.map(({ value }) => value ?? -Infinity));
  const level = found.filter(({ value }) => value !== null && most <= stabilityMap.about_the_same * value);
  const all = level.length > 1 && level.length === found.length && same !== null;
  return { answers: all ? [same] : level.map(({ norm }) => networks.indexOf(norm)), words };
}

// Question `most`: which result covers most of the plane. The four results are that both networks learn, only the
// first, only the second, or neither.

/** Return the names of the regions for these results as phrases, in the order of the answers. */
function regions(view) {
  return REGIONS.map(([kind]) => regionPhrase(view, kind));
}

function askMost(view) {
  if (view.norms.length !== 2) return null;
  const networks = [null, ...view.norms.map(({ name }) => name), null];
  return asked(view, "most", { key: "class.map.ask.most" }, { answers: regions(view), networks, both: 0, neither: 3 });
}

function answerMost({ networks }, { model, norms }) {
  if (norms.join() !== networks.filter(Boolean).join()) return GONE;
  const known = model.survivors().filter((kind) => kind !== UNKNOWN);
  if (!known.length) return FAILED;
  const shares = REGIONS.map((kinds) => known.filter((kind) => kinds.includes(kind)).length / known.length);
  const largest = Math.max(...shares);
  return { answers: shares.flatMap((share, index) => (largest - share <= EVEN ? [index] : [])), words: ["most", { shares }] };
}

// Question `reach`: up to which value a given network learns. Three bounds separate the four answers.

function askReach(view, { name, axis }, norm) {
  const ticks = axis.ticks(TICKS).map(({ at }) => Number(axis.value(at).toPrecision(ROUND)));
  const inside = ticks.filter((value) => value > axis.rungs[0] && value < axis.rungs.at(-1));
  if (inside.length < BOUNDS) return null;
  const bounds = [1, 2, 3].map((part) => inside[Math.floor((part * inside.length) / (BOUNDS + 1))]);
  const [low, middle, high] = bounds.map((value) => axis.write(value));
  const answer = (key, values) => ({ key: `class.map.answer.${key}`, values });
  const between = (from, to) => answer("between", { from, to });
  const answers = [answer("up_to", { to: low }), between(low, middle), between(middle, high), answer("over", { from: high })];
  const text = { key: `class.map.ask.reach${view.norms.length > 1 ? "" : "_one"}.${axis.knob}`, values: { label: networkNames(view)[norm] } };
  return asked(view, "reach", text, { answers, network: norm, climb: name, bounds });
}

function answerReach({ network, climb, bounds }, { norms, model }) {
  const { value, end } = reached(model, norms.indexOf(network), climb);
  const words = ["highest", { reached: [{ norm: network, value, end }] }];
  return { answers: value === null ? [] : [bounds.filter((bound) => value > bound).length], words };
}
