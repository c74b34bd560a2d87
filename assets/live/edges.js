// The local stability edge 2/λ of each network, as marks on the scale of the learning rate: under the
// page's own slider, in a place that the page keeps free for it, and under the view's.

import { fill, h } from "./dom.js";
import { number } from "./format.js";

const FIELD = "sharpness.edge";
const NOW = 25; // so many steps old may an edge be and still be called that of now
const PLACES = ".bnviz-edges";
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

/** Where a value stands on a ladder, 0 to 1, between two rungs by ratio; beyond an end, at it. */
export function placeOn(ladder, value) {
  const last = ladder.length - 1;
  const above = ladder.findIndex((rung) => rung >= value);
  if (above < 0) return 1;
  if (above === 0) return 0;
  const [low, high] = [ladder[above - 1], ladder[above]];
  return (above - 1 + Math.log(value / low) / Math.log(high / low)) / last;
}

/** The rungs of a slider that also shows a value between them. */
export function rungs(rates, value) {
  return [...new Set([...rates, value])].sort((a, b) => a - b);
}

export class Edges {
  element = h("div", { class: "bnviz-edge-place" }); // under the view's own rate
  #view;
  #watcher;
  #sidebar = null;
  #scene = null;
  #shown = new WeakMap(); // what stands in each place

  constructor(view) {
    this.#view = view;
    // The page may make its places anew at any time, also while nothing is drawn.
    this.#watcher = new MutationObserver(() => this.#places().some((place) => !place.firstChild) && this.#fill());
  }

  #watch() {
    if (this.#sidebar?.isConnected) return;
    this.#sidebar = document.querySelector("[data-testid=stSidebar]");
    if (this.#sidebar) this.#watcher.observe(this.#sidebar, { childList: true, subtree: true });
  }

  draw(scene) {
    this.#scene = scene;
    this.#watch();
    this.#fill();
  }

  update() {
    this.#shown = new WeakMap();
    if (this.#scene) this.#fill();
  }

  #places() {
    return [...document.querySelectorAll(PLACES)];
  }

  #fill() {
    const { config, hide = [], norms, rates = [] } = this.#view.data;
    const off = config.optimizer !== "sgd" || hide.includes("edge") || !rates.length;
    const edges = off || !this.#scene ? [] : edgesOf(this.#scene.frame, norms);
    this.#show(this.element, rates, edges);
    for (const place of this.#places()) {
      const own = norms.find((norm) => place.classList.contains(`bnviz-edges-${norm}`));
      const rate = own && config.learning_rates ? config.learning_rates[norms.indexOf(own)] : config.learning_rate;
      this.#show(place, rungs(rates, rate), own ? edges.filter(({ norm }) => norm === own) : edges);
    }
  }

  /** Marks and words in one place, unless they stand there already. */
  #show(place, ladder, edges) {
    const says = JSON.stringify([ladder, edges, this.#fresh(edges)]);
    if (place.firstChild && this.#shown.get(place) === says) return;
    this.#shown.set(place, says);
    const held = place.contains(document.activeElement);
    fill(place, ...(edges.length ? this.#content(ladder, edges) : [h("span", {})]));
    if (held) place.querySelector("[tabindex]")?.focus();
  }

  /** What was measured a while ago is not of now, though it is still the newest there is. */
  #fresh(edges) {
    return !this.#scene?.rewound && edges.every(({ step }) => this.#scene.frame.step - step <= NOW);
  }

  #content(ladder, edges) {
    const { data, t } = this.#view;
    const formula = t(data.config.momentum > 0 ? "edge.formula_momentum" : "edge.formula");
    const label = t(this.#fresh(edges) ? "edge.label" : "edge.label_then", { formula });
    const colour = ({ norm }) => data.colours[norm] ?? {};
    const name = ({ norm }) => data.labels[norm] ?? norm;
    const old = ({ step }) => this.#scene.frame.step - step > NOW;
    const marks = edges.map((one) => h("i", { class: old(one) ? "bnviz-old" : "", style: {
      "--at": placeOn(ladder, one.edge), "--line": colour(one).line ?? "currentColor", "--dash": LINES[colour(one).dash] ?? "solid",
    } }));
    const values = edges.map((one) => h("b", { title: name(one), style: { color: colour(one).text ?? "inherit" } }, number(one.edge)));
    const steps = [...new Set(edges.map(({ step }) => step))].sort((a, b) => a - b);
    const measured = t("edge.measured", { step: steps.join(", ") });
    const spoken = edges.map((one) => t("edge.of", { label: name(one), value: number(one.edge), step: one.step })).join("; ");
    const why = h("div", { class: "bnviz-edge-why", role: "tooltip" },
      h("p", {}, `${spoken}.`), h("p", {}, t("edge.why", { formula })), h("p", {}, t("edge.not")), h("p", {}, t("edge.source")));
    return [
      h("div", { class: "bnviz-edge-scale", "aria-hidden": true }, ...marks),
      h("div", { class: "bnviz-edge-words", tabindex: 0, role: "note", "aria-label": `${label}: ${spoken}. ${t("edge.why", { formula })} ${t("edge.not")}` },
        h("span", {}, label, ": "), h("span", {}, ...values.flatMap((value, i) => (i ? [" · ", value] : [value])), " ", h("small", {}, measured)), why),
    ];
  }

  destroy() {
    this.#watcher.disconnect();
    for (const place of this.#places()) place.replaceChildren();
  }
}
