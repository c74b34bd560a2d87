// The controls of widgets: a slider, a choice, a switch, a field for a number, and a handle on a drawing.

import { h, modified, radios, s, set, setText, showLine } from "../../live/lib/dom.js";
import { typed, within } from "../../live/lib/format.js";
import { short } from "./numbers.js";

const HANDLE_STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

/** A slider. Its label and its value are above the track. */
export class Slider {
  /**
   * @param options {name; label; min; max; step; write(value): returns the value as text; oninput(value); values:
   * allowed values in order, which replace the range from `min` to `max`}
   */
  constructor({ name, label, values = null, min = 0, max = values.length - 1, step = 1, write = String, oninput }) {
    this.write = write;
    this.values = values;
    // the slider itself gives the value to screen readers
    this.value = h("span.bnviz-knob-value.bnviz-widget-value", { "aria-hidden": true });
    this.label = h("span.bnviz-knob-label", label);
    this.range = h("input", {
      type: "range", min, max, step, "aria-label": label, autocomplete: "off", name,
      oninput: () => {
        const at = Number(this.range.value);
        oninput(values ? values[at] : at);
      },
    });
    this.element = h("div.bnviz-knob",
      h("div.bnviz-knob-head", this.label, this.value),
      h("div.bnviz-knob-track", this.range));
  }

  /** Show a value. Also set the slider's maximum and whether the slider is disabled. */
  show(value, { max = Number(this.range.max), disabled = false } = {}) {
    const { range } = this;
    const at = this.values ? this.values.indexOf(value) : value;
    range.max = max;
    range.disabled = disabled;
    range.value = at;
    const text = this.write(value);
    setText(this.value, text);
    range.setAttribute("aria-valuetext", text);
    const [low, high] = [Number(range.min), Number(range.max)];
    range.style.setProperty("--done", String(high > low ? (at - low) / (high - low) : 0));
  }
}

/** Choice of one of a few values, shown as radio buttons side by side. */
export class Choice {
  static #count = 0;

  /** @param options {label, options: [[value, text], …], onchange(value)} */
  constructor({ label, options, onchange }) {
    this.values = options.map(([value]) => value);
    this.buttons = radios(`bnviz-choice-${Choice.#count++}`, options, null, onchange);
    this.element = h("div.bnviz-widget-choice", { role: "radiogroup", "aria-label": label },
      h("span.bnviz-knob-label", { "aria-hidden": true }, label),
      h("div.bnviz-segments", this.buttons));
  }

  show(value) {
    this.buttons.forEach(({ control }, i) => (control.checked = this.values[i] === value));
  }
}

/** On/off switch, a checkbox. */
export class Switch {
  /** @param options {label, onchange(on)} */
  constructor({ label, onchange }) {
    this.input = h("input", { type: "checkbox", role: "switch", autocomplete: "off", onchange: () => onchange(this.input.checked) });
    this.element = h("label.bnviz-knob-own.bnviz-widget-switch", this.input, h("span", { "aria-hidden": true }), label);
  }

  show(on) {
    this.input.checked = on;
  }
}

/** Text field for a number. Invalid text and numbers that are too large change nothing. */
export class NumberField {
  #given;
  #value = 0;

  /**
   * @param given {label; most: largest absolute value; onvalue(value); onwrong(text): called with the invalid text, or
   * with null when the text is valid again}
   */
  constructor(given) {
    this.#given = given;
    this.input = h("input.bnviz-widget-field", {
      type: "text", inputmode: "decimal", "aria-label": given.label, autocomplete: "off",
      spellcheck: "false", maxlength: 24, onchange: () => this.#take(), onfocus: () => this.input.select(),
      onkeydown: (event) => this.#key(event),
    });
  }

  /** Show a value, unless the reader is typing another value into the field. */
  show(value) {
    this.#value = value;
    if (document.activeElement !== this.input || typed(this.input.value) !== value) this.#write();
  }

  #write() {
    this.input.value = short(this.#value);
    this.input.removeAttribute("aria-invalid");
  }

  #take() {
    const { most, onvalue, onwrong } = this.#given;
    const value = typed(this.input.value);
    const wrong = !(Math.abs(value) <= most);
    onwrong(wrong ? this.input.value : null);
    if (wrong) return this.input.setAttribute("aria-invalid", "true");
    onvalue(value);
    this.#write();
  }

  #key(event) {
    const step = { ArrowUp: 0.1, ArrowDown: -0.1 }[event.key];
    if (event.key === "Escape") this.#write();
    if (!step) return;
    event.preventDefault();
    this.input.value = String(Math.round((this.#value + step * (event.shiftKey ? 10 : 1)) * 1e6) / 1e6);
    this.#take();
  }
}

/** Error message for a number that was typed. */
export class Complaint {
  /**
   * @param t the widget's texts @param key key of the message's text @param most largest absolute value that is allowed
   */
  constructor(t, key, most) {
    this.element = h("p.bnviz-widget-wrong", { role: "alert", hidden: true });
    this.say = (field, given) => t(key, { field, given, most });
  }

  /** Show the message for an invalid text. @param given the invalid text, or null to hide the message */
  show(given, field) {
    showLine(this.element, given === null ? "" : this.say(field, given));
  }

  clear() {
    this.show(null);
  }
}

/** Handle for a value on a line. It is moved by dragging or with the arrow keys. For screen readers it is a slider. */
export class Handle {
  #given;
  #offset = 0; // distance in px from the value to the pointer that drags it

  /**
   * @param given {min; max; step; value(): current value; at(px): value at the x coordinate `px`; place(value): x of a
   * value in px; onmove(value)}
   */
  constructor(given) {
    this.#given = given;
    this.hit = s("rect", { x: -22, y: -22, width: 44, height: 44, fill: "transparent" });
    this.drawn = s("g");
    this.element = s("g.bnviz-widget-handle", {
      tabindex: 0, role: "slider", "aria-valuemin": given.min, "aria-valuemax": given.max,
      onkeydown: (event) => this.#key(event), onpointerdown: (event) => this.#take(event),
      onpointermove: (event) => this.#drag(event),
    }, this.hit, this.drawn);
  }

  /** Show the handle at a position. @param text the value as text */
  show(x, y, label, value, text) {
    set(this.element, { transform: `translate(${x} ${y})`, "aria-label": label, "aria-valuenow": value, "aria-valuetext": text });
  }

  /** Set the area that responds to the pointer: `width` px wide, starting at `x` px. */
  reach(x, width) {
    set(this.hit, { x, width });
  }

  #key(event) {
    const { step, min, max, value, onmove } = this.#given;
    const count = HANDLE_STEPS[event.key] * (event.shiftKey ? 10 : 1);
    const ends = { Home: min, End: max };
    if (modified(event) || !(event.key in HANDLE_STEPS || event.key in ends)) return;
    event.preventDefault();
    const to = event.key in ends ? ends[event.key] : value() + count * step;
    onmove(this.#rounded(to));
  }

  #take(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    this.#offset = this.#x(event) - this.#given.place(this.#given.value());
  }

  #drag(event) {
    if (!this.element.hasPointerCapture(event.pointerId)) return;
    this.#given.onmove(this.#rounded(this.#given.at(this.#x(event) - this.#offset)));
  }

  #x(event) {
    return event.clientX - this.element.ownerSVGElement.getBoundingClientRect().left;
  }

  #rounded(value) {
    const { step, min, max } = this.#given;
    const places = Math.max(0, Math.ceil(-Math.log10(step)));
    return Number(within(Math.round(value / step) * step, min, max).toFixed(places));
  }
}
