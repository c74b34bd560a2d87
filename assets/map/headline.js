// The headline of a map, computed from its cells. It states the ratio between the largest learning rates at which two
// networks learn. A headline is a key of `headline` in map.toml and the values for its text.

import { within } from "../live/lib/format.js";

const RATE = "learning_rate";
const LEVEL = 1.2; // if the ratio of two learning rates is below this factor, they count as equal
const COARSE = 1.5; // if the ratio of neighbouring rungs is at least this, the headline rounds its ratio to one digit

/**
 * Return the headline of a map.
 * @param norms the map's networks: [{name, label}, …]
 * @returns [key, values]
 */
export function headline(model, norms) {
  const climb = [model.across, model.up].find(({ knob }) => knob === RATE);
  if (model.networks.some(({ cells }) => cells.includes(null))) return ["drawing", {}];
  if (!model.networks.some(({ rows }) => rows.some(learns))) return [norms.length > 1 ? "nobody" : "nobody_one", {}];
  if (!climb) return counted(model, norms);
  const lines = linesAlong(model, climb);
  if (norms.length === 1) return reachOf(lines, norms[0], climb);
  const found = norms.slice(1).map((norm, index) => compared(lines, 0, index + 1, climb, norms));
  return found.reduce((best, each) => ((each[1].high ?? 0) > (best[1].high ?? 0) ? each : best));
}

const learns = ({ kind }) => kind === "learned";

/**
 * Return, for each line of cells along the learning-rate axis, one entry per network: {first, last}, the first and the
 * last place at which the network learned, or null if it did not learn.
 */
function linesAlong({ across, up, networks }, climb) {
  const level = climb === across;
  return Array.from({ length: (level ? up : across).cells }, (_, line) => networks.map((grid) => {
    const places = Array.from({ length: climb.cells }, (__, at) => at).filter((at) => learns(level ? grid.at(at, line) : grid.at(line, at)));
    return places.length ? { first: places[0], last: places.at(-1) } : null;
  }));
}

/** Return the headline that compares two networks. */
function compared(lines, one, other, climb, norms) {
  const both = lines.map((line) => [line[one], line[other]]).filter(([a, b]) => a && b);
  const names = { first: norms[one].label, label: norms[other].label };
  if (!both.length) {
    const alone = [one, other].filter((network) => lines.some((line) => line[network]));
    return alone.length === 1 ? ["only", { label: norms[alone[0]].label }] : ["elsewhere", names];
  }
  // If both networks learn up to the map's largest rate, the map does not show which network tolerates a higher rate.
  const last = climb.last;
  const told = both.filter(([a, b]) => a.last < last || b.last < last);
  const ratios = told.map(([a, b]) => climb.rungs[b.last] / climb.rungs[a.last]);
  const cut = told.some(([, b]) => b.last === last);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  if (ratios.length && high > LEVEL) {
    const plain = norms[one].name === "none" && norms[other].name === "batch" && low > 1 / LEVEL;
    return named(plain ? "gain_batch" : "gain", ratios, climb, cut, names);
  }
  if (ratios.length && low < 1 / LEVEL) {
    const back = told.some(([a]) => a.last === last);
    return named("gain", ratios.map((ratio) => 1 / ratio), climb, back, { first: names.label, label: names.first });
  }
  const lower = both.map(([a, b]) => climb.rungs[a.first] / climb.rungs[b.first]);
  if (Math.max(...lower) > LEVEL) return named("lower", lower, climb, false, names);
  if (Math.min(...lower) < 1 / LEVEL) return named("lower", lower.map((ratio) => 1 / ratio), climb, false, { first: names.label, label: names.first });
  return ["level", names];
}

/**
 * Return the headline for a range of ratios, for a single ratio (key ending in "_one"), or for a lower bound of the
 * ratio (key ending in "_least") if a network still learns at the map's largest rate.
 */
function named(key, ratios, climb, cut, names) {
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => short(ratio, climb));
  const kind = cut ? "_least" : low === high ? "_one" : "";
  return [`${key}${kind}`, { ...names, low, high }];
}

/** Round a ratio to as many digits as the spacing of the rungs justifies. */
function short(ratio, { rungs }) {
  const step = rungs.length > 1 ? rungs[1] / rungs[0] : 1;
  return Number(ratio.toPrecision(within(step >= COARSE && ratio >= COARSE ? 1 : 2, 1, 2)));
}

/** Return the headline for a single network: the largest learning rate at which it learns. */
function reachOf(lines, { label }, climb) {
  const values = lines.map(([line]) => line && climb.rungs[line.last]).filter(Boolean);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return [low === high ? "reach_one" : "reach", { label, low: climb.write(low), high: climb.write(high) }];
}

/** Return the headline for a map without a learning-rate axis: the number of cells in which networks learn. */
function counted({ networks }, norms) {
  const all = networks[0].cells.length;
  const where = (fits) => networks[0].cells.filter((_, cell) => fits(networks.map(({ cells }) => learns(cells[cell])))).length;
  if (norms.length === 1) return ["counts_one", { cells: where(([own]) => own), all }];
  if (norms.length > 2) return ["counts", { cells: where((own) => own.every(Boolean)), all }];
  const alone = [where(([a, b]) => a && !b), where(([a, b]) => b && !a)];
  const most = alone[0] > alone[1] ? 0 : 1;
  if (!alone[most]) return ["counts", { cells: where((own) => own.every(Boolean)), all }];
  return ["counts_only", { label: norms[most].label, cells: alone[most], all }];
}
