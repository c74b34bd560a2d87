// The widget *cut the network*. It joins a network's lower layers, as they were at one training step, to its upper
// layers, as they were at another step. The run has measured all combinations, and the reader chooses which one to
// show.

import { button, differsFromLast, fill, h, s, setHidden, setText } from "../live/lib/dom.js";
import { formatNumber, percent, within } from "../live/lib/format.js";
import { wayOf } from "../live/lib/keyboard_focus.js";
import { Switch } from "./lib/controls.js";
import { level, setSize } from "./lib/svg.js";
import { Widget, mountable } from "./lib/widget.js";

// px; height of the histogram between the two halves of the network, y of its axis, and y of its highest bin
const [HEIGHT, FLOOR, TOP] = [104, 84, 6];
const FAINTEST = 0.12; // weakest colour of a cell, as a fraction of the strongest colour

class CutNetwork extends Widget {
  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ start, networks }) {
    this.chosen ??= { ...start };
    if (!(this.chosen.network in networks)) this.chosen.network = Object.keys(networks)[0];
  }

  builtOf({ labels, cuts }) {
    return [labels, cuts];
  }

  build({ labels, cuts, networks }) {
    const { t } = this;
    const step = (name) => (index) => this.choose({ [name]: this.measured.steps[index] });
    const written = (index) => String(this.measured?.steps[index] ?? t("missing"));
    this.network = this.choice("network", Object.keys(networks), (norm) => labels[norm]);
    this.cut = this.slider("cut", { min: cuts[0], max: cuts.at(-1) });
    this.lower = this.slider("s", { max: 0, write: written, oninput: step("s") });
    this.upper = this.slider("t", { max: 0, write: written, oninput: step("t") });
    this.random = new Switch({ label: t("random"), onchange: (random) => this.choose({ random }) });
    this.halves = new Halves(t);
    this.grid = new AccuracyGrid(t, (s, upper) => this.choose({ s: this.measured.steps[s], t: this.measured.steps[upper] }));
    fill(this.body,
      h("div.bnviz-widget-controls", this.network, this.cut),
      this.halves,
      h("div.bnviz-widget-controls", this.lower, this.upper), this.random, this.grid);
  }

  draw() {
    const { data } = this;
    const { network, cut, random } = this.chosen;
    this.measured = measurementsOf(data.networks[network], cut, random);
    const { steps } = this.measured;
    // If no measured step is chosen, use the latest measured step.
    const [s, t] = [this.chosen.s, this.chosen.t].map((step) => (steps.includes(step) ? steps.indexOf(step) : steps.length - 1));
    for (const [name, colour] of Object.entries(this.colours[network])) this.root.style.setProperty(`--${name}`, colour);
    this.network.show(network);
    setHidden(this.network.element, Object.keys(data.networks).length < 2);
    this.cut.show(cut);
    const sliders = { max: Math.max(0, steps.length - 1), disabled: !steps.length };
    this.lower.show(Math.max(0, s), sliders);
    this.upper.show(Math.max(0, t), sliders);
    this.random.show(random);
    this.#show({ network, cut, random, s, t });
  }

  #show({ network, cut, random, s, t }) {
    const { data, t: words } = this;
    const { steps, accuracies, wander, passes, edges } = this.measured;
    const [lowerStep, upperStep] = [s, t].map((index) => steps[index] ?? words("missing"));
    const written = (value) => (value === null ? words("not_finite") : percent(value, 1));
    const accuracy = accuracies[s]?.[t];
    const halves = { cut, depth: data.depth, lowerStep, upperStep, random, accuracy: steps.length ? written(accuracy) : words("missing") };
    this.halves.draw(halves, { passes, edges, s, t });
    // all steps with saved weights, including steps that the run has not reached yet
    const keep = [...steps, ...data.keep.filter((step) => !(step <= steps.at(-1)))];
    const known = accuracies.flat().filter((value) => value !== null);
    const range = known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
    this.grid.draw({ keep, values: accuracies, range, s, t, random });
    this.fillTable([`${words("s")} ↓ · ${words("t")} →`, ...steps.map(String)],
      accuracies.map((row, i) => [String(steps[i]), ...row.map(written)]));
    if (!steps.length) return this.tell(words("waiting"), null);
    const [own, moved] = [accuracies[t][t], wander[s][t]];
    const key = s === t ? "diagonal" : random ? "other_random" : "other";
    this.tell(
      words(key, { s: lowerStep, t: upperStep, value: written(accuracy), own: written(own), wander: moved === null ? words("not_finite") : formatNumber(moved) }),
      { network, cut, s: lowerStep, t: upperStep, random, accuracy, own, wander: moved });
  }
}

