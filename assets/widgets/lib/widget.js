// Base class of all widgets. A widget has a title, tools, a sentence that describes its state, and a collapsible table
// of its numbers. It persists through all reruns of the Streamlit script.

import { differsFromLast, fill, h, setText, table } from "../../live/lib/dom.js";
import { linkStyles, mountOnce } from "../../live/lib/mounting.js";
import { translator } from "../../live/lib/texts.js";
import { Choice, Slider, Switch } from "./controls.js";

const REST = 500; // time in ms for which a sentence must stay unchanged before screen readers announce it

linkStyles(new URL("../../", import.meta.url), "widgets.css");

/**
 * Return the default export of a widget's module: the function that Streamlit calls at each rerun.
 *
 * @param Kind class that extends `Widget`
 */
export function mountable(Kind) {
  return mountOnce(({ parentElement, data }) => new Kind(parentElement, data));
}

/**
 * Base class of a widget. A subclass defines `build(data)`, which creates all elements, and `draw()`, which shows the
 * chosen values.
 */
export class Widget {
  data = {};
  #isNew = differsFromLast(); // detects changes in the inputs of `build`
  #controls = new Map(); // controls by the name of the value that they set
  #timer = null;
  #said = null; // the last sentence that stayed unchanged for `REST` ms
  #setStateValue = () => {};
  #width; // width of the widget when it was last drawn
  #sizes = new ResizeObserver(() => {
    if (!this.width || this.width === this.#width) return;
    this.#width = this.width;
    this.draw();
  });

  constructor(parent, data) {
    this.t = translator(data.texts);
    this.title = h("h3.bnviz-widget-title");
    this.tools = h("div.bnviz-widget-tools");
    this.body = h("div.bnviz-widget-body");
    this.sentence = h("p.bnviz-widget-sentence");
    this.spoken = h("div.bnviz-hidden", { role: "status", "aria-live": "polite" });
    this.table = h("div.bnviz-table");
    this.summary = h("summary");
    this.numbers = h("details.bnviz-data", this.summary, this.table);
    this.root = h("section.bnviz.bnviz-widget.bnviz-card",
      h("header", this.title, this.tools), this.body, this.sentence, this.spoken, this.numbers);
    parent.append(this.root);
    this.#width = this.width;
    this.#sizes.observe(this.body);
  }

  /** Handle the data of a rerun. The elements are rebuilt only if their inputs have changed. */
  update({ data, setStateValue }) {
    this.t = translator(data.texts);
    this.#setStateValue = setStateValue;
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.setAttribute("aria-label", this.t("title"));
    setText(this.title, this.t("title"));
    setText(this.summary, this.t("common.numbers"));
    this.take(data);
    this.data = data;
    if (this.#isNew([data.texts, this.builtOf(data)])) this.build(data);
    this.draw();
  }

  /** Hook for new data. It is called before the new data replace `this.data`. */
  take() {}

  /** Return the data from which the elements are built, not including texts. */
  builtOf() {}

  draw() {}

  get width() {
    return this.body.clientWidth;
  }

  /** Colours of the networks: {norm: {line, …}}. */
  get colours() {
    return this.data.colours[this.data.dark ? "dark" : "light"];
  }

  /** Return a slider for the value with this name. @param options see `Slider` */
  slider(name, options) {
    return this.#control(name, new Slider({ name, label: this.t(name), oninput: (value) => this.choose({ [name]: value }), ...options }));
  }

  /**
   * Return radio buttons for the value with this name. @param write function that takes a value and returns its label
   */
  choice(name, values, write = String, label = this.t(name)) {
    const options = values.map((value) => [value, write(value)]);
    return this.#control(name, new Choice({ label, options, onchange: (value) => this.choose({ [name]: value }) }));
  }

  /** Return a switch for the value with this name. */
  switch(name, label = this.t(name)) {
    return this.#control(name, new Switch({ label, onchange: (on) => this.choose({ [name]: on }) }));
  }

  #control(name, control) {
    this.#controls.set(name, control);
    return control;
  }

  /** Show the chosen values in the controls. */
  showChosen() {
    for (const [name, control] of this.#controls) control.show(this.chosen[name]);
  }

  /** Change chosen values and redraw. */
  choose(changes) {
    Object.assign(this.chosen, changes);
    this.draw();
  }

  /**
   * Show a sentence. Screen readers announce every sentence except the first, once it has stayed unchanged for a while.
   * @param values unrounded numbers of the sentence, which tests read from the property `values` of the root element,
   * or null if there are no numbers yet
   */
  tell(sentence, values) {
    setText(this.sentence, sentence);
    this.root.values = values;
    this.#said ??= sentence;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.rest(sentence), REST);
  }

  /** Hook that is called when a sentence has stayed unchanged for `REST` ms. */
  rest(sentence) {
    if (this.#said === sentence) return;
    this.#said = sentence;
    setText(this.spoken, sentence);
  }

  /** Show what the widget is waiting for, and an empty table. @param head heading of the table's first column */
  tellWaiting(sentence, head) {
    this.fillTable([head], []);
    this.tell(sentence, null);
  }

  /** Send a value to the Streamlit script at once. */
  tellScript(name, value) {
    this.#setStateValue(name, value);
  }

  /**
   * Fill the table. @param rows cells of each row; the first cell is the row's heading, and a row may be shorter than
   * `head`
   */
  fillTable(head, rows) {
    fill(this.table, table(head, rows.map((row) => head.map((_, i) => row[i] ?? ""))));
  }

  end() {
    clearTimeout(this.#timer);
    this.#sizes.disconnect();
    this.root.remove();
  }
}
