// What came of a question about a map, computed from its cells. Pure: what was measured goes in, which
// answers came true and the numbers of a sentence come out. Nobody is called right or wrong.

import { FINEST } from "./axis.js";
import { I, J, KIND, X, Y } from "./columns.js";
import { UNKNOWN } from "./model.js";

const LEVEL = 1.2; // values nearer to each other than this factor are about the same, as in bnviz/sweeps/reading.py
const EVEN = 0.01; // of the plane: shares no further apart are both the largest
const GONE = { answers: null, said: ["gone", {}] }; // the map that was asked about is another now
const [NEITHER, FIRST, SECOND, BOTH, UNBROKEN] = [1, 2, 3, 4, 5]; // classes of cells of two networks, as the model has them

/**
 * @param question {kind, networks: the norm of each answer or null, network: the norm asked about, same,
 *   climb: the axis that is asked about, "across" or "up", row: a value of the other axis, or null: all,
 *   bounds: values between the answers}
 * @param map {over: whether no more is to come, failed, norms: names, model}
 * @returns null while it is open; {answers: indices that came true, or null where it cannot be said,
 *   said: [key, values] of the sentence}
 */
export function outcome(question, map) {
  const judge = KINDS[question.kind];
  if (!judge || !map.over) return null;
  if (map.failed) return { answers: null, said: ["failed", {}] };
  const lacks = [...question.networks, question.network].some((norm) => norm && !map.norms.includes(norm));
  const row = question.row === null ? null : rungOf(question, map.model);
  if (lacks || row < 0) return GONE;
  return judge(question, map, row);
}

/** Which rung of the axis that is not asked about a question names; -1: the map has it no more. */
function rungOf({ climb, row }, { across, up }) {
  return (climb === "across" ? up : across).rungs.indexOf(row);
}

/**
 * The largest value at which a network learned.
 *
 * @param climb the axis along which, "across" or "up"
 * @param row the rung of the other axis on which, or null: anywhere
 * @returns {value, end: whether the map goes no further}; value null: it learned nowhere
 */
export function reached(model, network, climb, row = null) {
  const [value, place, other] = climb === "across" ? [X, I, J] : [Y, J, I];
  let best = null;
  for (const each of model.networks[network].rows) {
    if (each[KIND] !== "learned" || (row !== null && each[other] !== FINEST * row)) continue;
    if (best === null || each[value] > best[value]) best = each;
  }
  return { value: best?.[value] ?? null, end: best !== null && best[place] === model[climb].last };
}

function highest(question, { norms, model }, row) {
  const { networks, same, climb } = question;
  const found = networks.flatMap((norm, place) => (norm ? [{ norm, place, ...reached(model, norms.indexOf(norm), climb, row) }] : []));
  const said = [row === null ? "highest" : "row", { reached: found.map(({ norm, value, end }) => ({ norm, value, end })) }];
  const most = Math.max(...found.map(({ value }) => value ?? -Infinity));
  if (most === -Infinity) return { answers: [], said };
  const level = found.filter(({ value }) => value !== null && most <= LEVEL * value);
  if (level.length > 1 && level.length === found.length && same !== null) return { answers: [same], said };
  return { answers: level.map(({ place }) => place), said };
}

/** Up to where one network learns: between which two bounds. */
function reach({ network, climb, bounds }, { norms, model }) {
  const { value, end } = reached(model, norms.indexOf(network), climb);
  const said = ["highest", { reached: [{ norm: network, value, end }] }];
  return { answers: value === null ? [] : [bounds.filter((bound) => value > bound).length], said };
}

/** What most of the plane is: both learn, one of the two alone, or neither. */
function most({ networks }, { model, norms }) {
  if (norms.join() !== networks.filter(Boolean).join()) return GONE;
  const counts = [0, 0, 0, 0, 0, 0];
  for (const kind of model.survivors()) counts[kind] += 1;
  const total = counts.reduce((sum, count) => sum + count, 0) - counts[UNKNOWN];
  if (!total) return { answers: null, said: ["failed", {}] };
  const shares = [counts[BOTH], counts[FIRST], counts[SECOND], counts[NEITHER] + counts[UNBROKEN]].map((count) => count / total);
  const largest = Math.max(...shares);
  return { answers: shares.flatMap((share, place) => (largest - share <= EVEN ? [place] : [])), said: ["most", { shares }] };
}

const KINDS = { highest, row: highest, reach, most };
