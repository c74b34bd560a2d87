// The local stability edge 2/λ of each network, as marks on the track of every learning rate in the
// page, and in words under it.

import { fill, h } from "../lib/dom.js";
import { number } from "../lib/format.js";
import { placeOn } from "./ladder.js";

const FIELD = "sharpness.edge";
const NOW = 25; // so many steps old may an edge be and still be called that of now
const LINES = { solid: "solid", dash: "dashed", dot: "dotted", dashdot: "double", longdash: "dashed", longdashdot: "dotted" };

/** Whether a network takes steps that move its hidden layers: no edge concerns one that does not. */
function moves(frame, norm) {
  const { state } = frame.networks[norm] ?? {};
  if (state === "diverged" || state === "stuck" || state === "blown_up") return false;
  const gradients = frame.field(`${norm}.gradients.grad_weight_norm`)?.data;
  return !gradients || Array.from(gradients).slice(0, -1).some((value) => value > 0);
}

/** The networks' edges in a frame: [{norm, edge, step}], without those that have none. */
export function edgesOf(frame, norms) {
  return norms.filter((norm) => moves(frame, norm)).flatMap((norm) => {
    const edge = frame.field(`${norm}.${FIELD}`)?.data[0];
    return edge > 0 && Number.isFinite(edge) ? [{ norm, edge, step: frame.measuredAt(`${norm}.${FIELD}`) }] : [];
  });
}

export class StabilityEdges {
  #view;
  #places = new Map(); // row {marks, note, explain} → {norm or null, rungs}
  #scene = null;
  #shown = new WeakMap(); // what stands in each place

  constructor(view) {
    this.#view = view;
  }

  /**
   * Mark edges on the track of a rate, from now on.
   *
   * @param row {marks, note, explain(text)}: where marks and words go; where one is null, there are none
   * @param norm whose; null: every network's
   */
  add(row, norm, rungs) {
    this.#places.set(row, { norm, rungs });
    this.fill();
  }

  remove(row) {
    this.#places.delete(row);
  }

  draw(scene) {
    this.#scene = scene;
    this.fill();
  }

  update() {
    this.#shown = new WeakMap();
    this.fill();
  }

  /** Mark and tell what has changed. */
  fill() {
    const { config, hide = [], norms } = this.#view.data;
    const off = config.optimizer !== "sgd" || hide.includes("edge") || this.#view.covered;
    const edges = off || !this.#scene ? [] : edgesOf(this.#scene.frame, norms);
    for (const [row, { norm, rungs }] of this.#places) {
      this.#show(row, rungs, norm ? edges.filter((edge) => edge.norm === norm) : edges);
    }
  }

  /** Marks and words in one place, unless they stand there already. */
  #show(row, rungs, edges) {
    const says = JSON.stringify([edges, edges.map((one) => this.#old(one)), this.#fresh(edges), this.#momentum > 0]);
    if (this.#shown.get(row) === says) return;
    this.#shown.set(row, says);
    if (row.marks) fill(row.marks, ...edges.map((one) => this.#mark(one, rungs)));
    row.explain(edges.length ? `${this.#label(edges)}: ${this.#named(edges)}` : "");
    if (!row.note) return;
    const held = row.note.contains(document.activeElement);
    fill(row.note, ...(edges.length ? this.#words(edges) : []));
    if (held) row.note.querySelector("[tabindex]")?.focus();
  }

  get #momentum() {
    return this.#view.link?.shown("momentum") ?? this.#view.data.config.momentum;
  }

  #old({ step }) {
    return this.#scene.frame.step - step > NOW;
  }

  /** What was measured a while ago is not of now, though it is still the newest there is. */
  #fresh(edges) {
    return !this.#scene?.rewound && edges.every((one) => !this.#old(one));
  }

  #mark(one, rungs) {
    const { line, dash } = this.#view.data.colours[one.norm] ?? {};
    return h("i", { class: this.#old(one) ? "bnviz-old" : "", style: {
      "--at": placeOn(rungs, one.edge), "--line": line ?? "currentColor", "--dash": LINES[dash] ?? "solid",
    } });
  }

  get #formula() {
    return this.#view.t(this.#momentum > 0 ? "edge.formula_momentum" : "edge.formula");
  }

  /** What the marks are called; on the stage without a word that their steps say as well. */
  #label(edges) {
    const { stage, t } = this.#view;
    return t(this.#fresh(edges) && !stage ? "edge.label" : "edge.label_then", { formula: this.#formula });
  }

  /** Each network's edge, and when it was measured. */
  #named(edges) {
    const { data, t } = this.#view;
    return edges.map(({ norm, edge, step }) => t("edge.of", { label: data.labels[norm] ?? norm, value: number(edge), step })).join("; ");
  }

  #words(edges) {
    const { data, t } = this.#view;
    const [formula, label] = [this.#formula, this.#label(edges)];
    const colour = ({ norm }) => data.colours[norm] ?? {};
    const name = ({ norm }) => data.labels[norm] ?? norm;
    const values = edges.map((one) => h("b", { title: name(one), style: { color: colour(one).text ?? "inherit" } }, number(one.edge)));
    const steps = [...new Set(edges.map(({ step }) => step))].sort((a, b) => a - b);
    const measured = t("edge.measured", { step: steps.join(", ") });
    const spoken = this.#named(edges);
    const why = h("div", { class: "bnviz-edge-why", role: "tooltip" },
      h("p", {}, `${spoken}.`), h("p", {}, t("edge.why", { formula })), h("p", {}, t("edge.not")), h("p", {}, t("edge.source")));
    return [
      h("div", { class: "bnviz-edge-words", tabindex: 0, role: "note", "aria-label": `${label}: ${spoken}. ${t("edge.why", { formula })} ${t("edge.not")}` },
        h("span", {}, label), h("span", {}, ": ", ...values.flatMap((value, i) => (i ? [" · ", value] : [value])), " ", h("small", {}, measured)), why),
    ];
  }
}
