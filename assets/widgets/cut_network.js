// Cut the network: the lower layers as they were at one step under the upper layers of another. All that
// is shown was measured by the run; here it is only chosen from.

import { h, setHidden } from "../live/lib/dom.js";
import { number, percent } from "../live/lib/format.js";
import { Halves } from "./cut_network/halves.js";
import { Kept } from "./cut_network/kept.js";
import { AccuracyMap } from "./cut_network/map.js";
import { Choice, Slider, Switch } from "./lib/controls.js";
import { mountable } from "./lib/widget.js";

class CutNetwork {
  #frame;
  #made = "";
  #chosen = null;

  constructor(frame) {
    this.#frame = frame;
    frame.followWidth(() => this.#draw());
  }

  /** @param data see bnviz/ui/lesson_widgets/cut_network.py */
  update(data) {
    this.data = data;
    this.#chosen ??= { ...data.start };
    if (!(this.#chosen.network in data.networks)) this.#chosen.network = Object.keys(data.networks)[0];
    const made = JSON.stringify([data.texts, data.labels, data.cuts]);
    if (made !== this.#made) this.#build(data);
    this.#made = made;
    this.#draw();
  }

  #build({ labels, cuts, networks }) {
    const t = this.#frame.t;
    const set = (name) => (value) => this.#choose({ [name]: value });
    const step = (name) => (place) => this.#choose({ [name]: this.kept.steps[place] });
    const written = (place) => String(this.kept?.steps[place] ?? t("missing"));
    this.network = new Choice({ label: t("network"), options: Object.keys(networks).map((norm) => [norm, labels[norm]]), onchange: set("network") });
    this.cut = new Slider({ name: "cut", label: t("cut"), min: cuts[0], max: cuts.at(-1), step: 1, write: String, oninput: set("cut") });
    this.lower = new Slider({ name: "s", label: t("s"), min: 0, max: 0, step: 1, write: written, oninput: step("s") });
    this.upper = new Slider({ name: "t", label: t("t"), min: 0, max: 0, step: 1, write: written, oninput: step("t") });
    this.random = new Switch({ label: t("random"), onchange: set("random") });
    this.halves = new Halves(t);
    this.map = new AccuracyMap(t, (s, upper) => this.#choose({ s: this.kept.steps[s], t: this.kept.steps[upper] }));
    this.#frame.body.replaceChildren(
      h("div", { class: "bnviz-widget-controls" }, this.network.element, this.cut.element),
      this.halves.element,
      h("div", { class: "bnviz-widget-controls" }, this.lower.element, this.upper.element), this.random.element, this.map.element);
  }

  #choose(changes) {
    Object.assign(this.#chosen, changes);
    this.#draw();
  }

  #draw() {
    const { data } = this;
    const { network, cut, random } = this.#chosen;
    const kept = new Kept(data.networks[network]);
    this.kept = kept;
    // A step that nobody has chosen yet is the newest one.
    const [s, t] = [this.#chosen.s, this.#chosen.t].map((step) => kept.place(step));
    const root = this.#frame.root;
    for (const [name, colour] of Object.entries(data.colours[data.dark ? "dark" : "light"][network])) root.style.setProperty(`--${name}`, colour);
    this.network.show(network);
    setHidden(this.network.element, Object.keys(data.networks).length < 2);
    this.cut.show(cut);
    const sliders = { max: Math.max(0, kept.steps.length - 1), disabled: !kept.any };
    this.lower.show(Math.max(0, s), sliders);
    this.upper.show(Math.max(0, t), sliders);
    this.random.show(random);
    this.#show({ network, cut, random, s, t });
  }

  #show({ network, cut, random, s, t }) {
    const { kept, data } = this;
    const words = this.#frame.t;
    const values = kept.any ? kept.map(cut, random) : [];
    const [lowerStep, upperStep] = [s, t].map((place) => kept.steps[place] ?? words("missing"));
    const written = (value) => (value === null ? words("not_finite") : percent(value, 1));
    const accuracy = kept.any ? values[s][t] : null;
    this.halves.draw(
      { cut, depth: data.depth, lowerStep, upperStep, random, accuracy: kept.any ? written(accuracy) : words("missing") },
      { passes: kept.any ? kept.passes(cut) : null, edges: kept.values?.edges, s, t });
    const keep = [...kept.steps, ...data.keep.filter((step) => !(step <= kept.steps.at(-1)))]; // and those still to come
    this.map.draw({ keep, values, range: kept.any ? kept.range(cut, random) : [0, 1], s, t, random });
    this.#frame.fillTable([`${words("s")} ↓ · ${words("t")} →`, ...kept.steps.map(String)],
      values.map((row, i) => [String(kept.steps[i]), ...row.map(written)]));
    if (!kept.any) return this.#frame.tell(words("waiting"), null);
    const own = values[t][t];
    const wander = kept.wander(cut, s, t);
    const key = s === t ? "diagonal" : random ? "other_random" : "other";
    this.#frame.tell(
      words(key, { s: lowerStep, t: upperStep, value: written(accuracy), own: written(own), wander: wander === null ? words("not_finite") : number(wander) }),
      { network, cut, s: lowerStep, t: upperStep, random, accuracy, own, wander });
  }
}

export default mountable(CutNetwork);
