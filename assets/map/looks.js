// What each plane is painted with: by the chosen way of colouring, the networks, light or dark.

import { COLOURS, accuracyScale, breakScale, lossScale, membersOf, ratioScale, shareScale, survivorPaints } from "./scales.js";

// A network's second cues beside its colour, by the name that the charts have for its dash: dashes of an
// SVG line, and a marker.
const CUES = {
  solid: ["none", "circle"], dash: ["7 4", "diamond"], dot: ["2 3.5", "square"], dashdot: ["9 3 2 3", "cross"],
  longdash: ["13 4", "triangle"], longdashdot: ["13 4 2 4", "bar"],
};

export const SURVIVORS = "survivors";
export const RATIO = "ratio";
const SHARE = "share"; // of the seeds

/** The networks with the dashes of a line and a marker each. */
export function withCues(norms) {
  return norms.map((norm) => {
    const [dashes, symbol] = CUES[norm.dash] ?? CUES.solid;
    return { ...norm, dashes, symbol };
  });
}

/** The ways of colouring that there are for so many networks, and seeds a cell. */
export function coloursFor(norms, seeds) {
  return COLOURS.filter((name) => (name !== RATIO || norms.length === 2) && (name !== SHARE || seeds > 1));
}

/** The planes of a way of colouring: [{name, network: its number or null, large}, …]. */
export function planesFor(colour, norms, present) {
  if (colour === "ratio") return [{ name: RATIO, network: null, large: true }];
  const own = norms.map(({ name }, network) => ({ name, network, large: colour !== "outcome" }));
  if (colour !== "outcome") return own;
  const survivors = { name: SURVIVORS, network: null, large: true };
  return present ? [survivors] : [survivors, ...own];
}

/** What a plane is drawn from: {classes, paints, legend}. */
export function lookOf({ name, network }, colour, { model, data, norms }) {
  if (name === SURVIVORS) return { classes: model.survivors(), paints: survivorPaints(norms, data.dark) };
  if (name === RATIO) {
    const scale = ratioScale(norms, data.dark);
    return { classes: model.pairs(scale.classOf), paints: scale.paints };
  }
  const scale = scaleOf(colour, norms[network], data);
  return { classes: model.classes(network, scale.classOf), paints: scale.paints };
}

/** The legend's lines, in the colours of every network. */
export function legendOf(colour, { data, norms }) {
  if (colour === "ratio") return ratioScale(norms, data.dark).legend;
  const legends = norms.map((norm) => scaleOf(colour, norm, data).legend);
  // Beside maps in which what did not learn is hatched or crossed.
  const survivors = colour === "outcome" ? survivorsLegend(norms, data.dark) : [];
  return [...legends[0].map((entry, i) => {
    const paints = new Map(legends.flatMap((each) => each[i].paints).map((paint) => [JSON.stringify(paint), paint]));
    return { ...entry, paints: [...paints.values()] };
  }), ...survivors];
}

/** What the large map's colours mean, by who learns; of more than two networks only that none does. */
function survivorsLegend(norms, dark) {
  const paints = survivorPaints(norms, dark);
  const nobody = { paints: [paints[1]], key: norms.length === 2 ? "none_learned" : "nobody" };
  if (norms.length !== 2) return [nobody];
  const only = norms.map(({ label }, network) => ({ paints: [paints[1 + (1 << network)]], key: "only", values: { label } }));
  return [{ paints: [paints[4]], key: "both" }, ...only, nobody];
}

function scaleOf(colour, norm, { dark, steps }) {
  if (colour === "break_step") return breakScale(norm.colour, dark, steps);
  if (colour === SHARE) return shareScale(norm.colour, dark);
  return (colour === "loss" ? lossScale : accuracyScale)(norm.colour, dark);
}

/** How regions of survivors are called: class → ways to break the name into lines. */
export function regionNames({ norms, t, data, has }) {
  const list = new Intl.ListFormat(data.language, { type: "conjunction" });
  const count = norms.length;
  const one = (key, norm) => t(has(`region.${key}_${norm.name}`) ? `region.${key}_${norm.name}` : `region.${key}`, { label: norm.label });
  const name = (kind) => {
    const members = membersOf(kind, count);
    const all = count === 2 ? "both" : "all";
    if (members.length === count) return t(`region.${count === 1 ? "learns" : all}`);
    if (!members.length) return t(`region.${count === 1 ? "fails" : count === 2 ? "neither" : "nobody"}`);
    if (members.length === 1) {
      return one("only", norms[members[0]]);
    }
    const missing = norms.filter((_, network) => !members.includes(network));
    if (missing.length === 1) return one("all_but", missing[0]);
    return t("region.only", { label: list.format(members.map((network) => norms[network].label)) });
  };
  const sets = Array.from({ length: 1 << count }, (_, set) => [set + 1, inLines(name(set + 1))]);
  return new Map([...sets, [sets.length + 1, inLines(t("region.unbroken"))]]);
}

/** A name in one line, and in two about equally long ones. */
function inLines(text) {
  const words = text.split(" ");
  if (words.length < 2) return [[text]];
  const splits = words.slice(1).map((_, i) => [words.slice(0, i + 1).join(" "), words.slice(i + 1).join(" ")]);
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  return [[text], splits.reduce((best, lines) => (longest(lines) < longest(best) ? lines : best))];
}
