// The questions about a run and the rules that decide them. Each kind of question is an entry of KINDS: its number of
// steps, its text and answers, and its rule. The functions are pure: they take measured values and return the indices
// of the correct answers and the numbers to put into a sentence. They do not judge guesses.

import { training } from "../contract.js";
import { makeQuestion, networkAnswers, normsOf, questionOfPhrases } from "./question.js";

const LAYERED = ["mlp", "conv"]; // kinds of network whose layers are in a linear order
const WINDOW = 20; // number of steps over which an accuracy is averaged, because it varies between mini-batches
const SAME = 0.02; // accuracies count as equal if they differ by less than this (a few test images)

/**
 * Kinds of question by name. `steps`: number of steps after which the question is decided. `about`: "breaks",
 * "accuracy" or "layer". `usual`: whether the question is offered for any run, not only by a preset or lesson.
 * `ask(data, t, norm)`: returns the question, or null if it makes no sense for the run. `answer`: rule that
 * `runOutcome` calls.
 */
const KINDS = {
  breaks: { steps: 200, about: "breaks", usual: true, ask: askBreaks, answer: answerBreaks },
  first: { steps: 1000, about: "breaks", usual: false, ask: firstQuestion, answer: answerFirst },
  accuracy: { steps: 100, about: "accuracy", usual: true, ask: askAccuracy, answer: answerAccuracy },
  layer: { steps: 200, about: "layer", usual: true, ask: askLayer, answer: answerLayer },
  ahead: { steps: 100, about: "accuracy", usual: false, ask: askAhead, answer: answerAhead },
};

/** Return the aspect of the run that a question is about, or undefined if no run can decide the question. */
export function aboutOf({ kind }) {
  return KINDS[kind]?.about;
}

/**
 * Return the questions about a run. The question of the preset or lesson comes first, and the opinion question second,
 * if they exist.
 *
 * @param data the page's data about the run
 * @param norm the norm of the network for questions about a single network
 */
export function questionsFor(data, t, norm = data.norms[0]) {
  const usual = Object.values(KINDS).filter((kind) => kind.usual).map((kind) => kind.ask(data, t, norm)).filter(Boolean);
  const given = givenQuestion(data, t, norm);
  // An opinion question is not decided by the run: the votes are only counted.
  const opinion = data.opinion && makeQuestion("opinion", null, data.opinion);
  return [given, opinion, ...usual].filter(Boolean);
}

/**
 * Return the question of the preset, the lesson or the talk's stop, or null if there is none. If this question has no
 * answers of its own, use the usual answers for its kind.
 */
export function givenQuestion(data, t, norm = data.norms[0]) {
  const given = data.question;
  if (!given) return null;
  const usual = KINDS[given.kind]?.ask(data, t, data.norms.includes(given.network) ? given.network : norm);
  if (!usual && !given.answers) return null;
  const base = usual ?? makeQuestion("given", null, given);
  const own = given.text ? { text: given.text, text_phrase: given.text_phrase ?? null } : {};
  return { ...base, id: "given", ...own, steps: given.steps ?? base.steps, needs: given.needs ?? {}, since: given.since ?? null };
}

/** Return the question with which a page opens if its run is paused at step 0. */
export function firstQuestion(data, t) {
  return asked(t, "first", { key: "class.ask.first" }, networkAnswers(networkNames(data), "neither"));
}

/**
 * Return the outcome of a question.
 *
 * @param question a question made by `makeQuestion`
 * @param from state when the question was asked: {step, broken: {norm: step} of earlier breaks, until: last step that
 * counts; by default, step plus the question's number of steps}
 * @param run {step, ended, breaks: {norm: break as in a frame}, states: {norm: state}, chance, accuracy: (norm) =>
 * {steps, values}}
 * @returns null while the question is undecided, else {answers: indices of the correct answers, or null if it cannot be
 * decided; words: [[key, values], …], keys and numbers of the sentences, see `sentencesOf`}
 */
export function runOutcome(question, from, run) {
  const kind = KINDS[question.kind];
  if (!kind) return null;
  if (normsOf(question).some((norm) => !(norm in run.states))) return { answers: null, words: [["gone", {}]] };
  const until = from.until ?? from.step + question.steps;
  return kind.answer(question, { ...from, until, over: run.ended || run.step >= until, last: Math.min(until, run.step) }, run);
}

/** Return the text key and the values of each sentence about an outcome. */
export function sentencesOf({ words }, data) {
  return words.map(([key, { norm, ...values }]) => (
    { key: `class.happened.${key}`, values: { ...values, ...(norm && { label: networkName(data, norm) }) } }));
}

