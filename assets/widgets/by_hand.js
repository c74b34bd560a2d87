// The widget *by hand*: a reader drags or types a unit's values for up to eight images, and sees the result of batch
// normalization. In mode "backward", the reader also sees the gradients. Everything is computed in the browser.

import { differsFromLast, fill, h, pill } from "../live/lib/dom.js";
import { EPSILONS, HandValues, MOST_POINTS, MOST_TYPED } from "./by_hand/batch_norm.js";
import { BackwardPass, ForwardPass } from "./by_hand/passes.js";
import { Complaint, NumberField } from "./lib/controls.js";
import { short } from "./lib/numbers.js";
import { Widget, mountable } from "./lib/widget.js";

const FACTOR = { min: -3, max: 3, step: 0.1, write: short };

class ByHand extends Widget {
  #fields = { x: [], g: [] };
  #startsAnew = differsFromLast(); // detects changes in the mode or the start values
  #toldDone = false; // whether the Streamlit script has been notified that the task is done

  /** @param data see bnviz/ui/lesson_widgets.py */
  take(data) {
    if (this.#startsAnew(this.builtOf(data))) this.values = new HandValues(data.start);
  }

  builtOf({ mode, start }) {
    return [mode, start];
  }

  /** Build all elements. They stay in place when the numbers change. */
  build({ mode }) {
    const { t } = this;
    const eps = this.choice("eps", EPSILONS, (value) => (value === 1e-5 ? "1e-5" : short(value)), "ε");
    this.add = pill(t("points.add"), () => this.change(() => this.values.add()));
    this.remove = pill(t("points.remove"), () => this.change(() => this.values.remove()));
    const reset = pill(t("points.reset"), () => this.change(() => this.values.reset()));
    this.wrong = new Complaint(t, "points.wrong", MOST_TYPED);
    this.#fields = { x: [], g: [] };
    this.controls = h("div.bnviz-widget-controls", 
      this.slider("gamma", { ...FACTOR, label: "γ" }), this.slider("beta", { ...FACTOR, label: "β" }), eps);
    this.pass = mode === "backward" ? new BackwardPass(this) : new ForwardPass(this);
    this.tools.replaceChildren(this.add, this.remove, reset);
    fill(this.body, this.pass.parts, this.wrong);
  }

  /** Return the text field for a value. @param kind "x" or "g" */
  field(kind, row) {
    const label = this.t(kind === "x" ? "lines.point" : "arrows.arrow", { image: row + 1 });
    const field = new NumberField({
      label, most: MOST_TYPED, onvalue: (value) => this.change(() => (this.values[kind][row] = value)),
      onwrong: (given) => this.wrong.show(given, label),
    });
    this.#fields[kind][row] = field;
    field.show(this.values[kind][row]);
    return field.input;
  }

  /** Values that the controls set: γ, β and ε. */
  get chosen() {
    return this.values;
  }

  choose(changes) {
    this.change(() => Object.assign(this.values, changes));
  }

  /** Change values and redraw. @param act function that makes the change */
  change(act) {
    this.wrong.clear();
    act();
    this.draw();
  }

  draw() {
    const { values, data, pass } = this;
    const forward = values.forward();
    const view = {
      values, forward, backward: values.backward(forward), before: values.before, changed: values.changed,
      highlight: data.highlight ?? null, guess: data.guess ?? null,
    };
    this.showChosen();
    this.add.disabled = values.x.length >= MOST_POINTS;
    this.remove.disabled = values.x.length <= 1;
    pass.draw(view, this.width);
    for (const [kind, fields] of Object.entries(this.#fields)) {
      values[kind].forEach((value, i) => fields[i]?.show(value));
    }
    this.fillTable(...pass.table(view));
    const { x, gamma, beta, eps } = values;
    this.tell(pass.sentence(view), { x, gamma, beta, eps, ...pass.values(view) });
  }

  rest(sentence) {
    super.rest(sentence);
    const { task } = this.data;
    if (!task || this.#toldDone || !this.values.onlyMoved(task)) return;
    this.#toldDone = true;
    this.tellScript("changed", true);
  }
}

export default mountable(ByHand);
