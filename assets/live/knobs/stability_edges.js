// Local stability edge of each network, 2/λ, where λ is the sharpness. The edge is marked on the track of every
// learning rate on the page and described under the track.

import { fill, h } from "../lib/dom.js";
import { formatNumber } from "../lib/format.js";
import { joinClauses, joinList, joinSentences, labelled, stated } from "../lib/joining.js";
import { placeOn } from "./knob_slider.js";

const FIELD = "sharpness.edge";
const NOW = 25; // maximum age, in steps, at which a measurement counts as current
const LINES = { solid: "solid", dash: "dashed", dot: "dotted", dashdot: "double", longdash: "dashed", longdashdot: "dotted" };

/**
 * Return whether the training steps change the network's hidden layers. Otherwise the stability edge has no meaning.
 */
function learns(frame, norm) {
  const { state } = frame.networks[norm] ?? {};
  if (state === "diverged" || state === "stuck" || state === "blown_up") return false;
  const gradients = frame.field(`${norm}.gradients.grad_weight_norm`)?.data;
  return !gradients || Array.from(gradients).slice(0, -1).some((value) => value > 0);
}

/** Return the stability edges in a frame as [{norm, edge, step: step of the measurement}]. */
function edgesOf(frame, norms) {
  return norms.filter((norm) => learns(frame, norm)).flatMap((norm) => {
    const edge = frame.field(`${norm}.${FIELD}`)?.data[0];
    return edge > 0 && Number.isFinite(edge) ? [{ norm, edge, step: frame.measuredAt(`${norm}.${FIELD}`) }] : [];
  });
}

export class StabilityEdges {
  #view;
  #rows = new Map(); // row → {norm, rungs}
  #scene = null;
  #shown = new WeakMap(); // row → contents that the row shows, as JSON

  constructor(view) {
    this.#view = view;
  }

  /**
   * Add the row of a learning rate, on whose track stability edges are shown.
   *
   * @param row {marks: element on the track, note: element for the text, explain(text)}; each element may be null
   * @param norm norm of the network whose edge is marked, or null for all networks
   * @param rungs rungs of the track
   */
  add(row, norm, rungs) {
    this.#rows.set(row, { norm, rungs });
    this.fill();
  }

  remove(row) {
    if (this.#rows.has(row)) this.#show(row, [], []);
    this.#rows.delete(row);
  }

  draw(scene) {
    this.#scene = scene;
    this.fill();
  }

  update() {
    this.#shown = new WeakMap();
    this.fill();
  }

  /** Show the stability edges of the present scene in every row. */
  fill() {
    const { config, hide = [], norms } = this.#view.data;
    const off = config.optimizer !== "sgd" || !this.#oneRate || hide.includes("edge") || this.#view.covered;
    const edges = off || !this.#scene ? [] : edgesOf(this.#scene.frame, norms);
    for (const [row, { norm, rungs }] of this.#rows) {
      this.#show(row, rungs, norm ? edges.filter((edge) => edge.norm === norm) : edges);
    }
  }

  /** Update the marks and the text of one row if they have changed. */
  #show(row, rungs, edges) {
    const shows = JSON.stringify([edges, edges.map((one) => this.#old(one)), this.#current(edges), this.#momentum > 0]);
    if (this.#shown.get(row) === shows) return;
    this.#shown.set(row, shows);
    if (row.marks) fill(row.marks, edges.map((one) => this.#mark(one, rungs)));
    row.explain(edges.length ? labelled(this.#label(edges), this.#named(edges)) : "");
    if (!row.note) return;
    const focused = row.note.contains(document.activeElement);
    fill(row.note, edges.length > 0 && this.#words(edges));
    if (focused) row.note.querySelector("[tabindex]")?.focus();
  }

  /**
   * Return whether the learning-rate factors of all groups of parameters are 1, so that one learning rate applies to
   * all parameters.
   */
  get #oneRate() {
    const factors = this.#view.link?.shown("rate_factors") ?? this.#view.data.config.rate_factors ?? [];
    return factors.every((factor) => factor === 1);
  }

  get #momentum() {
    return this.#view.link?.shown("momentum") ?? this.#view.data.config.momentum;
  }

  #old({ step }) {
    return this.#scene.frame.step - step > NOW;
  }

  /** Return whether the newest step is shown and all edges were measured recently. */
  #current(edges) {
    return !this.#scene?.rewound && edges.every((one) => !this.#old(one));
  }

  #mark(one, rungs) {
    const { line, dash } = this.#view.data.colours[one.norm];
    return h("i", { class: this.#old(one) ? "bnviz-old" : "", style: {
      "--at": placeOn(rungs, one.edge), "--line": line, "--dash": LINES[dash] ?? "solid",
    } });
  }

  get #formula() {
    return this.#view.t(this.#momentum > 0 ? "edge.formula_momentum" : "edge.formula");
  }

  /**
   * Return the label of the marks. In the presentation view, the label omits "now", because the steps of the
   * measurements are shown beside it.
   */
  #label(edges) {
    const { stage, t } = this.#view;
    return t(this.#current(edges) && !stage ? "edge.label" : "edge.label_then", { formula: this.#formula });
  }

  /** Return a sentence that states each network's edge and when it was measured. */
  #named(edges) {
    const { data, t } = this.#view;
    return joinClauses(edges.map(({ norm, edge, step }) => t("edge.of", { label: data.labels[norm], value: formatNumber(edge), step })));
  }

  #words(edges) {
    const { data, t } = this.#view;
    const [formula, label] = [this.#formula, this.#label(edges)];
    const values = edges.map(({ norm, edge }) => h("b", { title: data.labels[norm], style: { color: data.colours[norm].text } }, formatNumber(edge)));
    const steps = [...new Set(edges.map(({ step }) => step))].sort((a, b) => a - b);
    const measured = t("edge.measured", { step: joinList(steps) });
    const spoken = this.#named(edges);
    const why = h("div.bnviz-edge-why", { role: "tooltip" },
      h("p", `${spoken}.`), h("p", t("edge.why", { formula })), h("p", t("edge.not")), h("p", t("edge.source")));
    return [
      h("div.bnviz-edge-words", { tabindex: 0, role: "note", "aria-label": joinSentences([stated(label, spoken), t("edge.why", { formula }), t("edge.not")]) },
        h("span", label), h("span.bnviz-edge-values", labelled("", ""), values.flatMap((value, i) => (i ? [" · ", value] : [value])), " ", h("small", measured)), why),
    ];
  }
}
