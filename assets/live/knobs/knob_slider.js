// Row for a live knob with a ladder of values (rungs). It has a slider, the value as an editable number, a help text
// and an error message. The knob changes while the slider is dragged.

import { button, h, modified, set, setHidden, setText, showLine } from "../lib/dom.js";
import { count, typed, within, written } from "../lib/format.js";

// Keys that set the knob repeatedly while they are held down.
const GESTURE_KEYS = new Set(["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown", "PageUp", "PageDown"]);

export class KnobSlider {
  #spec;
  #t;
  #target;
  #gesture = 0; // number of the current gesture (a drag or a held key), or 0 if there is none
  #dragged = false; // whether a pointer is dragging the thumb; if so, `show` does not move the thumb
  #last = null; // the value that was set last in the current gesture

  /**
   * @param spec {id, label, help, field, allowed, rungs, page, home, edge}, see bnviz/ui/knobs.py
   * @param t translator
   * @param target {setKnob(value, drag), gesture(): returns the number of a new gesture, released(): called when the
   * thumb is released}
   * @param told whether to show the powers of ten and a description of the stability edges under the track
   */
  constructor(spec, t, target, { told = false } = {}) {
    this.#spec = spec;
    this.#t = t;
    this.#target = target;
    this.value = new KnobValue(t, (value) => this.#setKnob(value), (text) => this.#showInvalid(text));
    this.range = h("input", {
      type: "range", min: 0, max: spec.rungs.length - 1, step: 1, "aria-label": spec.label,
      autocomplete: "off",
      oninput: () => this.#moved(), onkeydown: (event) => this.#onKey(event),
      onkeyup: () => this.#release(), onblur: () => this.#release(),
      onpointerdown: (event) => this.#startDrag(event), onpointercancel: () => this.#release(), onchange: () => this.#release(),
      ondblclick: () => this.#setKnob(spec.home),
    });
    this.past = h("small.bnviz-knob-past", { hidden: true });
    this.pastMark = h("i", { hidden: true });
    this.value.element.prepend(this.past);
    this.marks = h("span.bnviz-edge-scale", { "aria-hidden": true });
    // For a learning rate, show the value in the thumb, and mark the initial value with a ring.
    const isRate = spec.knob?.startsWith("learning_rate");
    this.bubble = isRate ? h("span.bnviz-knob-bubble", { "aria-hidden": true }) : null;
    this.start = isRate ? h("i.bnviz-knob-start", { "aria-hidden": true, style: { "--at": placeOn(spec.rungs, spec.home) } }) : null;
    this.message = h("p.bnviz-knob-message", { role: "alert", hidden: true });
    this.factors = h("small.bnviz-knob-factors", { hidden: true });
    this.note = told && spec.edge ? h("div.bnviz-edges") : null;
    this.element = h(`div.bnviz-knob${isRate ? ".bnviz-knob-rate" : ""}`, { "data-knob": spec.id }, knobHead(spec, this.value.element),
      this.track = h("div.bnviz-knob-track", h("span.bnviz-past-scale", { "aria-hidden": true }, this.pastMark), this.start, this.marks, this.range, this.bubble, told && this.#decades()),
      this.factors, this.message, this.note);
    this.explain("");
  }

  /** Create the scale of powers of ten under the track. Return null if fewer than two rungs are powers of ten. */
  #decades() {
    const { rungs } = this.#spec;
    const powers = rungs.filter((rung) => rung > 0 && Number.isInteger(Math.log10(rung)));
    if (powers.length < 2) return null;
    return h("span.bnviz-knob-decades", { "aria-hidden": true },
      powers.map((rung) => h("i", { style: { "--at": placeOn(rungs, rung) } }, written(rung))));
  }

  /** Return whether a pointer is dragging the thumb or the keyboard focus is in the row. */
  get held() {
    return this.#dragged || this.element.matches(":focus-within");
  }

  /** Text of a value. */
  words(value) {
    return written(value);
  }

  /** Prepare the row for another run. A drag in progress continues as a new gesture. */
  begin() {
    this.showError("");
    if (this.#gesture) this.#beginGesture();
  }

  /** Show a value. If the thumb is being dragged, do not move it. */
  show(value, disabled) {
    if (this.range.disabled !== disabled) {
      this.range.disabled = disabled;
      this.range.setAttribute("aria-disabled", disabled);
      if (disabled) this.#release();
    }
    if (this.#dragged) return;
    const place = placeOf(this.#spec.rungs, value);
    // A value between two rungs is shown at its exact position. The next movement selects a rung.
    this.range.step = Number.isInteger(place) ? 1 : "any";
    this.range.value = place;
    this.#write(value, disabled);
  }

  /** Show the text about the factors of a learning rate, or hide it if `text` is "". */
  showFactors(text) {
    setText(this.factors, text);
    setHidden(this.factors, !text);
  }

  /** Set the description of the marks on the track. `text` is "" if there are no marks. */
  explain(text) {
    this.range.title = [this.#t("knob.home", { value: written(this.#spec.home) }), text].filter(Boolean).join("\n");
    this.range.setAttribute("aria-description", text);
  }

  /**
   * Show `past`, the value at the past step as {value, step}. It is null if the value equals the newest value. The
   * slider keeps the newest value. `pending` means that the connection was lost before the server confirmed the newest
   * value.
   */
  showAside(past, pending) {
    setHidden(this.past, !past && !pending);
    setHidden(this.pastMark, !past || pending);
    this.element.toggleAttribute("data-pending", pending);
    if (pending) {
      setText(this.past, this.#t("knob.pending"));
      this.past.title = this.#t("knob.pending_help");
    }
    if (pending || !past) return;
    setText(this.past, this.#t("knob.past", { value: written(past.value), step: count(past.step) }));
    this.past.title = this.#t("knob.past_help");
    this.pastMark.style.setProperty("--at", placeOn(this.#spec.rungs, past.value));
  }

  #write(value, disabled = this.range.disabled) {
    const text = written(value);
    this.value.show(this.#spec.label, value, disabled);
    if (this.range.getAttribute("aria-valuetext") !== text) this.range.setAttribute("aria-valuetext", text);
    for (const { style } of [this.track, this.range]) style.setProperty("--done", placeOn(this.#spec.rungs, value));
    if (this.bubble) setText(this.bubble, text);
    this.current = value;
  }

  #startDrag({ button }) {
    if (button !== 0 || this.range.disabled) return;
    this.#dragged = true;
    // The pointer may be released anywhere on the page, so listen on the window.
    addEventListener("pointerup", () => this.#release(), { once: true });
    this.#beginGesture();
  }

  #beginGesture() {
    this.#gesture = this.#target.gesture();
    this.#last = null;
  }

  /** Set the knob after a pointer or assistive technology has moved the thumb. */
  #moved() {
    const { rungs } = this.#spec;
    const index = Math.round(Number(this.range.value));
    this.range.step = 1;
    this.range.value = index;
    if (rungs[index] === this.#last) return;
    this.#last = rungs[index];
    this.#setKnob(rungs[index], this.#gesture);
  }

  #onKey(event) {
    if (modified(event) || this.range.disabled) return;
    const value = rungAfter(event.key, this.#spec, this.current);
    if (value === null) return;
    event.preventDefault();
    // A key that is held down is one gesture, but a single press of a key is not a gesture.
    if (event.repeat && GESTURE_KEYS.has(event.key) && !this.#gesture) this.#beginGesture();
    if (value !== this.current) this.#setKnob(value, this.#gesture);
  }

  #release() {
    const dragged = this.#dragged;
    this.#dragged = false;
    this.#gesture = 0;
    this.#last = null;
    if (dragged) this.#target.released();
  }

  #setKnob(value, drag = 0) {
    this.#showInvalid(null);
    this.#write(value);
    this.#target.setKnob(value, drag);
  }

  /** Show that the typed text `given` is not a valid value. If `given` is null, remove the message. */
  #showInvalid(given) {
    const { field, allowed } = this.#spec;
    this.showError(given === null ? "" : this.#t("knob.wrong", { field, allowed, given }));
  }

  /** Show an error message, which screen readers announce. If `message` is "", hide it. */
  showError(message) {
    showLine(this.message, message);
  }
}

/** Return the first line of a row, with the label, the help and the value of the knob. */
export function knobHead({ label, help }, value = null) {
  return h("div.bnviz-knob-head", h("span.bnviz-knob-label", label),
    help && h("span.bnviz-knob-help", { tabindex: 0, role: "note", "aria-label": help }, "?",
      h("span.bnviz-knob-why", { "aria-hidden": true }, help)), value);
}

/** The number beside a knob's label. It is a button that becomes a text field when pressed. */
class KnobValue {
  #t;
  #label = "";
  #value = null;
  #initial = ""; // text of the field when it was opened
  #onTyped;
  #onInvalid;

  /**
   * @param t translator
   * @param onTyped called with a number that the reader has typed and confirmed
   * @param onInvalid called with a confirmed text that is not a number, and with null when the text changes
   */
  constructor(t, onTyped, onInvalid) {
    this.#t = t;
    this.#onTyped = onTyped;
    this.#onInvalid = onInvalid;
    this.button = button("", () => this.#open(), { className: "bnviz-knob-number" });
    this.field = h("input.bnviz-knob-field", {
      type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false", hidden: true,
      onkeydown: (event) => this.#key(event), onblur: () => this.#leave(),
      oninput: () => this.#onInvalid(null),
    });
    this.element = h("span.bnviz-knob-value", this.button, this.field);
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
    this.#initial = written(this.#value);
    this.field.value = this.#initial;
    setHidden(this.field, false);
    setHidden(this.button, true);
    this.field.focus();
    this.field.select();
  }

  #close() {
    setHidden(this.button, false);
    setHidden(this.field, true);
    this.#markInvalid(false);
  }

  #key(event) {
    event.stopPropagation();
    // The focus moves to the button while the key is down, so prevent the key from pressing the button.
    if (["Enter", "Escape"].includes(event.key)) event.preventDefault();
    if (event.key === "Enter" && this.#confirm()) {
      this.#close();
      this.button.focus();
    } else if (event.key === "Escape") {
      this.#onInvalid(null);
      this.#close();
      this.button.focus();
    }
  }

  /**
   * Handle the loss of the focus. A changed text counts as confirmed, because on a phone the reader may just close the
   * keyboard.
   */
  #leave() {
    if (this.field.hidden) return;
    if (["", this.#initial].includes(this.field.value.trim())) this.#onInvalid(null);
    else this.#confirm();
    this.#close();
  }

  /** Report the typed number. @returns false if the text is not a number */
  #confirm() {
    const value = typed(this.field.value);
    const wrong = !Number.isFinite(value);
    this.#markInvalid(wrong);
    if (wrong) this.#onInvalid(this.field.value);
    else this.#onTyped(value);
    return !wrong;
  }

  #markInvalid(invalid) {
    set(this.field, { "aria-invalid": invalid && "true" });
  }
}

/**
 * Return the position of a value on a ladder, from 0 to the index of the last rung. Between two rungs, the position is
 * interpolated logarithmically, or linearly if the lower rung is 0. A value outside the ladder gets the position of the
 * nearest end.
 */
function placeOf(rungs, value) {
  const last = rungs.length - 1;
  const above = rungs.findIndex((rung) => rung >= value);
  if (above < 0) return last;
  if (above === 0 || rungs[above] === value) return above;
  const [low, high] = [rungs[above - 1], rungs[above]];
  const part = low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return above - 1 + part;
}

/** Return the position of a value on a ladder, as a share (0 to 1) of the ladder's length. */
export function placeOn(rungs, value) {
  return placeOf(rungs, value) / Math.max(1, rungs.length - 1);
}

/**
 * Return the rung that a key selects, starting from the present value, or null for other keys.
 *
 * @param spec {rungs, page: number of rungs per PageUp}
 */
export function rungAfter(key, { rungs, page }, value) {
  const ways = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: page, PageDown: -page, Home: -Infinity, End: Infinity };
  if (!(key in ways)) return null;
  const place = placeOf(rungs, value);
  const from = ways[key] > 0 ? Math.floor(place) : Math.ceil(place);
  return rungs[within(from + ways[key], 0, rungs.length - 1)];
}
