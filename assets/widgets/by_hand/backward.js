// Backward: arrows at the outputs, and the six results node by node, from right to left, in the order
// of Ioffe & Szegedy 2015, section 3.

import { button, h, setText } from "../../live/lib/dom.js";
import { Switch } from "../lib/controls.js";
import { three } from "../lib/numbers.js";
import { Arrows } from "./arrows.js";
import { finite, numbered, written } from "./forward.js";
import { Graph } from "./graph.js";
import { RESULTS } from "./model.js";

const SHARED = [["variance", "∂ℓ/∂σ²"], ["mean", "∂ℓ/∂μ"], ["gamma", "∂ℓ/∂γ"], ["beta", "∂ℓ/∂β"]];
const EDGES = [["normalized", "variance"], ["normalized", "mean"], ["variance", "byVariance"], ["mean", "byMean"], ["g", "gamma"],
  ["g", "beta"], ["g", "normalized"]];
const PATHS = [["throughMean", "without_mean"], ["throughVariance", "without_variance"]];

export class Backward {
  /** @param hand {t(), model(), field(kind, row): element, ong(index, value), onpath(name, on), onreveal(count)} */
  constructor(hand) {
    this.hand = hand;
    const t = hand.t();
    this.arrows = new Arrows({ t: hand.t, onmove: hand.ong, value: (i) => hand.model().g[i] });
    const columns = [["x", "∂ℓ/∂xᵢ"], ["direct", `= ${t("graph.direct")}`], ["byVariance", `+ ${t("graph.by_variance")}`],
      ["byMean", `+ ${t("graph.by_mean")}`], ["normalized", "∂ℓ/∂x̂ᵢ"], ["g", "gᵢ"]];
    this.graph = new Graph({ columns, shared: SHARED, edges: EDGES, label: t("graph.label_back"), className: "bnviz-graph-back" });
    this.next = button(t("steps.next"), () => hand.onreveal(hand.model().revealed + 1), { className: "bnviz-pill bnviz-strong" });
    this.all = button(t("steps.all"), () => hand.onreveal(RESULTS), { className: "bnviz-pill" });
    this.again = button(t("steps.again"), () => hand.onreveal(0), { className: "bnviz-pill" });
    this.said = h("p", { class: "bnviz-widget-step" });
    this.switches = PATHS.map(([name, key]) => new Switch({ label: t(`paths.${key}`), onchange: (on) => hand.onpath(name, !on) }));
    this.elements = [this.arrows.element, hand.controls,
      h("div", { class: "bnviz-widget-row" }, ...this.switches.map(({ element }) => element)),
      h("div", { class: "bnviz-widget-row" }, this.next, this.all, this.again), this.said, this.graph.element];
  }

  draw({ forward, backward, model }, width) {
    const { revealed, paths } = model;
    this.arrows.draw({ forward, backward, g: model.g, shown: revealed >= 4 }, width);
    this.switches.forEach((each, i) => each.show(!paths[PATHS[i][0]]));
    for (const each of [this.next, this.all]) each.disabled = revealed === RESULTS;
    this.again.disabled = revealed === 0;
    setText(this.said, this.hand.t()(`steps.${revealed ? `result_${revealed}` : "begin"}`));
    this.#fill(forward, backward, model);
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

  sentence({ forward, backward, model }) {
    const t = this.hand.t();
    if (Number.isNaN(forward.normalized[0])) return t("sentence.undefined");
    if (model.revealed < RESULTS) return t("sentence.so_far", { count: model.revealed, total: RESULTS });
    const size = Math.max(...backward.direct.map(Math.abs));
    const along = backward.x.reduce((sum, value, i) => sum + value * forward.normalized[i], 0);
    const total = backward.x.reduce((sum, value) => sum + value, 0);
    return t("sentence.gradient", {
      sum: three(total, size * model.x.length), along: three(along, size * model.x.length),
    });
  }

  table({ forward, backward, model }) {
    const t = this.hand.t();
    const shown = (value, since) => (model.revealed >= since ? written(value) : "·");
    const rows = forward.x.map((x, i) => [String(i + 1), written(x), written(forward.normalized[i]), written(model.g[i]),
      shown(backward.normalized[i], 1), ...["direct", "byVariance", "byMean", "x"].map((key) => shown(backward[key][i], 4))]);
    const shared = SHARED.map(([key, name], i) => [name, shown(backward[key], [2, 3, 5, 6][i])]);
    return [[t("table.image"), "x", "x̂", "g", "∂ℓ/∂x̂", t("graph.direct"), t("graph.by_variance"), t("graph.by_mean"), "∂ℓ/∂x"], [...rows, ...shared]];
  }

  state({ forward, backward, model }) {
    const { g, paths, revealed } = model;
    const one = (value) => finite([value])[0];
    return {
      normalized: finite(forward.normalized), y: finite(forward.y), mean: forward.mean, variance: forward.variance,
      g, through_mean: paths.throughMean, through_variance: paths.throughVariance, revealed, dx: finite(backward.x),
      dgamma: one(backward.gamma), dbeta: one(backward.beta), dmean: one(backward.mean), dvariance: one(backward.variance),
    };
  }
}
