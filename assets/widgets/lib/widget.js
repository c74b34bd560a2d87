// The outside of every widget: title, tools, a sentence that says its state, and a folded table of its numbers. It
// stays through all reruns of the page's script, and tells the script the state when that has come to rest.

import { fill, h, setText } from "../../live/lib/dom.js";
import { linkStyles, mountOnce } from "../../live/lib/mounting.js";
import { translator } from "../../live/lib/texts.js";

const REST = 500; // ms without a change until the script is told

linkStyles(new URL("../../", import.meta.url), "widgets.css");

/**
 * Make the default export of a widget's module: the function that Streamlit calls at each rerun.
 *
 * @param Widget class with `update(data)`, made once with its `WidgetFrame`
 */
export function mountable(Widget) {
  return mountOnce(({ parentElement, data: first }) => {
    const frame = new WidgetFrame(parentElement, first);
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

class WidgetFrame {
  #timer = null;
  #newest = null; // {sentence, state}
  #sent = null; // the state that the script was told last, as JSON
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

  /** Call `draw` whenever the width has changed. */
  followWidth(draw) {
    let last = this.width;
    this.#onWidth = (width) => {
      if (width && width !== last) draw((last = width));
    };
  }

  /**
   * Show a sentence. When it has come to rest, screen readers read it, and the page's script is told the state. The first
   * state is not told.
   *
   * @param state null: the script is told nothing
   */
  tell(sentence, state) {
    setText(this.sentence, sentence);
    this.#newest = { sentence, state };
    this.#sent ??= JSON.stringify(state);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#rest(), REST);
  }

  #rest() {
    const { sentence, state } = this.#newest;
    const written = JSON.stringify(state);
    if (this.#sent === written) return;
    this.#sent = written;
    if (state !== null) this.#setStateValue("state", state);
    setText(this.spoken, sentence);
  }

  /**
   * Fill the table.
   *
   * @param head the heads of the columns
   * @param rows each begins with its own head; short ones are filled with empty cells
   */
  fillTable(head, rows) {
    const filled = rows.map((row) => [...row, ...Array(Math.max(0, head.length - row.length)).fill("")]);
    fill(this.table,
      h("table", {},
        h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))),
        h("tbody", {}, ...filled.map(([name, ...cells]) =>
          h("tr", {}, h("th", { scope: "row" }, name), ...cells.map((cell) => h("td", {}, cell)))))));
  }

  /** Tell the page's script the five points of a curve that was drawn. */
  drew(points) {
    this.#setStateValue("drawing", points);
  }

  end() {
    clearTimeout(this.#timer);
    this.#sizes.disconnect();
    this.root.remove();
  }
}
