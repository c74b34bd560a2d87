// Accuracy by the steps of both halves, a cell a pair: the fuller the colour, the higher. The diagonal is
// the network as it was trained. A cell that is chosen sets both steps.

import { fill, h, setText } from "../../live/lib/dom.js";

const FAINTEST = 0.12; // of the fullest colour
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class AccuracyMap {
  #t;
  #onchoose;
  #cells = [];
  #count = 0;

  /** @param onchoose called with the places of lower and upper step */
  constructor(t, onchoose) {
    this.#t = t;
    this.#onchoose = onchoose;
    this.grid = h("div", { class: "bnviz-map-grid", role: "grid", onkeydown: (event) => this.#key(event) });
    this.low = h("span", {});
    this.high = h("span", {});
    this.caption = h("span", {});
    this.element = h("figure", { class: "bnviz-widget-figure bnviz-map" }, this.grid,
      h("figcaption", {}, h("span", { class: "bnviz-map-scale", "aria-hidden": true }, this.low, h("i", {}), this.high), this.caption));
  }

  /** @param view {keep: all steps there will be, values [K][K], range, s, t: places, random: moved at random} */
  draw({ keep, values, range: [low, high], s, t, random }) {
    if (keep.join() !== this.keep) this.#build(keep);
    this.#count = values.length;
    [this.s, this.t] = [s, t];
    setText(this.low, percent(low));
    setText(this.high, percent(high));
    const caption = this.#t(random ? "map_random" : "map");
    setText(this.caption, caption);
    this.grid.setAttribute("aria-label", caption);
    this.#cells.forEach((row, i) => row.forEach((cell, j) => {
      const value = values[i]?.[j];
      const known = i < values.length && j < values.length;
      const share = value === null || !known ? 0 : (value - low) / Math.max(high - low, 1e-9);
      const text = !known ? this.#t("missing") : value === null ? "∞" : percent(value);
      setText(cell, text);
      cell.disabled = !known;
      cell.style.setProperty("--full", known && value !== null ? String(FAINTEST + (1 - FAINTEST) * share) : "0");
      cell.classList.toggle("bnviz-map-chosen", known && i === s && j === t);
      cell.tabIndex = i === s && j === t ? 0 : -1;
      const place = random && i !== j ? "cell_random" : "cell";
      cell.setAttribute("aria-label", this.#t(place, { s: keep[i], t: keep[j], value: text }));
    }));
  }

  #build(keep) {
    this.keep = keep.join();
    this.grid.style.setProperty("--columns", keep.length);
    this.#cells = keep.map((_, i) => keep.map((__, j) =>
      h("button", { type: "button", class: i === j ? "bnviz-map-cell bnviz-map-own" : "bnviz-map-cell", onclick: () => this.#onchoose(i, j) })));
    const head = (text, role) => h("div", { role, class: "bnviz-map-head" }, text);
    fill(this.grid,
      h("div", { role: "row", class: "bnviz-graph-part" }, head("", "columnheader"), ...keep.map((step) => head(String(step), "columnheader"))),
      ...this.#cells.map((cells, i) => h("div", { role: "row", class: "bnviz-graph-part" }, head(String(keep[i]), "rowheader"),
        ...cells.map((cell) => h("div", { role: "gridcell", class: "bnviz-graph-part" }, cell)))));
  }

  #key(event) {
    const move = MOVES[event.key];
    if (!move || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const within = (place) => Math.min(this.#count - 1, Math.max(0, place));
    this.#onchoose(within(this.s + move[0]), within(this.t + move[1]));
    this.#cells[this.s][this.t].focus();
  }
}

const percent = (share) => (100 * share).toFixed(1);
