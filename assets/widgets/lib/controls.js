// Native controls with a label: sliders, choices side by side, switches, buttons.

import { h, setText } from "../../live/lib/dom.js";

/** A slider: its label and its value over the track. */
export class Slider {
  /**
   * @param options {name, label, min, max, step, write(value), oninput(value)}
   */
  constructor({ name, label, min, max, step, write, oninput }) {
    this.write = write;
    this.value = h("span", { class: "bnviz-knob-value bnviz-widget-value", "aria-hidden": true }); // the slider says it
    this.label = h("span", { class: "bnviz-knob-label" }, label);
    this.range = h("input", {
      type: "range", min, max, step, "aria-label": label, autocomplete: "off", name,
      oninput: () => oninput(Number(this.range.value)),
    });
    this.element = h("div", { class: "bnviz-knob" },
      h("div", { class: "bnviz-knob-head" }, this.label, this.value),
      h("div", { class: "bnviz-knob-track" }, this.range));
  }

  /** Show a value, and where it may go. */
  show(value, { max = Number(this.range.max), disabled = false } = {}) {
    const { range } = this;
    range.max = max;
    range.disabled = disabled;
    range.value = value;
    const text = this.write(value);
    setText(this.value, text);
    range.setAttribute("aria-valuetext", text);
    const [low, high] = [Number(range.min), Number(range.max)];
    range.style.setProperty("--done", String(high > low ? (value - low) / (high - low) : 0));
  }
}

/** One of a few choices, side by side: native radio buttons. */
export class Choice {
  static #count = 0;

  /** @param options {label, options: [[value, text], …], onchange(value)} */
  constructor({ label, options, onchange }) {
    const name = `bnviz-choice-${Choice.#count++}`;
    this.inputs = options.map(([value]) =>
      h("input", { type: "radio", name, value, autocomplete: "off", onchange: () => onchange(value) }));
    this.values = options.map(([value]) => value);
    this.element = h("div", { class: "bnviz-widget-choice", role: "radiogroup", "aria-label": label },
      h("span", { class: "bnviz-knob-label", "aria-hidden": true }, label),
      h("div", { class: "bnviz-segments" },
        ...options.map(([, text], i) => h("label", {}, this.inputs[i], h("span", {}, text)))));
  }

  show(value) {
    this.inputs.forEach((input, i) => (input.checked = this.values[i] === value));
  }
}

/** Something that is on or off: a native checkbox. */
export class Switch {
  constructor({ label, onchange }) {
    this.input = h("input", { type: "checkbox", role: "switch", autocomplete: "off", onchange: () => onchange(this.input.checked) });
    this.element = h("label", { class: "bnviz-knob-own bnviz-widget-switch" }, this.input, h("span", { "aria-hidden": true }), label);
  }

  show(on) {
    this.input.checked = on;
  }
}
