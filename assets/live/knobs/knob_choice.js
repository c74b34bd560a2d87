// Row for a live knob with a few fixed values. It has one button per value, which sets the knob at once.

import { h, segments, setHidden, setText, showLine } from "../lib/dom.js";
import { count } from "../lib/format.js";
import { knobHead } from "./knob_slider.js";

let made = 0; // number of rows created so far; it makes the name of each row's radio buttons unique

export class KnobChoice {
  #spec;
  #t;

  /**
   * @param spec {id, label, help, note: a few words beside the label, choices: [[value, text]]}, see
   *   bnviz/ui/knobs.py
   * @param t translator
   * @param target {setKnob(value)}
   */
  constructor(spec, t, target) {
    this.#spec = spec;
    this.#t = t;
    made += 1;
    this.range = segments(spec.label, `bnviz-choice-${made}`, spec.choices, null, (value) => {
      this.showError("");
      target.setKnob(value);
    });
    this.past = h("small.bnviz-knob-past", { hidden: true });
    this.note = h("small", spec.note);
    this.message = h("p.bnviz-knob-message", { role: "alert", hidden: true });
    this.element = h("div.bnviz-knob.bnviz-choice", { "data-knob": spec.id },
      knobHead(spec, h("span.bnviz-knob-value", this.past, this.note)),
      this.track = h("div.bnviz-choice-values", this.range), this.message);
  }

  /** Return whether the keyboard focus is in the row. */
  get held() {
    return this.element.matches(":focus-within");
  }

  /** A value in words. */
  words(value) {
    return this.#spec.choices.find(([choice]) => choice === value)?.[1] ?? String(value);
  }

  /** Prepare the row for another run by removing the error message. */
  begin() {
    this.showError("");
  }

  show(value, disabled) {
    for (const input of this.range.querySelectorAll("input")) {
      input.checked = input.value === value;
      input.disabled = disabled;
    }
  }

  /**
   * Show the knob's value at the past step, or show that the server has not confirmed the newest value. @param past
   * {value, step}, or null @param pending whether the newest value is unconfirmed
   */
  showAside(past, pending) {
    setHidden(this.past, !past && !pending);
    setHidden(this.note, !this.past.hidden);
    this.element.toggleAttribute("data-pending", pending);
    if (!past && !pending) return;
    const [text, why] = pending
      ? [this.#t("knob.pending"), this.#t("knob.pending_help")]
      : [this.#t("knob.past", { value: this.words(past.value), step: count(past.step) }), this.#t("knob.past_help")];
    setText(this.past, text);
    this.past.title = why;
  }

  showError(message) {
    showLine(this.message, message);
  }
}
