// The widget *steps against seconds*. It shows the curves of finished runs over steps, examples, epochs or seconds, and
// how much of one network's lead remains if its steps take longer.

import { h, pathOf, pill, s } from "../live/lib/dom.js";
import { separateLabels } from "../live/lib/separate_labels.js";
import { count, formatNumber, percent } from "../live/lib/format.js";
import { level, setSize, upright, words } from "./lib/svg.js";
import { Widget, mountable } from "./lib/widget.js";

const CLOCKS = ["steps", "examples", "epochs", "seconds"];
const [PLAIN, PRICED] = ["none", "batch"];
const [LEFT, TOP, BOTTOM] = [44, 22, 40]; // px around the lines
// px; height of the chart, and width of the chart below which this height is reduced
const [HEIGHT, NARROW] = [250, 520];
const END = 96; // width in px for the names at the ends of the lines
const BESIDE = 15; // minimum distance in px between two names
const AHEAD = 1.06; // ratio of the maximum of the x axis to the largest x value that is drawn

/** Return the first step at which a curve reaches an accuracy, or null if it never does. */
function arrival({ steps, accuracies }, until) {
  const at = accuracies.findIndex((share) => share >= until);
  return at < 0 ? null : steps[at];
}

/**
 * Compare the two networks at an accuracy and a price. The price is the time of a step with BN divided by the time of a
 * step without BN.
 * @returns {plain, batch: number of steps until each network reaches the accuracy, or null if it does not; ratio: time
 * with BN divided by time without BN; even: price at which the ratio is 1}; `ratio` and `even` are null if a network
 * does not reach the accuracy
 */
export function compare({ curves }, until, price) {
  const [plain, batch] = [PLAIN, PRICED].map((norm) => arrival(curves[norm], until));
  const both = plain !== null && batch !== null && plain > 0 && batch > 0;
  return { plain, batch, ratio: both ? (price * batch) / plain : null, even: both ? plain / batch : null };
}

/**
 * Return how much one step of a network adds to a quantity: steps, examples, epochs or seconds.
 * @param data data of the widget
 * @param clock name of the quantity
 */
export function unit(data, clock, norm, price) {
  const seconds = data.second * (norm === PRICED ? price : 1);
  return { steps: 1, examples: data.batch, epochs: data.epoch ? 1 / data.epoch : 0, seconds }[clock];
}

/**
 * Return the point on the axis of `clock` at which the network with BN must reach the accuracy to take as long as the
 * network without BN. Return null if the network without BN does not reach the accuracy.
 */
export function evenAt(data, clock, found, price) {
  if (found.plain === null) return null;
  return (found.plain / price) * unit(data, clock, PRICED, price);
}

class StepsSeconds extends Widget {
  /** @param data see bnviz/ui/lesson_widgets.py */
  take({ measured, start, levels }) {
    this.chosen ??= { run: start, by: "steps", until: levels.at(-1) };
    // A new measurement contains a new price, so discard the price that the reader has set.
    if (measured !== this.data.measured) this.chosen.price = null;
  }

  builtOf({ runs, levels, prices }) {
    return [runs.map(({ key, label }) => [key, label]), levels, prices];
  }

  build({ runs, levels, prices }) {
    const { t } = this;
    const labels = Object.fromEntries(runs.map(({ key, label }) => [key, label]));
    this.run = this.choice("run", runs.map(({ key }) => key), (key) => labels[key]);
    this.by = this.choice("by", CLOCKS, (clock) => t(clock));
    this.until = this.choice("until", levels, (level) => percent(level));
    this.price = this.slider("price", { min: prices[0], max: prices[1], step: 0.01, write: two });
    this.reset = pill(t("reset"), () => this.choose({ price: null }));
    this.svg = s("svg.bnviz-small-chart", { "aria-hidden": "true" });
    this.body.replaceChildren(
      h("div.bnviz-widget-row.bnviz-price-choices", this.run, this.by, this.until),
      h("div.bnviz-widget-row.bnviz-price", this.price, this.reset),
      h("figure.bnviz-widget-figure", this.svg));
  }

  draw() {
    const { data, chosen } = this;
    const { t } = this;
    const price = chosen.price ?? data.measured;
    const run = data.runs.find(({ key }) => key === chosen.run) ?? data.runs[0];
    this.run.show(run.key);
    this.by.show(chosen.by);
    this.until.show(chosen.until);
    this.price.show(price);
    this.reset.disabled = chosen.price === null;
    const found = compare(run, chosen.until, price);
    if (this.width) this.#drawLines(t, run, found, price);
    this.#say(t, run, found, price);
  }

