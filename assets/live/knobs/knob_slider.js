// One live knob: a native range over its ladder, its value beside the label, its help, and what was
// wrong with the last value. It acts while it is dragged.

import { h, setHidden, setText } from "../lib/dom.js";
import { count, written } from "../lib/format.js";
import { KnobValue } from "./knob_value.js";
import { placeOf, placeOn, rungAfter } from "./ladder.js";

const GESTURE_KEYS = new Set(["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "PageUp", "PageDown"]);

export class KnobSlider {
  #spec;
  #t;
  #hand;
  #gesture = 0; // of the pointer or the key that is down
  #held = false; // by a pointer: nothing else moves the thumb meanwhile
  #last = null; // what the hand set last in this gesture

  /**
   * @param spec {label, help, field, allowed, rungs, page, home, edge}, see bnviz/ui/knobs.py
   * @param t words
   * @param hand {set(value, drag), gesture()}: where values go
   * @param scale whether the ladder's decades are written under the track
   * @param note whether what is marked on the track stands under it in words
   */
  constructor(spec, t, hand, { scale = false, note = true } = {}) {
    this.#spec = spec;
    this.#t = t;
    this.#hand = hand;
    this.value = new KnobValue(t, (value) => this.#set(value), (text) => this.#wrong(text));
    this.range = h("input", {
      type: "range", min: 0, max: spec.rungs.length - 1, step: 1, "aria-label": spec.label,
      autocomplete: "off",
      oninput: () => this.#moved(), onkeydown: (event) => this.#key(event),
      onkeyup: () => this.#release(), onblur: () => this.#release(),
      onpointerdown: (event) => this.#take(event), onpointercancel: () => this.#release(), onchange: () => this.#release(),
      ondblclick: () => this.#set(spec.home),
    });
    this.past = h("small", { class: "bnviz-knob-past", hidden: true });
    this.pastMark = h("i", { hidden: true });
    this.value.element.prepend(this.past);
    this.marks = h("span", { class: "bnviz-edge-scale", "aria-hidden": true });
    this.message = h("p", { class: "bnviz-knob-message", role: "alert", hidden: true });
    this.note = note && spec.edge ? h("div", { class: "bnviz-edges" }) : null;
    this.element = h("div", { class: "bnviz-knob", "data-knob": spec.id },
      h("div", { class: "bnviz-knob-head" },
        h("span", { class: "bnviz-knob-label" }, spec.label), this.#help(), this.value.element),
      this.track = h("div", { class: "bnviz-knob-track" }, h("span", { class: "bnviz-past-scale", "aria-hidden": true }, this.pastMark), this.marks, this.range, scale ? this.#decades() : null),
      this.message, this.note);
    this.explain("");
  }

  #help() {
    const { help } = this.#spec;
    if (!help) return null;
    return h("span", { class: "bnviz-knob-help", tabindex: 0, role: "note", "aria-label": help }, "?",
      h("span", { class: "bnviz-knob-why", "aria-hidden": true }, help));
  }

  /** The powers of ten, where they stand. */
  #decades() {
    const { rungs } = this.#spec;
    const powers = rungs.filter((rung) => rung > 0 && Number.isInteger(Math.log10(rung)));
    if (powers.length < 2) return null;
    return h("span", { class: "bnviz-knob-decades", "aria-hidden": true },
      ...powers.map((rung) => h("i", { style: { "--at": placeOn(rungs, rung) } }, written(rung))));
  }

  /** Show a value, unless a hand holds the thumb. */
  show(value, disabled) {
    if (this.range.disabled !== disabled) {
      this.range.disabled = disabled;
      this.range.setAttribute("aria-disabled", String(disabled));
      if (disabled) this.#release();
    }
    if (this.#held) return;
    const place = placeOf(this.#spec.rungs, value);
    // Between two rungs the thumb stands where the value is; it moves by whole ones.
    this.range.step = Number.isInteger(place) ? 1 : "any";
    this.range.value = place;
    this.#say(value, disabled);
  }

  /** Say what is marked on the track; "": nothing is. */
  explain(text) {
    this.range.title = [this.#t("knob.home", { value: written(this.#spec.home) }), text].filter(Boolean).join("\n");
    this.range.setAttribute("aria-description", text);
  }

  /** Show what it was at the step shown, {value, step}; null: what it is now. The slider stays the newest step's. */
  showPast(past) {
    setHidden(this.past, !past);
    setHidden(this.pastMark, !past);
    if (!past) return;
    setText(this.past, this.#t("knob.past", { value: written(past.value), step: count(past.step) }));
    this.past.title = this.#t("knob.past_help");
    this.pastMark.style.setProperty("--at", String(placeOn(this.#spec.rungs, past.value)));
  }

  #say(value, disabled = this.range.disabled) {
    const text = written(value);
    this.value.show(this.#spec.label, value, disabled);
    if (this.range.getAttribute("aria-valuetext") !== text) this.range.setAttribute("aria-valuetext", text);
    this.range.style.setProperty("--done", String(placeOn(this.#spec.rungs, value)));
    this.current = value;
  }

  #take({ button }) {
    if (button !== 0 || this.range.disabled) return;
    this.#held = true;
    // The pointer may be let go anywhere.
    addEventListener("pointerup", () => this.#release(), { once: true });
    this.#begin();
  }

  #begin() {
    this.#gesture = this.#hand.gesture();
    this.#last = null;
  }

  /** The thumb was moved, by a pointer or by what helps to do without one. */
  #moved() {
    const { rungs } = this.#spec;
    const index = Math.round(Number(this.range.value));
    this.range.step = 1;
    this.range.value = index;
    if (rungs[index] === this.#last) return;
    this.#last = rungs[index];
    this.#set(rungs[index], this.#gesture);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.range.disabled) return;
    const value = rungAfter(event.key, this.#spec, this.current);
    if (value === null) return;
    event.preventDefault();
    // A key that is held is one gesture; a press is a setting of its own.
    if (event.repeat && GESTURE_KEYS.has(event.key) && !this.#gesture) this.#begin();
    if (value !== this.current) this.#set(value, this.#gesture);
  }

  #release() {
    const held = this.#held;
    this.#held = false;
    this.#gesture = 0;
    this.#last = null;
    if (held) this.#hand.released();
  }

  #set(value, drag = 0) {
    this.#wrong(null);
    this.#say(value);
    this.#hand.set(value, drag);
  }

  /** Say that a text is no value of this knob; null: nothing is wrong. */
  #wrong(given) {
    const { field, allowed } = this.#spec;
    this.complain(given === null ? "" : this.#t("knob.wrong", { field, allowed, given }));
  }

  /** Show what was wrong; screen readers speak it. */
  complain(message) {
    setText(this.message, message);
    setHidden(this.message, !message);
  }
}
