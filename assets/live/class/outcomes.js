// What came of a question, computed from the run. Pure: what was measured goes in, which answers came
// true and the numbers of a sentence come out. Nobody is called right or wrong.

/** Steps of the run after which each kind of question is settled, counted from the moment of asking. */
export const STEPS = { breaks: 200, first: 1000, accuracy: 100, layer: 200, ahead: 100 };
const WINDOW = 20; // steps at the end over which an accuracy is averaged: one mini-batch more moves it about
const SAME = 0.02; // accuracies no further apart than this are the same: some test images either way
const CHANCE_MARGIN = 0.05; // as the engine has it: so near to guessing a network is at chance

/**
 * @param question {kind, steps, networks: the norm of each answer or null, network: the norm asked about, depth}
 * @param from where it was asked: {step, broken: {norm: step} of what had broken by then, until: the last
 *   step that counts, where that is not as many steps later as the question says}
 * @param run {step, ended, breaks: {norm: as a frame has it}, states: {norm: state}, chance,
 *   accuracy: (norm) => {steps, values}}
 * @returns null while it is open; {answers: indices that came true, or null where it cannot be said,
 *   said: [[key, values], …], the sentences' keys and numbers}
 */
export function outcome(question, from, run) {
  const judge = KINDS[question.kind];
  if (!judge) return null;
  const until = from.until ?? from.step + question.steps;
  const lacks = [...question.networks, question.network].some((norm) => norm && !(norm in run.states));
  if (lacks) return { answers: null, said: [["gone", {}]] };
  return judge(question, { ...from, until, over: run.ended || run.step >= until }, run);
}

/** Breaks since the question was asked, the earliest first. A run that had not begun had none before. */
function breaksSince({ step: asked, broken, until }, { breaks }) {
  return Object.entries(breaks)
    .filter(([norm, { step }]) => step <= until && (asked === 0 || broken[norm] !== step))
    .map(([norm, { step, layer }]) => ({ norm, step, layer }))
    .sort((one, other) => one.step - other.step);
}

function breaks(question, from, run) {
  const norms = question.networks.filter(Boolean);
  const since = breaksSince(from, run).filter(({ norm }) => norms.includes(norm));
  if (!from.over && since.length < norms.length) return null;
  const said = since.map(({ norm, step }) => [run.states[norm] === "recovered" ? "broke_recovered" : "broke", { norm, step }]);
  const before = norms.filter((norm) => run.breaks[norm]?.step <= from.until && !since.some((one) => one.norm === norm));
  said.push(...before.map((norm) => ["broken_before", { norm, step: run.breaks[norm].step }]));
  return { answers: whichBroke(question, since), said: since.length ? said : [noneBroke(from, run), ...said] };
}

/** The places of the networks that broke; of the answers "both" and "neither" stand for a pair. */
function whichBroke({ networks, both, neither }, since) {
  if (!since.length) return neither === null ? [] : [neither];
  if (both !== null && since.length > 1) return [both];
  return since.map(({ norm }) => networks.indexOf(norm)).sort((one, other) => one - other);
}

function noneBroke({ step: asked, until }, { step, ended }) {
  const last = Math.min(until, step);
  return [ended && step < until ? "none_ended" : "none_broke", { steps: last - asked, step: last }];
}

function first(question, from, run) {
  const norms = question.networks.filter(Boolean);
  const since = breaksSince(from, run).filter(({ norm }) => norms.includes(norm));
  if (!since.length) return from.over ? { answers: whichBroke(question, []), said: [noneBroke(from, run)] } : null;
  const earliest = since.filter(({ step }) => step === since[0].step);
  return {
    answers: earliest.map(({ norm }) => question.networks.indexOf(norm)),
    said: earliest.map(({ norm, step }) => [earliest.length > 1 ? "broke" : "broke_first", { norm, step }]),
  };
}

function layer({ network: norm, depth }, from, run) {
  // Of a network that has broken already it can be asked as well where that began.
  const found = run.breaks[norm]?.step <= from.until ? run.breaks[norm] : null;
  const none = depth > 2 ? 3 : 2;
  if (!found) return from.over ? { answers: [none], said: [noneBroke(from, run)] } : null;
  const { step, layer: where, key, moved, moved_at: movedAt } = found;
  const number = numberOf(where);
  if (!number) return { answers: [none], said: [[where === "output" ? "layer_output" : "layer_none", { norm, step }]] };
  const place = number === 1 ? 0 : number === depth ? none - 1 : 1;
  const said = [["layer_first", { norm, step, number }], ...(key ? [[`rule_${key}`, {}]] : [])];
  if (numberOf(moved)) said.push(["moved_first", { number: numberOf(moved), step: movedAt }]);
  return { answers: [place], said };
}

/** Of "layer 3"; 0 of what is no layer. */
function numberOf(name) {
  return Number(/^layer (\d+)$/.exec(name ?? "")?.[1] ?? 0);
}

function accuracy({ network: norm }, from, run) {
  if (!from.over) return null;
  const before = lastUntil(run.accuracy(norm), from.step);
  const after = meanUntil(run.accuracy(norm), from.step, Math.min(from.until, run.step));
  if (!before || !after) return run.ended ? { answers: null, said: [["not_measured", { norm }]] } : null;
  const values = { norm, before: before.value, from: from.step, after: after.value, first: after.first, last: after.last };
  if (!Number.isFinite(after.value)) return { answers: [3], said: [["accuracy_stopped", values]] };
  const said = [["accuracy", values]];
  const change = after.value - before.value;
  const chance = run.chance + CHANCE_MARGIN;
  if (after.value <= chance && before.value > chance) return { answers: [3], said: [...said, ["chance", { share: run.chance }]] };
  return { answers: [change > SAME ? 0 : change < -SAME ? 2 : 1], said };
}

function ahead({ networks, same }, from, run) {
  if (!from.over) return null;
  const last = Math.min(from.until, run.step);
  const reached = networks.flatMap((norm, place) => {
    const found = norm && meanUntil(run.accuracy(norm), from.step, last);
    return found ? [{ norm, place, value: Number.isFinite(found.value) ? found.value : 0, last: found.last }] : [];
  }).sort((one, other) => other.value - one.value);
  if (reached.length < networks.filter(Boolean).length) return run.ended ? { answers: null, said: [] } : null;
  const close = reached[0].value - reached[1].value <= SAME;
  const said = reached.map(({ norm, value, last: step }) => ["reached", { norm, share: value, step }]);
  return { answers: close ? (same === null ? [] : [same]) : [reached[0].place], said };
}

/** The newest value measured by a step; null where there is none. */
export function lastUntil({ steps, values }, until) {
  const at = steps.findLastIndex((step) => step <= until);
  return at < 0 ? null : { step: steps[at], value: values[at] };
}

/**
 * The mean of what was measured in the last steps before one, and after the question; where the kept
 * past has nothing there, the nearest value on either side, the later one first.
 *
 * @returns {value, first, last: the steps it was measured at}; null where nothing is known
 */
export function meanUntil({ steps, values }, from, until) {
  const within = steps.flatMap((step, i) => (step > Math.max(from, until - WINDOW) && step <= until ? [i] : []));
  if (within.length) {
    const value = within.reduce((sum, i) => sum + values[i], 0) / within.length;
    return { value, first: steps[within[0]], last: steps[within.at(-1)] };
  }
  const later = steps.findIndex((step) => step > until);
  const at = later >= 0 ? later : steps.findLastIndex((step) => step > from);
  return at < 0 ? null : { value: values[at], first: steps[at], last: steps[at] };
}

const KINDS = { breaks, first, layer, accuracy, ahead };
