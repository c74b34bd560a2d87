// By hand: a unit's values for up to eight images, dragged or typed, and what batch normalization makes
// of them; in the lesson on the way back, the gradient as well. All of it is computed here, in float64.

import { button, h, setHidden, setText } from "../live/lib/dom.js";
import { Backward } from "./by_hand/backward.js";
import { Forward } from "./by_hand/forward.js";
import { EPSILONS, MOST_POINTS, MOST_TYPED, Model } from "./by_hand/model.js";
import { Choice, Slider } from "./lib/controls.js";
import { NumberField } from "./lib/number_field.js";
import { short } from "./lib/numbers.js";
import { mountable } from "./lib/widget.js";

const FACTOR = { min: -3, max: 3, step: 0.1, write: short };

class ByHand {
  #frame;
  #fields = { x: [], g: [] };
  #start = "";

  constructor(frame) {
    this.#frame = frame;
    frame.followWidth(() => this.#draw());
  }

  /** @param data see bnviz/ui/lesson_widgets/by_hand.py */
  update(data) {
    this.data = data;
    const start = JSON.stringify([data.mode, data.start, data.texts]);
    if (start !== this.#start) {
      const same = this.model && JSON.stringify(JSON.parse(this.#start).slice(0, 2)) === JSON.stringify([data.mode, data.start]);
      this.#start = start;
      if (!same) this.model = new Model(data.start);
      this.#build(data);
    }
    this.#draw();
  }

  /** Everything that stays while numbers change. */
  #build({ mode }) {
    const t = () => this.#frame.t;
    const set = (name) => (value) => this.#change(() => (this.model[name] = value));
    this.gamma = new Slider({ ...FACTOR, name: "gamma", label: "γ", oninput: set("gamma") });
    this.beta = new Slider({ ...FACTOR, name: "beta", label: "β", oninput: set("beta") });
    this.eps = new Choice({ label: "ε", options: EPSILONS.map((eps) => [eps, eps === 1e-5 ? "1e-5" : short(eps)]), onchange: set("eps") });
    this.add = button(t()("points.add"), () => this.#change(() => this.model.add()), { className: "bnviz-pill" });
    this.remove = button(t()("points.remove"), () => this.#change(() => this.model.remove()), { className: "bnviz-pill" });
    const reset = button(t()("points.reset"), () => this.#change(() => this.model.reset()), { className: "bnviz-pill" });
    this.wrong = h("p", { class: "bnviz-widget-wrong", role: "alert", hidden: true });
    this.#fields = { x: [], g: [] };
    const hand = {
      t, model: () => this.model, field: (kind, row) => this.#field(kind, row),
      controls: h("div", { class: "bnviz-widget-controls" }, this.gamma.element, this.beta.element, this.eps.element),
      onx: (i, value) => this.#change(() => (this.model.x[i] = value)),
      ong: (i, value) => this.#change(() => (this.model.g[i] = value)),
      onpath: (name, on) => this.#change(() => (this.model.paths[name] = on)),
      onreveal: (count) => this.#change(() => (this.model.revealed = count)),
    };
    this.face = mode === "backward" ? new Backward(hand) : new Forward(hand);
    this.#frame.tools.replaceChildren(this.add, this.remove, reset);
    this.#frame.body.replaceChildren(...this.face.elements, this.wrong);
  }

  #field(kind, row) {
    const label = this.#frame.t(kind === "x" ? "lines.point" : "arrows.arrow", { image: row + 1 });
    const field = new NumberField({
      label, most: MOST_TYPED, onvalue: (value) => this.#change(() => (this.model[kind][row] = value)),
      onwrong: (given) => this.#complain(given, label),
    });
    this.#fields[kind][row] = field;
    field.show(this.model[kind][row]);
    return field.input;
  }

  #complain(given, field) {
    setHidden(this.wrong, given === null);
    setText(this.wrong, given === null ? "" : this.#frame.t("points.wrong", { field, given, most: MOST_TYPED }));
  }

  #change(act) {
    this.#complain(null);
    act();
    this.#draw();
  }

  #draw() {
    const { model, data, face } = this;
    const forward = model.forward();
    const view = {
      model, forward, backward: model.backward(forward), before: model.before, changed: model.changed,
      highlight: data.highlight ?? null, guess: data.guess ?? null,
    };
    this.gamma.show(model.gamma);
    this.beta.show(model.beta);
    this.eps.show(model.eps);
    this.add.disabled = model.x.length >= MOST_POINTS;
    this.remove.disabled = model.x.length <= 1;
    face.draw(view, this.#frame.width);
    for (const [kind, fields] of Object.entries(this.#fields)) {
      model[kind].forEach((value, i) => fields[i]?.show(value));
    }
    this.#frame.fillTable(...face.table(view));
    const { x, gamma, beta, eps, changed } = model;
    this.#frame.tell(face.sentence(view), { mode: data.mode, x, gamma, beta, eps, changed, ...face.state(view) });
  }
}

export default mountable(ByHand);