  #drawLines(t, run, found, price) {
    const { data, chosen: { by, until } } = this;
    const width = this.width;
    const height = width < NARROW ? HEIGHT - 40 : HEIGHT;
    const colours = this.colours;
    const even = evenAt(data, by, found, price);
    const lines = [PLAIN, PRICED].map((norm) => {
      const { steps, accuracies } = run.curves[norm];
      const one = unit(data, by, norm, price);
      return { norm, x: steps.map((step) => step * one), y: accuracies, at: found[norm === PLAIN ? "plain" : "batch"], one };
    });
    const last = AHEAD * Math.max(...lines.flatMap(({ x }) => x), even ?? 0);
    const right = width - END;
    const x = (value) => LEFT + (value / last) * (right - LEFT);
    const y = (share) => height - BOTTOM - share * (height - BOTTOM - TOP);
    setSize(this.svg, width, height);
    const ends = separateLabels(lines.map(({ y: shares }) => y(shares.at(-1))), BESIDE);
    this.svg.replaceChildren(
      ...[0, 0.25, 0.5, 0.75, 1].map((share) => level("bnviz-line-grid", LEFT, right, y(share))),
      ...[0, 0.5, 1].map((share) => words("bnviz-chart-level", LEFT - 6, y(share) + 4, percent(share))),
      ...ticks(last).map((value) => words("bnviz-line-number", x(value), height - BOTTOM + 16, value >= 1000 ? count(value) : formatNumber(value))),
      words("bnviz-line-number", (LEFT + right) / 2, height - 4, t(`axis.${by}`)),
      level("bnviz-price-until", LEFT, right, y(until)),
      even === null ? null : upright("bnviz-price-even", x(even), TOP - 8, height - BOTTOM),
      even === null ? null : s("text.bnviz-price-label", { x: x(even), y: TOP - 11, "text-anchor": x(even) > right / 2 ? "end" : "start" }, t("even")),
      ...lines.map((line) => s("path.bnviz-price-line", {
        d: pathOf(line.x.map((place, i) => [x(place), y(line.y[i])])), style: `stroke: ${colours[line.norm].line}; stroke-dasharray: ${dashes(colours[line.norm].dash)}`,
      })),
      ...lines.filter(({ at }) => at !== null).map(({ norm, at, one }) =>
        s("circle.bnviz-price-arrival", { cx: x(at * one), cy: y(until), r: 5, style: `fill: ${colours[norm].line}` })),
      ...lines.map(({ norm, x: places }, i) => s("text.bnviz-chart-label", {
        x: Math.min(x(places.at(-1)) + 8, right + 6), y: ends[i] + 4, style: `fill: ${colours[norm].text}`,
      }, data.labels[norm])),
    );
  }

  #say(t, run, found, price) {
    const { data, chosen } = this;
    const { by, until } = chosen;
    const known = Object.fromEntries([["plain", found.plain], ["batch", found.batch]].map(([name, steps]) => [name, steps === null ? "" : count(steps)]));
    const key = found.ratio !== null ? "both" : found.batch !== null ? "only_batch" : found.plain !== null ? "only_plain" : "neither";
    const sentence = t(`said.${key}`, {
      ...known, until: percent(until), price: two(price), ratio: two(found.ratio ?? 0), even: two(found.even ?? 0),
    });
    const cost = t(chosen.price === null ? "said.measured" : "said.set", { measured: two(data.measured), milliseconds: formatNumber(1000 * data.second) });
    this.fillTable(
      ["run", "plain_steps", "batch_steps", "plain_seconds", "batch_seconds", "ratio", "even_price"].map((name) => t(`table.${name}`)),
      data.runs.map((each) => {
        const { plain, batch, ratio, even } = compare(each, until, price);
        const never = t("table.never");
        const seconds = (steps, norm) => (steps === null ? never : formatNumber(steps * unit(data, "seconds", norm, price)));
        return [each.label, plain === null ? never : count(plain), batch === null ? never : count(batch), seconds(plain, PLAIN), seconds(batch, PRICED),
          ratio === null ? "" : two(ratio), even === null ? "" : two(even)];
      }));
    this.tell(`${sentence} ${cost}`, { run: run.key, by, until, price, ...found });
  }
}

const two = (value) => value.toFixed(2);

/** Convert the name of a Plotly dash pattern to an SVG dash pattern. */
function dashes(dash) {
  const named = { solid: "none", dash: "9 6", dot: "3 4", longdash: "12 6" };
  return named[dash] ?? dash.replaceAll("px", "").replaceAll(",", " ");
}

/** Return three to six tick values, which are round numbers from 0 to the end of an axis. */
function ticks(last) {
  const power = 10 ** Math.floor(Math.log10(last / 4));
  const step = [1, 2, 2.5, 5, 10].find((each) => each * power >= last / 5) * power;
  return Array.from({ length: Math.floor(last / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

export default mountable(StepsSeconds);