/**
 * Return the measurements of a cut network at the steps with saved weights.
 * @param values measurements of the network by cut, see bnviz/ui/lesson_widgets.py
 * @param random whether the lower half was perturbed at random
 * @returns {steps [K]; accuracies [K][K] by step of the lower and of the upper half; wander [K][K]: how far the outputs
 * of the lower half moved between two steps; passes [K][bins]: histograms of these outputs, or null; edges of the bins}
 */
function measurementsOf(values, cut, random) {
  if (!values?.steps.length) return { steps: [], accuracies: [], passes: null };
  const at = Math.max(0, values.cuts.indexOf(cut));
  return { ...values, accuracies: values[random ? "random" : "accuracy"][at], wander: values.wander[at], passes: values.passes[at] };
}

/**
 * The two halves of the network as boxes with one bar per layer. Between the boxes is the histogram of the lower half's
 * outputs.
 */
class Halves {
  #t;

  constructor(t) {
    this.#t = t;
    this.lower = half("F₁");
    this.upper = half("F₂");
    this.svg = s("svg", { "aria-hidden": "true" });
    this.legend = h("small");
    this.value = h("span.bnviz-cut-accuracy");
    this.element = h("div.bnviz-cut", this.lower,
      h("div.bnviz-cut-passes", h("small", t("passes")), this.svg, this.legend), this.upper,
      h("div.bnviz-cut-score", this.value, h("small", t("accuracy"))));
  }

  /**
   * @param view {cut, depth, lowerStep, upperStep, random: whether the lower half was perturbed at random,
   *   accuracy: text}
   * @param rows {passes [K][bins] or null, edges, s and t: indices of the steps of the lower and the upper half}
   */
  draw({ cut, depth, lowerStep, upperStep, random, accuracy }, rows) {
    const t = this.#t;
    const lowerWords = random ? t("moved", { step: upperStep }) : t("of_step", { step: lowerStep });
    show(this.lower, cut, t(cut === 1 ? "lower_one" : "lower", { first: 1, last: cut }), lowerWords);
    const above = depth - cut;
    show(this.upper, above, t(above === 1 ? "upper_one" : "upper", { first: cut + 1, last: depth }), t("of_step", { step: upperStep }));
    setText(this.value, accuracy);
    setText(this.legend, rows.passes ? t("ghost", { step: upperStep }) : "");
    this.#drawPasses(rows, random);
  }

  /**
   * Draw two histograms of the lower half's outputs: a filled one for the step of the lower half, and a dotted one for
   * the step of the upper half. The histograms of all steps have the same scale.
   */
  #drawPasses({ passes, edges, s: now, t: then }, random) {
    const width = this.svg.parentElement.clientWidth;
    setSize(this.svg, width, HEIGHT);
    if (!passes || !width) return this.svg.replaceChildren();
    const highest = Math.max(...passes.flat(), 1e-9);
    const bins = passes[now].length;
    const x = (bin) => 4 + (bin / bins) * (width - 8);
    const y = (share) => FLOOR - (share / highest) * (FLOOR - TOP);
    const outline = (shares) => `M${x(0)} ${FLOOR}${shares.map((share, bin) => `V${y(share).toFixed(1)}H${x(bin + 1).toFixed(1)}`).join("")}V${FLOOR}`;
    const named = [0, bins / 2, bins].filter((bin) => Number.isInteger(bin));
    this.svg.replaceChildren(
      ...(random ? [] : [s("path.bnviz-cut-hill", { d: outline(passes[now]) })]),
      s("path.bnviz-cut-ghost", { d: outline(passes[then]) }),
      level("bnviz-line-axis", x(0), x(bins), FLOOR),
      ...named.map((bin, i) => s("text.bnviz-cut-edge", { x: x(bin), y: FLOOR + 14, "text-anchor": ["start", "middle", "end"][i] }, formatNumber(edges[bin]))));
  }
}

