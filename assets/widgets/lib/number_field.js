// A number that can be typed, in a field that is wide enough for it. What is no number, or out of
// bounds, is answered in words and changes nothing.

import { h } from "../../live/lib/dom.js";
import { short, typed } from "./numbers.js";

export class NumberField {
  #given;
  #value = 0;

  /** @param given {label, most, onvalue(value), onwrong(text or null)} */
  constructor(given) {
    this.#given = given;
    this.input = h("input", {
      type: "text", inputmode: "decimal", class: "bnviz-widget-field", "aria-label": given.label, autocomplete: "off",
      spellcheck: "false", maxlength: 24, onchange: () => this.#take(), onfocus: () => this.input.select(),
      onkeydown: (event) => this.#key(event),
    });
  }

  /** Show a value, unless someone is typing another. */
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
