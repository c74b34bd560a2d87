// How many steps each network takes: the one knob that a hall sees. Another number is another map.

import { KnobSlider } from "../live/knobs/knob_slider.js";
import { h } from "../live/lib/dom.js";

const SETTLES = 400; // ms after the last rung that a hand went over

export class StepsKnob {
  #view;
  #timer = null;
  #given = "";

  constructor(view) {
    this.#view = view;
    this.element = h("div", { class: "bnviz-rate" });
  }

  /** What the page says: {value, label, rungs, page, home, least, most}. */
  update() {
    const { t, data } = this.#view;
    const { steps: spec } = data.knobs;
    if (this.#given !== JSON.stringify([spec, data.language])) {
      this.#given = JSON.stringify([spec, data.language]);
      this.slider = new KnobSlider({ id: "steps", field: "steps", help: null, edge: false, ...spec }, t, {
        gesture: () => 1, released() {}, setKnob: (value) => this.#set(value),
      }, true);
      this.element.replaceChildren(h("div", { class: "bnviz-knob-list" }, this.slider.element));
    }
    clearTimeout(this.#timer);
    this.slider.show(data.steps, false);
  }

  #set(value) {
    const { t, data } = this.#view;
    const { least, most, allowed } = data.knobs.steps;
    clearTimeout(this.#timer);
    if (!Number.isInteger(value) || value < least || value > most) {
      this.slider.showError(t("knob.wrong", { field: "steps", allowed, given: value }));
      return;
    }
    this.#timer = setTimeout(() => value !== this.#view.data.steps && this.#view.send("steps", value), SETTLES);
  }

  end() {
    clearTimeout(this.#timer);
  }
}
