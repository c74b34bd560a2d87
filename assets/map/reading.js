// Below the planes: what the cells say, in sentences and numbers, and the borders as a table.

import { fill, h, setHidden } from "../live/lib/dom.js";
import { capitalize, lookUp } from "../live/lib/texts.js";

/** *Read the map*: the best accuracies row by row, and keys and values of the feed as sentences. */
export class Reading {
  #said = "";

  constructor(view) {
    this.view = view;
    this.best = h("div", { class: "bnviz-table bnviz-stability-best" });
    this.body = h("div", {});
    this.element = h("section", { class: "bnviz-card bnviz-stability-reading", hidden: true }, h("h3", {}, view.t("reading_title")), this.body);
  }

  /** @param reading {best: [{y, ahead, <norm>: {accuracy, x} or null}, …], sentences: {best, largest, counts}} */
  draw({ best = [], sentences = {} } = {}) {
    const { t, data } = this.view;
    const lists = Object.fromEntries(Object.entries(sentences).map(([name, of]) => [name, this.#sentences(of)]));
    const said = Object.values(lists).flat();
    setHidden(this.element, !said.length || Boolean(data.present));
    const newest = JSON.stringify([lists, best, data.language]);
    if (this.#said === newest) return;
    this.#said = newest;
    this.#tabulate(best);
    setHidden(this.best, !best.length);
    const title = (name) => h("h4", {}, t(`reading.title_${name}`, this.#named({})));
    const list = (name) => h("ul", { hidden: !lists[name]?.length }, ...(lists[name] ?? []).map((sentence) => h("li", {}, sentence)));
    fill(this.body, title("best"), list("best"), this.best,
      ...(lists.largest?.length ? [title("largest"), list("largest")] : []), list("counts"),
      ...(data.claim ? [h("p", {}, h("a", { href: data.claim.href }, data.claim.text))] : []));
  }

  #sentences(keyed) {
    return keyed.filter(([key]) => lookUp(this.view.data.texts, `reading.${key}`))
      .map(([key, values]) => capitalize(this.view.t(`reading.${key}`, this.#named(values))));
  }

  /** The topmost row of the map on top, as there; what is clearly ahead in its row is marked. */
  #tabulate(best) {
    const { data, model, t } = this.view;
    const rows = [...best].sort((a, b) => b.y - a.y).map((row) => {
      const write = (one) => (one ? t("reading.best_at", { share: one.accuracy, x: model.across.write(one.x) }) : t("table.nowhere"));
      return h("tr", {}, h("th", { scope: "row" }, model.up.write(row.y)),
        ...data.norms.map(({ name }) => h("td", {}, h(name === row.ahead ? "b" : "span", {}, write(row[name])))));
    });
    const head = [capitalize(model.up.label), ...data.norms.map(({ label }) => label)];
    fill(this.best, h("table", {}, h("caption", {}, t(`reading.best_${data.equal === "data" ? "data" : "steps"}`, this.#named({ steps: data.steps }))),
      h("thead", {}, h("tr", {}, ...head.map((label) => h("th", { scope: "col" }, label)))), h("tbody", {}, ...rows)));
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