/** Return a network's name as a phrase: the name that the page gives it, or the standard name of its norm. */
function networkName({ labels, label_keys: keys }, norm) {
  return { key: keys?.[norm] ?? `norms.${norm}.network`, text: labels[norm] };
}

function networkNames(data) {
  return Object.fromEntries(data.norms.map((norm) => [norm, networkName(data, norm)]));
}

function asked(t, kind, text, given) {
  return questionOfPhrases(t, kind, text, { steps: KINDS[kind].steps, ...given });
}

function answer(key, values = {}) {
  return { key: `class.answer.${key}`, values };
}

/**
 * Return the text of a question about one network, as a phrase. If there are several networks, the text names the
 * network.
 */
function textAbout(data, key, norm) {
  const one = data.norms.length === 1;
  return one ? { key: `class.ask.${key}_one` } : { key: `class.ask.${key}`, values: { label: networkName(data, norm ?? data.norms[0]) } };
}

// Which networks break.

function askBreaks(data, t) {
  const count = data.norms.length;
  const given = networkAnswers(networkNames(data), ...(count === 2 ? ["both", "neither"] : ["neither"]));
  if (count === 1) given.answers = [answer("breaks"), answer("holds")];
  const key = { 1: "breaks_one", 2: "breaks" }[count] ?? "breaks_several";
  return asked(t, "breaks", { key: `class.ask.${key}` }, given);
}

function answerBreaks(question, from, run) {
  const norms = question.networks.filter(Boolean);
  const since = breaksSince(question, from, run);
  if (!from.over && since.length < norms.length) return null;
  const words = since.map(({ norm, step }) => [run.states[norm] === "recovered" ? "broke_recovered" : "broke", { norm, step }]);
  const before = norms.filter((norm) => run.breaks[norm]?.step <= from.until && !since.some((one) => one.norm === norm));
  words.push(...before.map((norm) => ["broken_before", { norm, step: run.breaks[norm].step }]));
  return { answers: indicesOfBroken(question, since), words: since.length ? words : [noneBroke(from, run), ...words] };
}

/**
 * Return the breaks since the question was asked, the earliest first. For a question asked at step 0, return all
 * breaks.
 */
function breaksSince({ networks }, { step: askedAt, broken, until }, { breaks }) {
  return networks.filter((norm) => breaks[norm]?.step <= until && (askedAt === 0 || broken[norm] !== breaks[norm].step))
    .map((norm) => ({ norm, step: breaks[norm].step }))
    .sort((one, other) => one.step - other.step);
}

/** Return the indices of the answers that name the broken networks, or the index of the answer "both" or "neither". */
function indicesOfBroken({ networks, both, neither }, since) {
  if (!since.length) return neither === null ? [] : [neither];
  if (both !== null && since.length > 1) return [both];
  return since.map(({ norm }) => networks.indexOf(norm)).sort((one, other) => one - other);
}

function noneBroke({ step: askedAt, until, last }, { step, ended }) {
  return [ended && step < until ? "none_ended" : "none_broke", { steps: last - askedAt, step: last }];
}

// Rule for the question of which network breaks first. If networks break at the same step, several answers are correct.

function answerFirst(question, from, run) {
  const since = breaksSince(question, from, run);
  if (!since.length) return from.over ? { answers: indicesOfBroken(question, []), words: [noneBroke(from, run)] } : null;
  const earliest = since.filter(({ step }) => step === since[0].step);
  return {
    answers: earliest.map(({ norm }) => question.networks.indexOf(norm)),
    words: earliest.map(({ norm, step }) => [earliest.length > 1 ? "broke" : "broke_first", { norm, step }]),
  };
}

// Question about the layer in which a network's break begins. The answers are the first, a middle and the last layer,
// and "the output layer or none".

function askLayer(data, t, norm) {
  const { depth, network } = data.config;
  if (!(depth > 1) || !LAYERED.includes(network)) return null;
  const between = { first: 2, last: depth - 1 };
  const middle = depth === 2 ? [] : [depth === 3 ? answer("layer", { number: 2 }) : answer("layers", between)];
  const answers = [answer("layer", { number: 1 }), ...middle, answer("layer", { number: depth }), answer("output_or_none")];
  return asked(t, "layer", textAbout(data, "layer", norm), { answers, network: norm, depth });
}

