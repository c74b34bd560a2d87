// Forward: the three lines, and the graph from the values to the results.

import { h } from "../../live/lib/dom.js";
import { three } from "../lib/numbers.js";
import { Graph } from "./graph.js";
import { Lines } from "./lines.js";

const COLUMNS = [["x", "xᵢ"], ["centred", "xᵢ − μ"], ["normalized", "x̂ᵢ"], ["y", "yᵢ = γx̂ᵢ + β"]];
const SHARED = [["mean", "μ"], ["variance", "σ²"], ["inverse", "1/√(σ² + ε)"]];
const EDGES = [["x", "mean"], ["mean", "centred"], ["centred", "variance"], ["variance", "inverse"], ["inverse", "normalized"],
  ["x", "centred"], ["centred", "normalized"], ["normalized", "y"]];
const NOT_DEFINED = "0 ÷ 0";

export class Forward {
  /** @param hand {t(), model, field(kind, row): element, onx(index, value)} */
  constructor(hand) {
    this.hand = hand;
    this.lines = new Lines({ t: hand.t, onmove: hand.onx, value: (i) => hand.model().x[i] });
    this.graph = new Graph({ columns: COLUMNS, shared: SHARED, edges: EDGES, label: hand.t()("graph.label") });
    this.elements = [this.lines.element, hand.controls, this.graph.element];
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

  sentence({ forward, before, highlight, changed }) {
    const t = this.hand.t();
    const { x, mean, variance, normalized } = forward;
    const values = { mean: three(mean), variance: three(variance), spread: three(Math.sqrt(variance)) };
    const key = x.length === 1 ? "one" : variance === 0 ? "equal" : "middle";
    const parts = [t(Number.isNaN(normalized[0]) ? "sentence.undefined" : `sentence.${key}`, values)];
    const followed = highlight !== null && highlight < x.length && x[highlight] === before.x[highlight];
    if (followed && changed) {
      const [was, now] = [before, forward].map((pass) => written(pass.normalized[highlight], 1));
      parts.push(t("sentence.unchanged", { image: highlight + 1, was, now }));
    }
    return parts.join(" ");
  }

  table({ forward }) {
    const rows = forward.x.map((value, i) =>
      [String(i + 1), ...[value, forward.centred[i], forward.normalized[i], forward.y[i]].map((each) => written(each))]);
    const shared = [["μ", forward.mean], ["σ²", forward.variance], ["1/√(σ² + ε)", forward.inverseStd]];
    return [[this.hand.t()("table.image"), "x", "x − μ", "x̂", "y"], [...rows, ...shared.map(([name, value]) => [name, written(value)])]];
  }

  state({ forward }) {
    return { normalized: finite(forward.normalized), y: finite(forward.y), mean: forward.mean, variance: forward.variance };
  }
}

/** A field with its image's number before it. */
export function numbered(row, field) {
  return [h("span", { class: "bnviz-graph-image", "aria-hidden": true }, String(row + 1)), field];
}

/** Three decimals, or what stands for a value that is not defined. */
export function written(value, size = 0) {
  return Number.isNaN(value) ? NOT_DEFINED : three(value, size);
}

/** What is not finite has no number in JSON. */
export function finite(values) {
  return values.map((value) => (Number.isFinite(value) ? value : null));
}
