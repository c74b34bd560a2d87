// Below the planes: sentences computed from the cells, and the borders as a table.

import { fill, h, setHidden } from "../live/lib/dom.js";
import { capitalize, lookUp } from "../live/lib/texts.js";

/** *Read the map*: keys and values of the feed as sentences. */
export class Reading {
  #said = "";

  constructor(view) {
    this.view = view;
    this.body = h("ul", {});
    this.element = h("section", { class: "bnviz-card bnviz-stability-reading", hidden: true }, h("h3", {}, view.t("reading_title")), this.body);
  }

  draw(sentences = []) {
    const { t, data } = this.view;
    const said = sentences.filter(([key]) => lookUp(data.texts, `reading.${key}`))
      .map(([key, values]) => capitalize(t(`reading.${key}`, this.#named(values))));
    setHidden(this.element, !said.length || Boolean(data.present));
    if (this.#said === said.join(" ")) return;
    this.#said = said.join(" ");
    fill(this.body, ...said.map((sentence) => h("li", {}, sentence)));
  }

  /** Values with networks and axes as this page calls them. */
  #named(values) {
    const { data } = this.view;
    const label = (norm) => data.norms.find(({ name }) => name === norm)?.label ?? norm;
    const named = Object.entries(values).map(([name, value]) => [name, name.startsWith("network") ? label(value) : value]);
    return { ...Object.fromEntries(named), across: data.across.said, up: data.up.said };
  }
}

/** The borders as a table: where each network learned, by rung of the axis up. */
export class BorderTable {
  #drawn = -1;

  constructor(view) {
    this.view = view;
    this.table = h("div", { class: "bnviz-table" });
    this.element = h("details", { class: "bnviz-data bnviz-stability-table", ontoggle: () => this.draw() }, h("summary", {}, view.t("table.title")), this.table);
  }

  /** Only what is open is kept up to date. */
  draw() {
    const { data, model, t } = this.view;
    setHidden(this.element, Boolean(data.present));
    if (!this.element.open || model.revision === this.#drawn) return;
    this.#drawn = model.revision;
    const write = (span) => (span === null ? t("table.nowhere") : span[0] === span[1] ? model.across.write(span[0])
      : t("table.span", { low: model.across.write(span[0]), high: model.across.write(span[1]) }));
    const head = [capitalize(model.up.label), ...data.norms.map(({ label }) => t("table.learned", { label, across: model.across.label }))];
    fill(this.table, h("table", {}, h("caption", {}, t("table.help")),
      h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))),
      h("tbody", {}, ...model.spans().reverse().map(({ value, spans }) =>
        h("tr", {}, h("th", { scope: "row" }, model.up.write(value)), ...spans.map((span) => h("td", {}, write(span))))))));
  }

  /** Another map. */
  forget() {
    this.#drawn = -1;
  }
}
