// The results of a map as text below the planes: sentences, the best accuracies, and a table of the borders.

import { differsFromLast, fill, h, setHidden, table } from "../live/lib/dom.js";
import { capitalize, lookUp } from "../live/lib/texts.js";


/**
 * Card *Read the map*. It shows sentences, whose keys and values the feed supplies, and a table of the best accuracies
 * per row of the map.
 */
export class SummaryCard {
  #isNew = differsFromLast();

  constructor(view) {
    this.view = view;
    this.best = h("div.bnviz-table.bnviz-stability-best");
    this.body = h("div");
    this.element = h("section.bnviz-card.bnviz-stability-reading", { hidden: true }, h("h3", view.t("reading_title")), this.body);
  }

  /**
   * @param reading {best: [{y, ahead, <norm>: {accuracy, x} or null}, …], sentences: {best, largest, counts}}; `ahead`
   * names the network that is clearly ahead in a row
   */
  draw({ best = [], sentences = {} } = {}) {
    const { t, data } = this.view;
    const lists = Object.fromEntries(Object.entries(sentences).map(([name, of]) => [name, this.#sentences(of)]));
    setHidden(this.element, !Object.values(lists).flat().length || Boolean(data.present));
    if (!this.#isNew([lists, best, data.language])) return;
    this.#tabulate(best);
    setHidden(this.best, !best.length);
    const title = (name) => h("h4", t(`reading.title_${name}`, this.#named({})));
    const list = (name) => h("ul", { hidden: !lists[name]?.length }, (lists[name] ?? []).map((sentence) => h("li", sentence)));
    fill(this.body, title("best"), list("best"), this.best,
      (lists.largest?.length ? [title("largest"), list("largest")] : []), list("counts"),
      (data.claim ? [h("p", h("a", { href: data.claim.href }, data.claim.text))] : []));
  }

  #sentences(keyed) {
    return keyed.filter(([key]) => lookUp(this.view.data.texts, `reading.${key}`))
      .map(([key, values]) => capitalize(this.view.t(`reading.${key}`, this.#named(values))));
  }

  /**
   * Show the best accuracies as a table, in the order of the map's rows. If a network is clearly ahead in a row, mark
   * it.
   */
  #tabulate(best) {
    const { data, model, norms, t } = this.view;
    const rows = [...best].sort((a, b) => b.y - a.y).map((row) => {
      const write = (one) => (one ? t("reading.best_at", { share: one.accuracy, x: model.across.write(one.x) }) : t("table.nowhere"));
      return [model.up.write(row.y), ...norms.map(({ name }) => h(name === row.ahead ? "b" : "span", {}, write(row[name])))];
    });
    const head = [capitalize(model.up.label), ...norms.map(({ label }) => label)];
    fill(this.best, table(head, rows, t(`reading.best_${data.equal === "data" ? "data" : "steps"}`, this.#named({ steps: data.steps }))));
  }

  /** Replace networks and axes in the values of a sentence by their names on this page. */
  #named(values) {
    const { data, norms } = this.view;
    const label = (norm) => norms.find(({ name }) => name === norm)?.label ?? norm;
    const named = Object.entries(values).map(([name, value]) => [name, name.startsWith("network") ? label(value) : value]);
    return { ...Object.fromEntries(named), across: data.across.said, up: data.up.said };
  }
}

/**
 * Table of the borders. For each rung of the vertical axis, it shows the range of values on the horizontal axis within
 * which each network learned.
 */
export class BorderTable {
  #drawn = -1; // revision of the model for which the table was last drawn

  constructor(view) {
    this.view = view;
    this.table = h("div.bnviz-table");
    this.element = h("details.bnviz-data.bnviz-stability-table", { ontoggle: () => this.draw() }, h("summary", view.t("table.title")), this.table);
  }

  /** Draw the table if it is open and the cells have changed. */
  draw() {
    const { data, model, norms, t } = this.view;
    setHidden(this.element, Boolean(data.present));
    if (!this.element.open || model.revision === this.#drawn) return;
    this.#drawn = model.revision;
    const write = (span) => (span === null ? t("table.nowhere") : span[0] === span[1] ? model.across.write(span[0])
      : t("table.span", { low: model.across.write(span[0]), high: model.across.write(span[1]) }));
    const head = [capitalize(model.up.label), ...norms.map(({ label }) => t("table.learned", { label, across: model.across.label }))];
    const rows = model.spans().reverse().map(({ value, spans }) => [model.up.write(value), ...spans.map(write)]);
    fill(this.table, table(head, rows, t("table.help")));
  }

  /** Make the next call of `draw` redraw the table, because the page has opened another map. */
  forget() {
    this.#drawn = -1;
  }
}
