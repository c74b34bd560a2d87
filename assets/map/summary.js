// What a map says, below the planes: sentences and the best accuracies, the borders as a table, and the largest
// values at which the networks learned.

import { differsFromLast, fill, h, s, setHidden, setText, table } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { capitalize, lookUp } from "../live/lib/texts.js";
import { rounded, setSize, textWidth } from "../widgets/lib/svg.js";
import { HALF, MapAxis } from "./axis.js";
import { paletteOf } from "./colour_scales.js";

const [ROW, LEAST_ROW, MOST_HEIGHT] = [19, 11, 260]; // px: height of a row, its least height, and that of all rows from which they are lower
const MARKERS = { diamond: "M0 -5.6L5.6 0L0 5.6L-5.6 0Z", circle: "M-4.6 0a4.6 4.6 0 1 0 9.2 0a4.6 4.6 0 1 0 -9.2 0", square: "M-4.2 -4.2h8.4v8.4h-8.4z", cross: "M-1.6 -5h3.2v3.4h3.4v3.2h-3.4v3.4h-3.2v-3.4h-3.4v-3.2h3.4z", triangle: "M0 -5.4L5.2 4.2H-5.2Z", bar: "M-1.8 -5.4h3.6v10.8h-3.6z" };
const ARROW = "M7 0h8m-3 -3l3 3l-3 3"; // beside a marker at the end of the axis: larger values may be learned too

/** *Read the map*: sentences of which the feed has keys and values, and the best accuracies row by row. */
export class SummaryCard {
  #isNew = differsFromLast();

  constructor(view) {
    this.view = view;
    this.best = h("div.bnviz-table.bnviz-stability-best");
    this.body = h("div");
    this.element = h("section.bnviz-card.bnviz-stability-reading", { hidden: true }, h("h3", view.t("reading_title")), this.body);
  }

  /** @param reading {best: [{y, ahead, <norm>: {accuracy, x} or null}, …], sentences: {best, largest, counts}} */
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

  /** The best accuracies as a table in the order of the map's rows; a network clearly ahead in its row is marked. */
  #tabulate(best) {
    const { data, model, norms, t } = this.view;
    const rows = [...best].sort((a, b) => b.y - a.y).map((row) => {
      const write = (one) => (one ? t("reading.best_at", { share: one.accuracy, x: model.across.write(one.x) }) : t("table.nowhere"));
      return [model.up.write(row.y), ...norms.map(({ name }) => h(name === row.ahead ? "b" : "span", {}, write(row[name])))];
    });
    const head = [capitalize(model.up.label), ...norms.map(({ label }) => label)];
    fill(this.best, table(head, rows, t(`reading.best_${data.equal === "data" ? "data" : "steps"}`, this.#named({ steps: data.steps }))));
  }

  /** Values with networks and axes by the names that they have on this page. */
  #named(values) {
    const { data, norms } = this.view;
    const label = (norm) => norms.find(({ name }) => name === norm)?.label ?? norm;
    const named = Object.entries(values).map(([name, value]) => [name, name.startsWith("network") ? label(value) : value]);
    return { ...Object.fromEntries(named), across: data.across.said, up: data.up.said };
  }
}

/** The borders as a table: between which values each network learned, for each rung of the axis up. */
export class BorderTable {
  #drawn = -1; // revision of the model

  constructor(view) {
    this.view = view;
    this.table = h("div.bnviz-table");
    this.element = h("details.bnviz-data.bnviz-stability-table", { ontoggle: () => this.draw() }, h("summary", view.t("table.title")), this.table);
  }

  /** Draw the table, if it is open and has changed. */
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

  /** The page has opened another map. */
  forget() {
    this.#drawn = -1;
  }
}

/** The largest value across at which each network learned, for each rung of the axis up: a row of markers. */
export class LargestCard {
  constructor(view) {
    this.view = view;
    this.title = h("h3");
    this.svg = s("svg.bnviz-stability-svg", { "aria-hidden": "true" });
    this.key = h("p.bnviz-stability-keys");
    this.body = h("div", this.svg);
    this.element = h("section.bnviz-card.bnviz-stability-largest", { hidden: true }, this.title, this.body, this.key);
  }

  /** @param rows [{y, <norm>: value, or null}, …]; undefined: none */
  draw(rows) {
    const { data, model, norms, t } = this.view;
    setHidden(this.element, !rows?.length || Boolean(data.present));
    const width = this.body.clientWidth;
    if (this.element.hidden || !width) return;
    setText(this.title, t("largest.title", { across: data.across.said, up: data.up.said }));
    const colours = paletteOf(data);
    const shown = [...rows].sort((a, b) => b.y - a.y);
    const row = within(MOST_HEIGHT / shown.length, LEAST_ROW, ROW);
    const every = Math.ceil(13 / row);
    const left = Math.max(...shown.map(({ y }) => textWidth(model.up.write(y), 12, 400))) + 16;
    const end = model.across.rungs.at(-1);
    const found = norms.flatMap(({ name }) => shown.map((each) => each[name])).filter(Number.isFinite);
    const axis = found.length ? this.#axis(Math.min(...found), Math.max(...found)) : null;
    const height = shown.length * row + 24;
    const across = (place) => rounded(left + ((place + HALF) / axis.cells) * (width - left - 8));
    const x = (value) => across(axis.place(value));
    const middle = (i) => rounded((i + 0.5) * row);
    setSize(this.svg, width, height);
    const text = (content, at, y, anchor) => s("text", { x: at, y, "text-anchor": anchor, "font-size": 12, fill: colours.muted }, content);
    this.svg.replaceChildren(
      ...(axis?.ticks(Math.floor((width - left) / 60)) ?? []).flatMap(({ at, text: words }) => [
        s("path", { d: `M${across(at)} 0V${shown.length * row}`, stroke: colours.edge }), text(words, across(at), height - 6, "middle"),
      ]),
      ...shown.flatMap((each, i) => [
        i % every ? null : text(model.up.write(each.y), left - 10, middle(i) + 4, "end"),
        ...norms.map((norm) => (Number.isFinite(each[norm.name])
          ? s("g", { transform: `translate(${x(each[norm.name])} ${middle(i)})` }, s("path", { d: MARKERS[norm.symbol], fill: norm.colour }),
            each[norm.name] === end ? s("path", { d: ARROW, stroke: norm.colour, "stroke-width": 1.5, fill: "none", "data-end": norm.name }) : null) : null)),
      ]).filter(Boolean));
    this.key.replaceChildren(...norms.map((norm) => h("span.bnviz-stability-key", { style: { color: norm.ink } },
      s("svg", { width: 13, height: 13, viewBox: "-6.5 -6.5 13 13", "aria-hidden": "true" }, s("path", { d: MARKERS[norm.symbol], fill: norm.colour })), norm.label)),
    ...(found.includes(end) ? [h("span.bnviz-stability-key", t("largest.end"))] : []));
  }

  /** The axis from the rung below the smallest of the values to the one above the largest. */
  #axis(low, high) {
    const { across } = this.view.model;
    const rungs = across.rungs.filter((value, i, all) => (all[i + 1] ?? value) > low && (all[i - 1] ?? value) < high || value === low || value === high);
    return new MapAxis({ ...across, rungs: rungs.length > 1 ? rungs : across.rungs });
  }
}
