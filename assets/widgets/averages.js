// The widget *averages*. It shows how a running average is composed, and how far the variance of a mini-batch falls
// short of the variance of all images, in layer 1 of a trained network.

import { h, s, setText, table } from "../live/lib/dom.js";
import { formatNumber, percent } from "../live/lib/format.js";
import { drawShares, words } from "./lib/svg.js";
import { ComingNetworks, randomNumbers, statistics } from "./lib/trained_networks.js";
import { Widget, mountable } from "./lib/widget.js";

const LADDER = [1, 2, 3, 5, 7, 10, 15, 20, 22, 30, 50, 70, 100, 150, 230, 300, 500, 700, 1000, 1500, 2302, 3000]; // steps taken
const NEWEST = 24; // number of the latest values that have a bar of their own
const LITTLE = 0.1; // weight of the initial value below which it counts as forgotten
const [HEIGHT, FLOOR] = [150, 118]; // px; height of the bar chart, and y of its axis
const VALUES = 60_000; // number of examples sampled for each mini-batch size
const SEED = 4;

/**
 * Return the weights of the values in a running average r ← d r + (1 − d) a after some steps.
 * @returns {newest: weights of the latest values, the latest first; older: total weight of all earlier values; start:
 * weight of the initial value}
 */
export function shares(decay, steps) {
  const shown = Math.min(NEWEST, steps);
  const newest = Array.from({ length: shown }, (_, age) => (1 - decay) * decay ** age);
  return { newest, older: decay ** shown - decay ** steps, start: decay ** steps };
}

/** Return the smallest number of steps after which the weight of the initial value is below `LITTLE`. */
export function forgottenAfter(decay) {
  return Math.floor(Math.log(LITTLE) / Math.log(decay)) + 1;
}

/**
 * Return two ratios of the mean variance of mini-batches to the variance of all examples. One uses the biased variance,
 * the other the variance corrected by m/(m − 1).
 * @param values [N · units] values of all examples, from which mini-batches are sampled with replacement
 */
function varianceOfBatches(values, units, size, seed) {
  const random = randomNumbers(seed);
  const [count, batches] = [values.length / units, Math.ceil(VALUES / size)];
  const all = statistics(values, units).variance;
  let total = 0;
  const batch = new Float64Array(size * units);
  for (let each = 0; each < batches; each++) {
    for (let i = 0; i < size; i++) {
      const from = Math.floor(random() * count) * units;
      batch.set(values.subarray(from, from + units), i * units);
    }
    const { variance } = statistics(batch, units);
    for (let unit = 0; unit < units; unit++) total += variance[unit] / all[unit] / units / batches;
  }
  return { biased: total, unbiased: (total * size) / (size - 1) };
}

class Averages extends Widget {
  #variances = null;
  #coming = new ComingNetworks(this, (trained) => this.#measure(trained));

  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ start }) {
    this.chosen ??= { ...start };
  }

  builtOf({ decays, sizes }) {
    return [decays, sizes];
  }

  build({ decays, sizes }) {
    const { t } = this;
    this.svg = s("svg.bnviz-small-chart", { "aria-hidden": "true" });
    this.cells = sizes.map(() => [h("span"), h("span")]);
    this.measured = h("p");
    this.body.replaceChildren(
      h("p.bnviz-widget-formula", t("formula")),
      h("div.bnviz-widget-controls", this.choice("decay", decays), this.slider("steps", { values: LADDER })),
      h("figure.bnviz-widget-figure", this.svg));
    this.below?.remove();
    this.below = h("div.bnviz-widget-body",
      h("h4.bnviz-widget-title", t("unbiased")), this.measured, this.#coming.again,
      h("div.bnviz-table", table(["size", "biased", "corrected"].map((name) => t(name)), sizes.map((size, i) => [String(size), ...this.cells[i]]))));
    this.sentence.after(this.below); // place the table below the sentence about the bars
  }

  #measure(trained) {
    const first = Object.values(trained.networks)[0];
    const values = first.received(trained.images);
    this.#variances = this.data.sizes.map((size) => varianceOfBatches(values, first.layers[0].outputs, size, SEED));
  }

  draw() {
    const { t } = this;
    const { decay, steps } = this.chosen;
    const found = shares(decay, steps);
    this.root.style.setProperty("--line", this.colours.batch.line);
    this.showChosen();
    this.#drawBars(t, found);
    setText(this.measured, this.#coming.awaited(this.data) ?? t("unbiased_of", { count: this.#coming.trained.count }));
    this.#variances?.forEach(({ biased, unbiased }, i) => this.cells[i].forEach((cell, at) => setText(cell, [biased, unbiased][at].toFixed(3))));
    const below = forgottenAfter(decay);
    this.fillTable([t("value"), t("share")], [
      ...found.newest.map((share, age) => [t("age", { age }), formatNumber(share, 3)]), [t("older"), formatNumber(found.older, 3)], [t("start"), formatNumber(found.start, 3)],
    ]);
    this.tell(t("result", { steps, start: percent(found.start, 1), newest: percent(found.newest[0], 1), below }),
      { decay, steps, start: found.start, below });
  }

  #drawBars(t, { newest, older, start }) {
    const width = Math.min(560, this.width);
    if (!width) return;
    const wide = 46; // width in px of each of the two wide bars: for the initial value, and for all older values
    const from = 2 * wide + 16;
    const each = (width - from) / NEWEST;
    const named = (key, x, css = "bnviz-line-number") => words(css, x, FLOOR + 14, t(key));
    drawShares(this.svg, { width, height: HEIGHT, floor: FLOOR }, [
      ["bnviz-compose-bar-stored", start, 4, wide - 8], ["bnviz-compose-bar bnviz-compose-faint", older, wide + 4, wide - 8],
      ...newest.map((share, age) => ["bnviz-compose-bar", share, from + (NEWEST - 1 - age) * each + 1, Math.max(1, each - 2)]),
    ], [named("start_short", wide / 2), named("older_short", wide * 1.5), named("newest_short", width, "bnviz-chart-level")]);
  }
}

export default mountable(Averages);
