// A slider that redraws the map while the slider is dragged. It requires a server with a GPU, which draws a map in
// about a second.

import { KnobSlider } from "./live/knobs/knob_slider.js";
import { fill, h } from "./live/lib/dom.js";
import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { translator } from "./live/lib/texts.js";

const EVERY = 300; // time in ms between two values that are sent during a drag

linkStyles(import.meta.url);

/**
 * Entry point for Streamlit. Its argument contains `data`: {spec: see knob_slider.js, value, texts, dark, can_control}.
 */
export default mountOnce(({ parentElement }) => new MapKnob(parentElement));

class MapKnob {
  #spec = ""; // specification of the slider, as JSON
  #gestures = 0;
  #value = null; // latest value of the current drag that has not been sent, or null
  #dragged = false; // whether a value of the current drag has been sent
  #timer = 0;

  constructor(parent) {
    this.root = h("div.bnviz-sidebar", this.list = h("div.bnviz-knobs", { onkeyup: () => this.#settle() }));
    parent.append(this.root);
  }

  update({ data, setTriggerValue }) {
    this.send = setTriggerValue;
    this.root.dataset.theme = data.dark ? "dark" : "light";
    const spec = JSON.stringify(data.spec);
    if (spec !== this.#spec) this.#build(data);
    this.#spec = spec;
    if (!this.#timer) this.slider.show(data.value, !data.can_control);
  }

  #build({ spec, texts }) {
    this.slider = new KnobSlider(spec, translator(texts), {
      gesture: () => ++this.#gestures,
      setKnob: (value, drag) => this.#set(value, drag),
      released: () => this.#settle(),
    });
    fill(this.list, [this.slider.element]);
  }

  /** Send a value at once. During a drag, send only the latest value, at regular intervals. */
  #set(value, drag) {
    this.#value = value;
    if (!drag) this.#settle();
    else if (!this.#timer) this.#sendNewest();
  }

  #sendNewest() {
    this.#timer = 0;
    if (this.#value === null) return;
    this.#tell(true);
    this.#timer = setTimeout(() => this.#sendNewest(), EVERY);
  }

  /** End the drag: send its last value as the final value. */
  #settle() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    if (this.#value !== null || this.#dragged) this.#tell(false);
  }

  #tell(dragged) {
    this.send("set", { value: this.#value ?? this.slider.current, dragged });
    this.#value = null;
    this.#dragged = dragged;
  }

  end() {
    clearTimeout(this.#timer);
    this.root.remove();
  }
}
