// What all widgets have in common: title, tools, a sentence that says their state, and a folded table of their numbers. A
// widget stays through all reruns of the page's script.

import { differsFromLast, fill, h, setText, table } from "../../live/lib/dom.js";
import { linkStyles, mountOnce } from "../../live/lib/mounting.js";
import { translator } from "../../live/lib/texts.js";
import { Choice, Slider, Switch } from "./controls.js";

const REST = 500; // ms without a change until screen readers read the sentence

linkStyles(new URL("../../", import.meta.url), "widgets.css");

/** Make the default export of a widget's module: the function that Streamlit calls at each rerun. @param Kind extends `Widget` */
export function mountable(Kind) {
  return mountOnce(({ parentElement, data }) => new Kind(parentElement, data));
}

/** Has what its class gives it: `build(data)` makes all elements, `draw()` shows what is chosen. */
export class Widget {
  data = {};
  #isNew = differsFromLast(); // by what the elements are built of
  #controls = new Map(); // by the name of what is chosen by them
  #timer = null;
  #said = null; // the sentence that came to rest last
  #setStateValue = () => {};
  #width; // the last one seen
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

  /** Take the data of a rerun. Elements are made anew where something of which they are built has changed. */
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

  /** Called before new data take the place of `this.data`. */
  take() {}

  /** Of what, besides words, the elements are built. */
  builtOf() {}

  draw() {}

  get width() {
    return this.body.clientWidth;
  }

  /** The networks' colours: {norm: {line, …}}. */
  get colours() {
    return this.data.colours[this.data.dark ? "dark" : "light"];
  }

  /** A slider by which the value of a name is chosen. @param options see `Slider` */
  slider(name, options) {
    return this.#control(name, new Slider({ name, label: this.t(name), oninput: (value) => this.choose({ [name]: value }), ...options }));
  }

  /** Radio buttons by which one of the values of a name is chosen. @param write (value) => its words */
  choice(name, values, write = String, label = this.t(name)) {
    const options = values.map((value) => [value, write(value)]);
    return this.#control(name, new Choice({ label, options, onchange: (value) => this.choose({ [name]: value }) }));
  }

  /** A switch by which a name is chosen or not. */
  switch(name, label = this.t(name)) {
    return this.#control(name, new Switch({ label, onchange: (on) => this.choose({ [name]: on }) }));
  }

  #control(name, control) {
    this.#controls.set(name, control);
    return control;
  }

  /** Show in the controls what is chosen. */
  showChosen() {
    for (const [name, control] of this.#controls) control.show(this.chosen[name]);
  }

  /** Change what is chosen. */
  choose(changes) {
    Object.assign(this.chosen, changes);
    this.draw();
  }

  /**
   * Show a sentence. When it has come to rest, screen readers read it, except the first one.
   *
   * @param values its numbers unrounded, for tests: `values` of the root; null: there are none yet
   */
  tell(sentence, values) {
    setText(this.sentence, sentence);
    this.root.values = values;
    this.#said ??= sentence;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.rest(sentence), REST);
  }

  /** Called when a sentence has come to rest. */
  rest(sentence) {
    if (this.#said === sentence) return;
    this.#said = sentence;
    setText(this.spoken, sentence);
  }

  /** Say what is waited for; there are no numbers yet. @param head of the table's first column */
  tellWaiting(sentence, head) {
    this.fillTable([head], []);
    this.tell(sentence, null);
  }

  /** Tell the page's script a value at once. */
  tellScript(name, value) {
    this.#setStateValue(name, value);
  }

  /** Fill the table. @param rows each begins with its own head, and may be short */
  fillTable(head, rows) {
    fill(this.table, table(head, rows.map((row) => head.map((_, i) => row[i] ?? ""))));
  }

  end() {
    clearTimeout(this.#timer);
    this.#sizes.disconnect();
    this.root.remove();
  }
}
