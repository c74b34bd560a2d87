// The ways of colouring a map: which there are, which planes each has, what is painted on these, how its legend and
// its regions are named; and the heading with which a reader chooses one.

import { stabilityMap } from "../contract.js";
import { differsFromLast, fill, h, setText } from "../live/lib/dom.js";
import { joinList } from "../live/lib/joining.js";
import { Choice } from "../widgets/lib/controls.js";
import { headlineOf } from "./headline.js";
import { membersOf, paletteOf, ratioScale, scaleOf, survivorPaints } from "./colour_scales.js";

// By the name that the charts have for a network's dash: the dashes of an SVG line, and the marker.
const CUES = {
  solid: ["none", "circle"], dash: ["7 4", "diamond"], dot: ["2 3.5", "square"], dashdot: ["9 3 2 3", "cross"],
  longdash: ["13 4", "triangle"], longdashdot: ["13 4 2 4", "bar"],
};

/** The name of the plane that shows which networks learned where. */
export const SURVIVORS = "survivors";
const HEADING = ".map-headline"; // drawn by the page's script
const RATIO = "ratio"; // of two networks' accuracies: a way of colouring, and the name of its plane
const MOST_HILLS = 40; // columns: above that cells are plain colours
const SHARE = "share"; // of the seeds that learned: a way of colouring

/** The networks, each with the dashes of its lines and its marker. */
export function withCues(norms) {
  return norms.map((norm) => {
    const [dashes, symbol] = CUES[norm.dash] ?? CUES.solid;
    return { ...norm, dashes, symbol };
  });
}

/** The ways of colouring for these networks, and so many seeds in a cell. */
export function coloursFor(norms, seeds) {
  return stabilityMap.colours.filter((name) => (name !== RATIO || norms.length === 2) && (name !== SHARE || seeds > 1));
}

/** The planes of a way of colouring: [{name, network: number, or null: of several}, …]. */
export function planesFor(colour, norms) {
  if (colour === RATIO) return [{ name: RATIO, network: null }];
  if (colour === "outcome") return [{ name: SURVIVORS, network: null }];
  return norms.map(({ name }, network) => ({ name, network }));
}

/** Whether the cells of the plane of survivors show hills. */
export function showsHills({ across }) {
  return across.rungs.length <= MOST_HILLS;
}

/** What is painted on a plane: {classes: by cell, paints: by class}. */
export function lookOf({ name, network }, colour, { model, data, norms }) {
  if (name === SURVIVORS) return { classes: model.survivors(), paints: survivorPaints(norms, paletteOf(data), showsHills(model)) };
  if (name === RATIO) {
    const scale = ratioScale(norms, paletteOf(data));
    return { classes: model.pairs(scale.classOf), paints: scale.paints };
  }
  const scale = scaleOf(colour, norms[network], data);
  return { classes: model.classes(network, scale.classOf), paints: scale.paints };
}

/** The entries of the legend, each with the paints of all networks. */
export function legendOf(colour, { data, norms, model }) {
  if (colour === RATIO) return ratioScale(norms, paletteOf(data)).legend;
  if (colour === "outcome") return survivorsLegend(norms, paletteOf(data), showsHills(model));
  const legends = norms.map((norm) => scaleOf(colour, norm, data).legend);
  return legends[0].map((entry, i) => {
    const paints = new Map(legends.flatMap((each) => each[i].paints).map((paint) => [JSON.stringify(paint), paint]));
    return { ...entry, paints: [...paints.values()] };
  });
}

/** The entries for the plane of survivors: who learns where, and what the lines are. */
function survivorsLegend(norms, colours, quiet) {
  const paints = survivorPaints(norms, colours, quiet);
  const everyone = 1 << norms.length;
  const slow = { paints: [paints[everyone + 1]], key: "slow" };
  const nobody = { paints: [paints[1]], key: norms.length === 1 ? "broke_one" : norms.length === 2 ? "none_learned" : "nobody" };
  const all = { paints: [paints[everyone]], key: norms.length === 1 ? "learns" : norms.length === 2 ? "both" : "all" };
  const only = norms.length === 2 ? norms.map(({ label }, network) => ({ paints: [paints[1 + (1 << network)]], key: "only", values: { label } })) : [];
  return [all, ...only.reverse(), slow, nobody, { paints: norms.map(({ colour }) => ({ line: colour })), key: "line" }];
}

