// The forward and the backward pass of batch normalization, as the widget shows them. Each pass has a drawing, a graph
// of the numbers, a sentence and a table.

import { h, pill, setText } from "../../live/lib/dom.js";
import { joinSentences } from "../../live/lib/joining.js";
import { Switch } from "../lib/controls.js";
import { three } from "../lib/numbers.js";
import { RESULTS } from "./batch_norm.js";
import { NumberGraph } from "./graph.js";
import { GradientLines, ValueLines } from "./number_lines.js";

const NOT_DEFINED = "0 ÷ 0";

const FORWARD_COLUMNS = [["x", "xᵢ"], ["centred", "xᵢ − μ"], ["normalized", "x̂ᵢ"], ["y", "yᵢ = γx̂ᵢ + β"]];
const FORWARD_SHARED = [["mean", "μ"], ["variance", "σ²"], ["inverse", "1/√(σ² + ε)"]];
const FORWARD_EDGES = [["x", "mean"], ["mean", "centred"], ["centred", "variance"], ["variance", "inverse"], ["inverse", "normalized"],
  ["x", "centred"], ["centred", "normalized"], ["normalized", "y"]];

/** Forward pass: the three number lines, and the graph from the values to the outputs. */
export class ForwardPass {
  constructor(hand) {
    this.hand = hand;
    this.lines = new ValueLines(hand);
    this.graph = new NumberGraph({ columns: FORWARD_COLUMNS, shared: FORWARD_SHARED, edges: FORWARD_EDGES, label: hand.t("graph.label") });
    this.parts = [this.lines, hand.controls, this.graph];
  }

  draw({ forward, before, highlight, guess }, width) {
    this.lines.draw({ forward, before, highlight, guess }, width);
    const { graph } = this;
    graph.setRows(forward.x.length, { x: (row) => numbered(row, this.hand.field("x", row)) });
    const terms = Math.max(...forward.x.map(Math.abs));
    graph.setColumn("centred", forward.centred.map((value) => three(value, terms)));
    graph.setColumn("normalized", forward.normalized.map((value) => written(value, 1)));
    graph.setColumn("y", forward.y.map((value) => written(value, 1)));
    graph.setShared("mean", three(forward.mean, terms));
    graph.setShared("variance", three(forward.variance, terms ** 2));
    graph.setShared("inverse", three(forward.inverseStd));
    graph.draw();
  }

  /** Return the sentence that describes the forward pass. */
  sentence({ forward, before, highlight, changed }) {
    const { t } = this.hand;
    const { x, mean, variance, normalized } = forward;
    const values = { mean: three(mean), variance: three(variance), spread: three(Math.sqrt(variance)) };
    const key = x.length === 1 ? "one" : variance === 0 ? "equal" : "middle";
    const parts = [t(Number.isNaN(normalized[0]) ? "sentence.undefined" : `sentence.${key}`, values)];
    const followed = highlight !== null && highlight < x.length && x[highlight] === before.x[highlight];
    if (followed && changed) {
      const [was, now] = [before, forward].map((pass) => written(pass.normalized[highlight], 1));
      parts.push(t("sentence.unchanged", { image: highlight + 1, was, now }));
    }
    return joinSentences(parts);
  }

  /** Return the numbers of the forward pass as [head, rows] of a table. */
  table({ forward }) {
    const rows = forward.x.map((value, i) =>
      [String(i + 1), ...[value, forward.centred[i], forward.normalized[i], forward.y[i]].map((each) => written(each))]);
    const shared = [["μ", forward.mean], ["σ²", forward.variance], ["1/√(σ² + ε)", forward.inverseStd]];
    return [[this.hand.t("table.image"), "x", "x − μ", "x̂", "y"], [...rows, ...shared.map(([name, value]) => [name, written(value)])]];
  }

  /** See `Widget.tell`. */
  values({ forward: { normalized, y, mean, variance } }) {
    return { normalized, y, mean, variance };
  }
}

const BACKWARD_SHARED = [["variance", "∂ℓ/∂σ²"], ["mean", "∂ℓ/∂μ"], ["gamma", "∂ℓ/∂γ"], ["beta", "∂ℓ/∂β"]];
const BACKWARD_EDGES = [["normalized", "variance"], ["normalized", "mean"], ["variance", "byVariance"], ["mean", "byMean"], ["g", "gamma"],
  ["g", "beta"], ["g", "normalized"]];
const PATHS = [["throughMean", "without_mean"], ["throughVariance", "without_variance"]];

/**
 * Backward pass: the gradients as arrows, and the graph of the six results. The graph runs from right to left, in the
 * order of Ioffe & Szegedy 2015, section 3.
 */