function answerLayer({ network: norm, depth }, from, run) {
  // The question may also be asked after the network broke.
  const broke = run.breaks[norm]?.step <= from.until ? run.breaks[norm] : null;
  const none = depth > 2 ? 3 : 2; // index of the last answer, "the output layer or none"
  if (!broke) return from.over ? { answers: [none], words: [noneBroke(from, run)] } : null;
  const { step, layer, key, moved, moved_at: movedAt } = broke;
  const number = numberOf(layer);
  if (!number) return { answers: [none], words: [[layer === "output" ? "layer_output" : "layer_none", { norm, step }]] };
  const index = number === 1 ? 0 : number === depth ? none - 1 : 1;
  const words = [["layer_first", { norm, step, number }], ...(key ? [[`rule_${key}`, {}]] : [])];
  if (numberOf(moved)) words.push(["moved_first", { number: numberOf(moved), step: movedAt }]);
  return { answers: [index], words };
}

/** Return the number in a name such as "layer 3", or 0 if the name is not a numbered layer. */
function numberOf(name) {
  return Number(/^layer (\d+)$/.exec(name ?? "")?.[1] ?? 0);
}

// Question about the change of one network's accuracy. The answers are: it rises, stays, falls, or falls to chance
// level.

function askAccuracy(data, t, norm) {
  const answers = ["rises", "stays", "falls", "chance"].map((key) => answer(key));
  return asked(t, "accuracy", textAbout(data, "accuracy", norm), { answers, network: norm });
}

function answerAccuracy({ network: norm }, from, run) {
  if (!from.over) return null;
  const { steps, values } = run.accuracy(norm);
  const before = values[steps.findLastIndex((step) => step <= from.step)];
  const after = meanUntil({ steps, values }, from.step, from.last);
  if (before === undefined || !after) return notMeasured([norm], run);
  const told = { norm, before, from: from.step, after: after.value, first: after.first, last: after.last };
  if (!Number.isFinite(after.value)) {
    return Number.isFinite(before) ? { answers: [3], words: [["accuracy_stopped", told]] } : { answers: [1], words: [["accuracy_was_stopped", { norm, from: from.step }]] };
  }
  const chance = run.chance + training.chance_margin;
  if (after.value <= chance && before > chance) return { answers: [3], words: [["accuracy", told], ["chance", { share: run.chance }]] };
  const change = after.value - before;
  return { answers: [change > SAME ? 0 : change < -SAME ? 2 : 1], words: [["accuracy", told]] };
}

/** Return the outcome for networks whose accuracy was not measured, or null while the run continues. */
function notMeasured(norms, { ended }) {
  return ended ? { answers: null, words: norms.map((norm) => ["not_measured", { norm }]) } : null;
}

// Question about which network has the highest accuracy.

function askAhead(data, t) {
  return data.norms.length < 2 ? null : asked(t, "ahead", { key: "class.ask.ahead" }, networkAnswers(networkNames(data), "same"));
}

function answerAhead({ networks, same }, from, run) {
  if (!from.over) return null;
  const found = networks.filter(Boolean).map((norm) => ({ norm, ...meanUntil(run.accuracy(norm), from.step, from.last) }));
  const unmeasured = found.filter(({ last }) => last === undefined);
  if (unmeasured.length) return notMeasured(unmeasured.map(({ norm }) => norm), run);
  // A network that broke has no finite accuracy, so count its accuracy as 0.
  const reached = found.map(({ norm, value, last: step }) => ({ norm, share: Number.isFinite(value) ? value : 0, step })).sort((one, other) => other.share - one.share);
  const [first, second] = reached;
  const answers = first.share - second.share > SAME ? [networks.indexOf(first.norm)] : same === null ? [] : [same];
  return { answers, words: reached.map((each) => ["reached", each]) };
}

/**
 * Return the mean accuracy over the last `WINDOW` steps up to `until`, without steps up to `from`. If none is recorded, use the first value after `until`, or else the last value after `from`.
 *
 * @returns {value, first, last: first and last step of the averaged measurements}, or null if there are none
 */
function meanUntil({ steps, values }, from, until) {
  const within = steps.flatMap((step, i) => (step > Math.max(from, until - WINDOW) && step <= until ? [i] : []));
  if (within.length) {
    const value = within.reduce((sum, i) => sum + values[i], 0) / within.length;
    return { value, first: steps[within[0]], last: steps[within.at(-1)] };
  }
  const later = steps.findIndex((step) => step > until);
  const at = later >= 0 ? later : steps.findLastIndex((step) => step > from);
  return at < 0 ? null : { value: values[at], first: steps[at], last: steps[at] };
}
