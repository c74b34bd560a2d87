// Row with a button, among the live knobs. Each press of the button multiplies the weights of hidden layers by a
// factor.

import { h, pill, setHidden, setText, showLine } from "../lib/dom.js";
import { count, written } from "../lib/format.js";
import { scalingWords } from "../lib/live_actions.js";
import { knobHead } from "./knob_slider.js";

export class ScaleWeights {
  #t;
  #words;

  /**
   * @param spec {label, help, factors, factor: the factor chosen at first, layers: number of layers that can be scaled
   * individually}, see bnviz/ui/knobs.py
   * @param t translator
   * @param act called with [factor, layer], where the layer is null for all layers
   */
  constructor(spec, t, act) {
    this.#t = t;
    this.#words = { all: t("action.did_all"), layer: t("action.did_layer") };
    const option = (value, text, selected = false) => h("option", { value, selected }, text);
    this.factor = h("select", { "aria-label": t("action.factor") },
      spec.factors.map((factor) => option(String(factor), t("action.times", { factor: written(factor) }), factor === spec.factor)));
    this.layer = h("select", { "aria-label": t("action.which") }, option("", t("action.all")),
      Array.from({ length: spec.layers }, (_, i) => option(String(i + 1), t("action.layer", { layer: i + 1 }))));
    setHidden(this.layer, !spec.layers);
    this.range = pill(t("action.do"), () => act([Number(this.factor.value), this.layer.value ? Number(this.layer.value) : null]));
    this.message = h("p.bnviz-knob-message", { role: "alert", hidden: true });
    this.done = h("p.bnviz-act-done", { role: "status" });
    this.element = h("div.bnviz-knob.bnviz-act", { "data-knob": spec.id, role: "group", "aria-label": spec.label },
      knobHead(spec),
      this.track = h("div.bnviz-act-fields", this.factor, this.layer, this.range),
      this.done, this.message);
  }

  /** Prepare the row for another run by removing its messages. */
  begin() {
    setText(this.done, "");
    this.showError("");
  }

  /** Show only whether the action is possible, because an action has no value. */
  show(value, disabled) {
    for (const control of [this.factor, this.layer, this.range]) control.disabled = disabled;
  }

  showAside() {}

  /** Show that the weights were scaled, and at which step. */
  showDone({ value, step }) {
    setHidden(this.message, true);
    setText(this.done, this.#t("action.done", { what: scalingWords(value, this.#words), step: count(step) }));
  }

  showError(text) {
    showLine(this.message, text);
  }
}
