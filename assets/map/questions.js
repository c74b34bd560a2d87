// The questions that a class can be asked about a map: those that its axes allow.

import { MOST_ANSWERS, question } from "../live/class/questions.js";
import { capitalize } from "../live/lib/texts.js";
import { regionNames } from "./looks.js";

// A knob of which it can be asked how far up a network goes with it, the first one that is an axis.
const CLIMBED = ["learning_rate", "init_std", "depth"];
// Where on the other axis it is asked as well, where the two networks may change places.
const ENDS = { batch_size: 0, depth: -1 };
const [TICKS, BOUNDS] = [8, 3]; // round values of an axis, and how many of them part four answers
const ROUND = 6; // digits that such a value may have
const REGIONS = [4, 2, 3, 1]; // of two networks: both learn, the first alone, the second alone, neither

/**
 * @param view {data, model, norms, t, has}
 * @param norm the network that a question about one network asks about
 * @returns questions; none where no axis allows one
 */
export function questionsFor(view, norm = view.norms[0].name) {
  const { across, up } = view.model;
  const knob = CLIMBED.find((name) => [across.knob, up.knob].includes(name));
  const climb = knob === across.knob ? "across" : "up";
  const [axis, other] = climb === "across" ? [across, up] : [up, across];
  const climbs = knob !== undefined && axis.rungs.length > 1;
  return [
    climbs && view.norms.length > 1 ? highest(view, knob, climb) : null,
    climbs && view.norms.length > 1 ? atTheEnd(view, knob, climb, other) : null,
    view.norms.length === 2 ? most(view) : null,
    climbs ? reach(view, knob, climb, axis, norm) : null,
  ].filter(Boolean);
}

/** What every question of a map has. */
function asked(id, text, answers, more) {
  return question(id, id, text, answers, { climb: null, row: null, bounds: null, ...more });
}

/** The networks as answers, and that they are about the same where there is room for it. */
function networks({ norms, t }) {
  const named = norms.slice(0, MOST_ANSWERS);
  const answers = named.map(({ label }) => capitalize(label));
  const room = named.length < MOST_ANSWERS;
  return {
    answers: room ? [...answers, t("class.answer.same")] : answers,
    more: { networks: [...named.map(({ name }) => name), ...(room ? [null] : [])], same: room ? named.length : null },
  };
}

function highest(view, knob, climb) {
  const { answers, more } = networks(view);
  return asked("highest", view.t(`class.map.ask.highest.${knob}`), answers, { ...more, climb });
}

/** The same on the row, or the column, at the end where it is hardest. */
function atTheEnd(view, knob, climb, other) {
  if (!(other.knob in ENDS) || other.rungs.length < 2) return null;
  const value = other.rungs.at(ENDS[other.knob]);
  const text = view.t(`class.map.ask.row.${knob}`, { other: other.said, value: other.write(value) });
  const { answers, more } = networks(view);
  return asked("row", text, answers, { ...more, climb, row: value });
}

/** What the parts of the plane are called, in the order of the answers. */
export function regions(view) {
  const names = regionNames(view);
  return REGIONS.map((kind) => names.get(kind)[0][0]);
}

function most(view) {
  const answers = regions(view).map(capitalize);
  return asked("most", view.t("class.map.ask.most"), answers, { networks: [null, ...view.norms.map(({ name }) => name), null], both: 0, neither: 3 });
}

function reach(view, knob, climb, axis, norm) {
  const { t } = view;
  const ticks = axis.ticks(TICKS).map(({ at }) => Number(axis.value(at).toPrecision(ROUND)));
  const inside = ticks.filter((value) => value > axis.rungs[0] && value < axis.rungs.at(-1));
  if (inside.length < BOUNDS) return null;
  const bounds = [1, 2, 3].map((part) => inside[Math.floor((part * inside.length) / (BOUNDS + 1))]);
  const [low, middle, high] = bounds.map((value) => axis.write(value));
  const between = (from, to) => t("class.map.answer.between", { from, to });
  const answers = [t("class.map.answer.up_to", { to: low }), between(low, middle), between(middle, high), t("class.map.answer.over", { from: high })];
  const { label } = view.norms.find(({ name }) => name === norm) ?? view.norms[0];
  const text = t(`class.map.ask.reach${view.norms.length > 1 ? "" : "_one"}.${knob}`, { label: capitalize(label) });
  return asked("reach", text, answers, { network: norm, climb, bounds });
}
