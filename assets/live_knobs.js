// Entry point of the live knobs in the sidebar. The knobs use the connection of the live view that shows the same run.
// That view may be mounted before or after the knobs.

import { Knobs } from "./live/knobs/knobs.js";
import { h, setHidden, setText } from "./live/lib/dom.js";
import { count } from "./live/lib/format.js";
import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { translator } from "./live/lib/texts.js";

linkStyles(import.meta.url);

/** Entry point for Streamlit. For `data` see bnviz/ui/knobs.py. */
export default mountOnce(({ parentElement, data }) => new SidebarKnobs(parentElement, data));

class SidebarKnobs {
  #edges = null;

  constructor(parent, data) {
    this.data = data;
    this.t = translator(data.texts);
    this.title = h("span");
    this.note = h("small");
    this.heading = h("h6.bnviz-group", this.title, this.note);
    this.knobs = new Knobs(this, { inSidebar: true });
    // The stability edges as text, if the Streamlit script requests them.
    this.edge = data.edges ? { marks: null, note: h("div.bnviz-edges"), explain() {} } : null;
    this.root = h("div.bnviz-sidebar", this.heading, this.knobs, this.edge?.note);
    parent.append(this.root);
  }

  update({ data }) {
    this.data = data;
    this.t = translator(data.texts);
    this.root.dataset.theme = data.dark ? "dark" : "light";
    const [title] = data.heading ?? [];
    setText(this.title, title ?? "");
    setHidden(this.heading, !title);
    this.knobs.follow(data.run, (found) => this.#bindEdges(found?.edges ?? null));
    this.knobs.update();
  }

  /** Show the step from which the knobs take effect, or show that the connection is lost. Called by `Knobs`. */
  showConnection(lost) {
    const from = this.knobs.link?.rewound?.step ?? null;
    const acts = from === null ? this.data.heading?.[1] ?? "" : this.t("knob.from", { step: count(from) });
    setText(this.note, lost ? this.t("knob.lost") : acts);
  }

  #bindEdges(edges) {
    if (!this.edge) return;
    this.#edges?.remove(this.edge);
    this.#edges = edges;
    edges?.add(this.edge, null, []);
  }

  end() {
    this.#bindEdges(null);
    this.knobs.destroy();
    this.root.remove();
  }
}
