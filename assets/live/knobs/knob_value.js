// A knob's number beside its label: a button that becomes a field to type in.

import { h, setHidden, setText } from "../lib/dom.js";
import { written } from "../lib/format.js";
import { typed } from "./ladder.js";

export class KnobValue {
  #t;
  #label = "";
  #value = null;
  #offered = ""; // what stood in the field when it opened
  #onTyped;
  #onWrong;

  /**
   * @param t words
   * @param onTyped called with a number that was typed and confirmed
   * @param onWrong called with a text that is no number, or with null when it is taken back
   */
  constructor(t, onTyped, onWrong) {
    this.#t = t;
    this.#onTyped = onTyped;
    this.#onWrong = onWrong;
    this.button = h("button", { type: "button", class: "bnviz-knob-number", onclick: () => this.#open() });
    this.field = h("input", {
      type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", hidden: true,
      class: "bnviz-knob-field", onkeydown: (event) => this.#key(event), onblur: () => this.#leave(),
      oninput: () => this.#onWrong(null),
    });
    this.element = h("span", { class: "bnviz-knob-value" }, this.button, this.field);
  }

  show(label, value, disabled) {
    this.#label = label;
    this.#value = value;
    setText(this.button, written(value));
    this.button.setAttribute("aria-label", this.#t("knob.type", { label, value: written(value) }));
    this.button.title = this.#t("knob.type_help");
    this.button.disabled = disabled;
    this.field.setAttribute("aria-label", label);
    if (disabled && !this.field.hidden) this.#close();
  }

  #open() {
    this.#offered = written(this.#value);
    this.field.value = this.#offered;
    setHidden(this.field, false);
    setHidden(this.button, true);
    this.field.focus();
    this.field.select();
  }

  #close() {
    setHidden(this.button, false);
    setHidden(this.field, true);
    this.wrong(false);
  }

  #key(event) {
    event.stopPropagation();
    // The focus moves to the button while the key is down: it must not press that too.
    if (["Enter", "Escape"].includes(event.key)) event.preventDefault();
    if (event.key === "Enter" && this.#confirm()) {
      this.#close();
      this.button.focus();
    } else if (event.key === "Escape") {
      this.#onWrong(null);
      this.#close();
      this.button.focus();
    }
  }

  /** Whoever goes on elsewhere, or puts a phone's keyboard away, means what they typed. */
  #leave() {
    if (this.field.hidden) return;
    if (["", this.#offered].includes(this.field.value.trim())) this.#onWrong(null);
    else this.#confirm();
    this.#close();
  }

  /** Hand a number over; false where the text is none. */
  #confirm() {
    const value = typed(this.field.value);
    this.wrong(value === null);
    if (value === null) this.#onWrong(this.field.value);
    else this.#onTyped(value);
    return value !== null;
  }

  wrong(is) {
    if (is) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
  }
}
