// The ways of colouring a map. Each way of colouring defines the paint of a cell, the legend and the names of regions.
// The reader chooses one in the heading.

import { stabilityMap } from "../contract.js";
import { differsFromLast, fill, h, setText } from "../live/lib/dom.js";
import { joinList } from "../live/lib/joining.js";
import { capitalize } from "../live/lib/texts.js";
import { Choice } from "../widgets/lib/controls.js";
import { NOBODY, membersOf, paletteOf, ratioScale, scaleOf, survivorPaints } from "./colour_scales.js";
import { headline } from "./headline.js";
import { survivorsOf } from "./model.js";

// SVG dash pattern and marker of a network's line (`CUES`), by the name of the dash pattern in the charts.
const HEADING = ".map-headline"; // heading that the Streamlit script draws
const CUES = {
  solid: ["none", "circle"], dash: ["7 4", "diamond"], dot: ["2 3.5", "square"], dashdot: ["9 3 2 3", "cross"],
  longdash: ["13 4", "triangle"], longdashdot: ["13 4 2 4", "bar"],
};

const RATIO = "ratio"; // the way of colouring by the ratio of two networks' accuracies
const SHARE = "share"; // the way of colouring by the fraction of seeds with which a network learned

/** Return the networks, each with the dash pattern and the marker of its lines. */
export function withCues(norms) {
  return norms.map((norm) => {
    const [dashes, symbol] = CUES[norm.dash] ?? CUES.solid;
    return { ...norm, dashes, symbol };
  });
}

/** Return the ways of colouring that apply to these networks and this number of seeds per cell. */
export function coloursFor(norms, seeds) {
  return stabilityMap.colours.filter((name) => (name !== RATIO || norms.length === 2) && (name !== SHARE || seeds > 1));
}

/**
 * Return the function that determines the paints of a cell for a way of colouring.
 * @returns function that takes a cell's rows, one per network, and returns {ground: background paint, or null; parts:
 * paint of each network over the background, or null; tones: tone of each network's hill, or null}
 */
export function lookOf(colour, { data, norms }) {
  const palette = paletteOf(data);
  if (colour === RATIO) {
    const { classOf, paints } = ratioScale(norms, palette);
    return (rows) => ({ ground: paints[classOf(...rows)], parts: [], tones: null });
  }
  if (colour !== "outcome") {
    const scales = norms.map((norm) => scaleOf(colour, norm, data));
    return (rows) => ({ ground: null, parts: rows.map((row, network) => scales[network].paints[scales[network].classOf(row)]), tones: null });
  }
  const paints = survivorPaints(norms, palette);
  return (rows) => {
    const kind = survivorsOf(rows);
    const dark = kind === NOBODY;
    const toneOf = ({ kind: own }) => (dark ? "dark" : own === "learned" ? "full" : "pale");
    // A network that did not break but learned too slowly gets a hatch behind its hill (histogram), unless the whole
    // cell is dark or hatched.
    const slow = { hatch: palette.edge };
    return { ground: paints[kind], parts: rows.map((row) => (!dark && kind <= 1 << norms.length && row.kind === "stuck" ? slow : null)), tones: rows.map(toneOf) };
  };
}

/** Return the entries of the legend, each with the paints of all networks. */
export function legendOf(colour, { data, norms }) {
  if (colour === RATIO) return ratioScale(norms, paletteOf(data)).legend;
  if (colour === "outcome") return survivorsLegend(norms, paletteOf(data));
  const legends = norms.map((norm) => scaleOf(colour, norm, data).legend);
  return legends[0].map((entry, i) => {
    const paints = new Map(legends.flatMap((each) => each[i].paints).map((paint) => [JSON.stringify(paint), paint]));
    return { ...entry, paints: [...paints.values()] };
  });
}

/**
 * Return the legend for the backgrounds of cells with hills (histograms). If there are more than two networks, the
 * striped backgrounds for several networks are left out.
 */
function survivorsLegend(norms, colours) {
  const paints = survivorPaints(norms, colours);
  const count = norms.length;
  const everyone = { paints: [paints[1 << count]], key: count === 1 ? "learns" : count === 2 ? "both" : "all" };
  const only = count === 1 ? [] : norms.map(({ label }, network) => ({ paints: [paints[1 + (1 << network)]], key: "only", values: { label } })).reverse();
  return [everyone, ...only, { paints: [paints[NOBODY]], key: count === 1 ? "fails" : count === 2 ? "neither" : "nobody" },
    { paints: [paints.at(-1)], key: "slow" }];
}

/**
 * Return a phrase that names a region of the map. `kind` is the class of the region's cells in the model's `survivors`:
 * it says which networks learn there.
 */
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

/** Heading above the planes. It contains the control with which the reader chooses the way of colouring. */
export class ColouringHeading {
  element = h("h2");
  choice = h("div.bnviz-stability-choice");
  title = { main: "", sub: "" };
  #view;
  #isNew = differsFromLast(); // detects changes in the options of the choice
  #colourOfPage = null; // the way of colouring that the Streamlit script last sent

  constructor(view) {
    this.#view = view;
  }

  /** Handle new page data, which may contain another way of colouring, other networks or another language. */
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

  /** Update the title after new cells have arrived. */
  tell() {
    this.#setTitle();
  }

  /** Return the headline for the cells received so far (see `headline` in headline.js). */
  #headline() {
    const { t, model, norms } = this.#view;
    const [key, values] = headline(model, norms);
    return capitalize(t(`headline.${key}`, values));
  }

  #setTitle() {
    const { t, data, colour } = this.#view;
    const values = { steps: data.steps, dataset: data.dataset, seeds: data.seeds };
    const kind = data.equal === "data" ? "data" : "steps";
    const main = colour === "outcome" ? this.#headline() : t(`title.${colour}`, values);
    const parts = [t(`title.each_${kind}`, values), data.seeds > 1 ? t("title.seeds", values) : t("title.seed"), t("title.dataset", values)];
    this.title = { main, sub: joinList(parts) };
    fill(this.element, main, " ", h("small", this.title.sub));
    // Also update the heading of the page, which is outside this component.
    const heading = document.querySelector(HEADING);
    if (heading) setText(heading, main);
  }
}
