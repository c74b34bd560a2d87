// Entry of the live knobs in the sidebar. They act through the socket of the live view of the same
// run, which may be mounted before them or after them. Streamlit calls `mount` again on every rerun.

import { follow } from "./live/data/open_runs.js";
import { Knobs } from "./live/knobs/knobs.js";
import { h, setHidden, setText } from "./live/lib/dom.js";
import { count } from "./live/lib/format.js";
import { linkStyles } from "./live/lib/preload.js";
import { standing } from "./live/lib/standing.js";
import { translator } from "./live/lib/texts.js";

linkStyles(import.meta.url);

/** @param component with data, see bnviz/ui/knobs.py */
export default standing(({ parentElement, data }) => new Place(parentElement, data));

/** The knobs in one element, of whichever run the page shows. */
class Place {
  #run = null;
  #leave = () => {};
  #link = null;
  #edges = null;

  constructor(parent, data) {
    this.data = data;
    this.t = translator(data.texts);
    this.title = h("span", {});
    this.note = h("small", {});
    this.heading = h("h6", { class: "bnviz-group" }, this.title, this.note);
    this.knobs = new Knobs(this, { notes: false });
    // The stability edges in words, where they have a place of their own.
    this.edge = data.edges ? { marks: null, note: h("div", { class: "bnviz-edges" }), explain() {} } : null;
    this.root = h("div", { class: "bnviz-sidebar" }, this.heading, this.knobs.element, this.edge?.note);
    parent.append(this.root);
  }

  update({ data }) {
    this.data = data;
    this.t = translator(data.texts);
    this.root.dataset.theme = data.dark ? "dark" : "light";
    const [title] = data.heading ?? [];
    setText(this.title, title ?? "");
    setHidden(this.heading, !title);
    if (this.#run === data.run) return this.knobs.update();
    this.#leave();
    this.#run = data.run;
    this.#leave = follow(data.run, (parts) => {
      this.#link = parts?.link ?? null;
      this.knobs.bind(this.#link, parts?.edges ?? null);
      this.#bindEdge(parts?.edges ?? null);
    });
  }

  /** The note says what the knobs do, or that they cannot. */
  lost(is) {
    const from = this.#link?.aside?.step ?? null;
    const acts = from === null ? this.data.heading?.[1] ?? "" : this.t("knob.from", { step: count(from) });
    setText(this.note, is ? this.t("knob.lost") : acts);
  }

  #bindEdge(edges) {
    if (!this.edge) return;
    this.#edges?.remove(this.edge);
    this.#edges = edges;
    edges?.add(this.edge, null, []);
  }

  end() {
    this.#leave();
    this.#bindEdge(null);
    this.knobs.destroy();
    this.root.remove();
  }
}
