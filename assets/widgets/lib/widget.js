// What every widget has: a place that survives reruns, its words, a sentence that says its state, a
// folded table of its numbers, and a way to tell the page's script when it comes to rest.

import { fill, h, setText } from "../../live/lib/dom.js";
import { linkStyles, mountOnce } from "../../live/lib/mounting.js";
import { translator } from "../../live/lib/texts.js";

const REST = 500; // ms without a change; at most two messages a second follow from it

linkStyles(new URL("../../", import.meta.url), "widgets.css");

/**
 * The module's default export: what Streamlit calls at each rerun.
 *
 * @param Widget class with `update(data)`, made once with its `Frame`
 */
export function mountable(Widget) {
  return mountOnce(({ parentElement, data: first }) => {
    const frame = new Frame(parentElement, first);
    const widget = new Widget(frame);
    return {
      root: frame.root,
      update({ data, setStateValue }) {
        frame.update(data, setStateValue);
        widget.update(data);
      },
      end: () => frame.end(),
    };
  });
}

/** The outside of a widget. */
export class Frame {
  #timer = null;
  #resting = null;
  #told = null;
  #setStateValue = () => {};
  #sizes;
  #onWidth = () => {};

  constructor(parent, data) {
    this.t = translator(data.texts);
    this.title = h("h3", { class: "bnviz-widget-title" });
    this.tools = h("div", { class: "bnviz-widget-tools" });
    this.body = h("div", { class: "bnviz-widget-body" });
    this.sentence = h("p", { class: "bnviz-widget-sentence" });
    this.spoken = h("div", { class: "bnviz-hidden", role: "status", "aria-live": "polite" });
    this.table = h("div", { class: "bnviz-table" });
    this.summary = h("summary", {});
    this.numbers = h("details", { class: "bnviz-data" }, this.summary, this.table);
    this.root = h("section", { class: "bnviz bnviz-widget bnviz-card" },
      h("header", {}, this.title, this.tools), this.body, this.sentence, this.spoken, this.numbers);
    parent.append(this.root);
    this.#sizes = new ResizeObserver(() => this.#onWidth(this.body.clientWidth));
    this.#sizes.observe(this.body);
  }

  update(data, setStateValue) {
    this.t = translator(data.texts);
    this.#setStateValue = setStateValue;
    this.root.dataset.theme = data.dark ? "dark" : "light";
    this.root.setAttribute("aria-label", this.t("title"));
    setText(this.title, this.t("title"));
    setText(this.summary, this.t("common.numbers"));
  }

  get width() {
    return this.body.clientWidth;
  }

  /** Call `draw` whenever the widget has become wider or narrower. */
  followWidth(draw) {
    let last = this.width;
    this.#onWidth = (width) => {
      if (width && width !== last) draw((last = width));
    };
  }

  /**
   * Say what is shown: at once to the eye, to the ear when it has come to rest.
   *
   * @param state what the page's script is told then; null: nothing is to be told
   */
  tell(sentence, state) {
    setText(this.sentence, sentence);
    this.#resting = { sentence, state };
    this.#told ??= JSON.stringify(state); // what stands there at first is no news
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), REST);
  }

  #rest() {
    const { sentence, state } = this.#resting;
    const written = JSON.stringify(state);
    if (this.#told === written) return;
    this.#told = written;
    if (state !== null) this.#setStateValue("state", state);
    setText(this.spoken, sentence);
  }

  /**
   * The numbers as a table.
   *
   * @param head of the columns
   * @param rows that begin with their own head; one that is shorter is filled up
   */
  fillTable(head, rows) {
    const filled = rows.map((row) => [...row, ...Array(Math.max(0, head.length - row.length)).fill("")]);
    fill(this.table,
      h("table", {},
        h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))),
        h("tbody", {}, ...filled.map(([name, ...cells]) =>
          h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)))))));
  }

  /** Tell the page's script what was drawn: five points. */
  drew(points) {
    this.#setStateValue("drawing", points);
  }

  end() {
    clearTimeout(this.#timer);
    this.#sizes.disconnect();
    this.root.remove();
  }
}