export class BackwardPass {
  constructor(hand) {
    this.hand = hand;
    const { t } = hand;
    const reveal = (count) => hand.change(() => (hand.values.revealed = count));
    this.arrows = new GradientLines(hand);
    const columns = [["x", "∂ℓ/∂xᵢ"], ["direct", `= ${t("graph.direct")}`], ["byVariance", `+ ${t("graph.by_variance")}`],
      ["byMean", `+ ${t("graph.by_mean")}`], ["normalized", "∂ℓ/∂x̂ᵢ"], ["g", "gᵢ"]];
    this.graph = new NumberGraph({ columns, shared: BACKWARD_SHARED, edges: BACKWARD_EDGES, label: t("graph.label_back"), className: "bnviz-graph-back" });
    this.next = pill(t("steps.next"), () => reveal(hand.values.revealed + 1), { className: "bnviz-strong" });
    this.all = pill(t("steps.all"), () => reveal(RESULTS));
    this.again = pill(t("steps.again"), () => reveal(0));
    this.said = h("p.bnviz-widget-step");
    this.switches = PATHS.map(([name, key]) => new Switch({ label: t(`paths.${key}`), onchange: (on) => hand.change(() => (hand.values.paths[name] = !on)) }));
    this.parts = [this.arrows, hand.controls,
      h("div.bnviz-widget-row", this.switches),
      h("div.bnviz-widget-row", this.next, this.all, this.again), this.said, this.graph];
  }

  draw({ forward, backward, values }, width) {
    const { revealed, paths } = values;
    this.arrows.draw({ forward, backward, g: values.g, shown: revealed >= 4 }, width);
    this.switches.forEach((each, i) => each.show(!paths[PATHS[i][0]]));
    for (const each of [this.next, this.all]) each.disabled = revealed === RESULTS;
    this.again.disabled = revealed === 0;
    setText(this.said, this.hand.t(`steps.${revealed ? `result_${revealed}` : "begin"}`));
    this.#fill(forward, backward, values);
    this.graph.draw();
  }

  #fill(forward, backward, { revealed, paths, x }) {
    const { graph } = this;
    const size = Math.max(...backward.direct.map(Math.abs));
    const column = (key, since, terms, options) =>
      graph.setColumn(key, backward[key].map((value) => (revealed >= since ? written(value, terms) : null)), options);
    const shared = (key, since, terms, options) => graph.setShared(key, revealed >= since ? written(backward[key], terms) : null, options);
    const [noMean, noVariance] = [{ off: !paths.throughMean }, { off: !paths.throughVariance }];
    graph.setRows(x.length, { g: (row) => numbered(row, this.hand.field("g", row)) });
    column("normalized", 1, 0);
    shared("variance", 2, (size * forward.inverseStd * x.length) / 2, noVariance);
    shared("mean", 3, size * x.length, noMean);
    column("direct", 4, 0);
    column("byVariance", 4, size, noVariance);
    column("byMean", 4, size, noMean);
    column("x", 4, size);
    const g = Math.max(...backward.normalized.map(Math.abs));
    shared("gamma", 5, g);
    shared("beta", 6, g);
  }

  /** Return the sentence that describes the backward pass. */
  sentence({ forward, backward, values }) {
    const { t } = this.hand;
    if (Number.isNaN(forward.normalized[0])) return t("sentence.undefined");
    if (values.revealed < RESULTS) return t("sentence.so_far", { count: values.revealed, total: RESULTS });
    const size = Math.max(...backward.direct.map(Math.abs));
    const along = backward.x.reduce((sum, value, i) => sum + value * forward.normalized[i], 0);
    const total = backward.x.reduce((sum, value) => sum + value, 0);
    return t("sentence.gradient", {
      sum: three(total, size * values.x.length), along: three(along, size * values.x.length),
    });
  }

  /** Return the numbers of the backward pass as [head, rows] of a table. */
  table({ forward, backward, values }) {
    const { t } = this.hand;
    const shown = (value, since) => (values.revealed >= since ? written(value) : "·");
    const rows = forward.x.map((x, i) => [String(i + 1), written(x), written(forward.normalized[i]), written(values.g[i]),
      shown(backward.normalized[i], 1), ...["direct", "byVariance", "byMean", "x"].map((key) => shown(backward[key][i], 4))]);
    const shared = BACKWARD_SHARED.map(([key, name], i) => [name, shown(backward[key], [2, 3, 5, 6][i])]);
    return [[t("table.image"), "x", "x̂", "g", "∂ℓ/∂x̂", t("graph.direct"), t("graph.by_variance"), t("graph.by_mean"), "∂ℓ/∂x"], [...rows, ...shared]];
  }

  /** See `Widget.tell`. */
  values({ forward: { normalized, y, mean, variance }, backward, values: { g, revealed } }) {
    return {
      normalized, y, mean, variance, g, revealed, dx: backward.x, dgamma: backward.gamma, dbeta: backward.beta,
      dmean: backward.mean, dvariance: backward.variance,
    };
  }
}

/** Return the field of an image, preceded by the number of the image. */
function numbered(row, field) {
  return [h("span.bnviz-graph-image", { "aria-hidden": true }, String(row + 1)), field];
}

/** Format a value with three decimals, or return the text for an undefined value. @param size see `three` */
function written(value, size = 0) {
  return Number.isNaN(value) ? NOT_DEFINED : three(value, size);
}