/** The names of the regions on the plane of survivors: by class the ways to break the name into lines. */
export function regionNames(view) {
  const sets = 1 << view.norms.length;
  return new Map(Array.from({ length: sets + 1 }, (_, set) => [set + 1, inLines(regionPhrase(view, set + 1).text)]));
}

/** The name of a region on the plane of survivors, by its class, as a phrase. */
export function regionPhrase({ norms, t, data }, kind) {
  const count = norms.length;
  const named = (key, values = {}) => ({ key: `map.view.region.${key}`, values, text: t(`region.${key}`, values) });
  const one = (key, { name, label }) =>
    t.has(`region.${key}_${name}`) ? named(`${key}_${name}`) : named(key, { label: { key: `norms.${name}.network`, text: label } });
  if (kind > 1 << count) return named("unbroken");
  const members = membersOf(kind, count);
  if (members.length === count) return named(count === 1 ? "learns" : count === 2 ? "both" : "all");
  if (!members.length) return named(count === 1 ? "fails" : count === 2 ? "neither" : "nobody");
  if (members.length === 1) return one("only", norms[members[0]]);
  const missing = norms.filter((_, network) => !members.includes(network));
  if (missing.length === 1) return one("all_but", missing[0]);
  const list = new Intl.ListFormat(data.language, { type: "conjunction" });
  return named("only", { label: list.format(members.map((network) => norms[network].label)) });
}

/** A name as one line, and as two of about equal length. */
function inLines(text) {
  const words = text.split(" ");
  if (words.length < 2) return [[text]];
  const splits = words.slice(1).map((_, i) => [words.slice(0, i + 1).join(" "), words.slice(i + 1).join(" ")]);
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  return [[text], splits.reduce((best, lines) => (longest(lines) < longest(best) ? lines : best))];
}

/** The heading over the planes, and the choice of what their cells are coloured by. */
export class ColouringHeading {
  element = h("h2");
  choice = h("div.bnviz-stability-choice");
  title = { main: "", sub: "" };
  #view;
  #isNew = differsFromLast(); // by what the choice is made of
  #colourOfPage = null; // that the page's script named last

  constructor(view) {
    this.#view = view;
  }

  /** The page has new data, perhaps with another way of colouring, other networks or another language. */
  update() {
    const { t, data, norms } = this.#view;
    const names = coloursFor(norms, data.seeds);
    if (this.#colourOfPage !== data.colour) this.#view.colour = this.#colourOfPage = data.colour;
    if (!names.includes(this.#view.colour)) this.#view.colour = "outcome";
    if (this.#isNew([names, data.language])) {
      this.picker = new Choice({ label: t("colour.label"), options: names.map((name) => [name, t(`colour.${name}`)]), onchange: (name) => this.#choose(name) });
      fill(this.choice, this.picker);
    }
    this.picker.show(this.#view.colour);
    this.#setTitle();
  }

  #choose(name) {
    this.#view.colour = name;
    this.#setTitle();
    this.#view.planes.update();
    this.#view.send("colour", name);
  }

  #setTitle() {
    const { t, data, colour } = this.#view;
    const values = { steps: data.steps, dataset: data.dataset, seeds: data.seeds };
    const kind = data.equal === "data" ? "data" : "steps";
    const main = this.#headline() ?? t(colour === "outcome" ? `title.${kind}` : `title.${colour}`, values);
    // The number of steps stands in this title itself.
    const each = colour === "outcome" && kind === "steps" ? [] : [t(`title.each_${kind}`, values)];
    const parts = [...each, data.seeds > 1 ? t("title.seeds", values) : t("title.seed"), t("title.dataset", values)];
    this.title = { main, sub: joinList(parts) };
    fill(this.element, main, " ", h("small", this.title.sub));
    // The page's heading is above its setting.
    const heading = document.querySelector(HEADING);
    if (heading) setText(heading, main);
  }

  /** What the cells say in one sentence; null: the title of the colouring says more. */
  #headline() {
    const { t, data, colour, model, answer, norms } = this.#view;
    if (colour !== "outcome" || data.across.knob !== "learning_rate") return null;
    if (answer?.status !== "finished") return t("headline.drawing");
    const found = headlineOf(model.spans().map(({ spans }) => spans), norms, model.across.rungs.at(-1));
    return found && t(`headline.${found.key}`, found.values);
  }

  /** The cells, or how far the map is, have changed. */
  draw() {
    if (this.#view.model) this.#setTitle();
  }
}