function half(name) {
  const parts = { bars: h("div.bnviz-cut-bars", { "aria-hidden": true }), layers: h("small"), step: h("b") };
  return { ...parts, element: h("div.bnviz-cut-half", h("i", name), parts.bars, parts.layers, parts.step) };
}

function show({ bars, layers, step }, count, words, of) {
  if (bars.children.length !== count) fill(bars, Array.from({ length: count }, () => h("span")));
  setText(layers, words);
  setText(step, of);
}

/**
 * Grid of accuracies by the steps of both halves. A stronger colour means a higher accuracy. The cells on the diagonal
 * show the network as it was trained. Selecting a cell sets both steps.
 */
class AccuracyGrid {
  #t;
  #onchoose;
  #isNew = differsFromLast(); // detects changes in the steps
  #cells = [];
  #count = 0;

  /** @param onchoose called with the indices of the lower half's and the upper half's step */
  constructor(t, onchoose) {
    this.#t = t;
    this.#onchoose = onchoose;
    this.grid = h("div.bnviz-map-grid", { role: "grid", onkeydown: (event) => this.#key(event) });
    this.low = h("span");
    this.high = h("span");
    this.caption = h("span");
    this.element = h("figure.bnviz-widget-figure.bnviz-map", this.grid,
      h("figcaption", h("span.bnviz-map-scale", { "aria-hidden": true }, this.low, h("i"), this.high), this.caption));
  }

  /**
   * @param view {keep: all steps with saved weights, including future ones; values [K][K]; range; s, t: indices of the
   *   selected steps; random}
   */
  draw({ keep, values, range: [low, high], s, t, random }) {
    if (this.#isNew(keep)) this.#build(keep);
    this.#count = values.length;
    [this.s, this.t] = [s, t];
    setText(this.low, tenths(low));
    setText(this.high, tenths(high));
    const caption = this.#t(random ? "map_random" : "map");
    setText(this.caption, caption);
    this.grid.setAttribute("aria-label", caption);
    this.#cells.forEach((row, i) => row.forEach((cell, j) => {
      const value = values[i]?.[j];
      const known = i < values.length && j < values.length;
      const share = value === null || !known ? 0 : (value - low) / Math.max(high - low, 1e-9);
      const text = !known ? this.#t("missing") : value === null ? "∞" : tenths(value);
      setText(cell, text);
      cell.disabled = !known;
      cell.style.setProperty("--full", known && value !== null ? String(FAINTEST + (1 - FAINTEST) * share) : "0");
      cell.classList.toggle("bnviz-map-chosen", known && i === s && j === t);
      cell.tabIndex = i === s && j === t ? 0 : -1;
      const place = random && i !== j ? "cell_random" : "cell";
      cell.setAttribute("aria-label", this.#t(place, { s: keep[i], t: keep[j], value: text }));
    }));
  }

  #build(keep) {
    this.grid.style.setProperty("--columns", keep.length);
    this.#cells = keep.map((_, i) => keep.map((__, j) =>
      button("", () => this.#onchoose(i, j), { className: i === j ? "bnviz-map-cell bnviz-map-own" : "bnviz-map-cell" })));
    const head = (text, role) => h("div.bnviz-map-head", { role }, text);
    fill(this.grid,
      h("div.bnviz-graph-part", { role: "row" }, head("", "columnheader"), keep.map((step) => head(String(step), "columnheader"))),
      this.#cells.map((cells, i) => h("div.bnviz-graph-part", { role: "row" }, head(String(keep[i]), "rowheader"),
        cells.map((cell) => h("div.bnviz-graph-part", { role: "gridcell" }, cell)))));
  }

  #key(event) {
    const way = wayOf(event);
    if (!way) return;
    event.preventDefault();
    const last = this.#count - 1;
    this.#onchoose(within(this.s + way[1], 0, last), within(this.t + way[0], 0, last));
    this.#cells[this.s][this.t].focus();
  }
}

/** Format a fraction in percent, with one decimal and without the percent sign. */
const tenths = (share) => (100 * share).toFixed(1);

export default mountable(CutNetwork);
