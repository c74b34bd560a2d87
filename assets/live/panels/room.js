// The room that a column gives its charts: they are made lower where that lets all of them stand in it;
// where it does not, a line over the column's foot says that more follows, until one has scrolled there.

import { button, setHidden, setText } from "../lib/dom.js";

const LOWEST = 0.6; // of a figure's own height
const BEGUN = 0.35; // of a figure in sight: the chart is seen, only its rest lies below
const NEARLY = 20; // px of a figure that may be cut off without a word

export class Room {
  #view;
  #column = null; // what scrolls around the charts
  #watcher = new ResizeObserver(() => this.#soon());
  #asked = false;
  #share = 1;

  constructor(view) {
    this.#view = view;
    this.element = button("", () => this.#go(), { className: "bnviz-pill bnviz-filled bnviz-below" });
    setHidden(this.element, true);
  }

  /** Follow the column that the view stands in by now. */
  watch() {
    if (this.#column?.isConnected) return;
    const { root } = this.#view;
    this.#column = columnOf(root);
    if (!this.#column) return;
    this.#column.addEventListener("scroll", () => this.#say(), { passive: true });
    for (const element of [this.#column, root]) this.#watcher.observe(element);
  }

  #soon() {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(() => {
      this.#asked = false;
      this.#fit();
      this.#say();
    });
  }

  get #panels() {
    return [...this.#view.charts.panels.values()].filter(({ shown }) => shown);
  }

  /** Make all figures lower by the same share, if then all of them stand in the column. */
  #fit() {
    const rows = rowsOf(this.#panels);
    const height = (share) => rows.reduce((sum, row) => sum + Math.max(...row.map((panel) => panel.heightAt(share))), 0);
    const room = parseFloat(getComputedStyle(this.#column).maxHeight);
    const rest = this.#column.scrollHeight - height(this.#share);
    const free = room - rest;
    let share = 1;
    while (share > LOWEST && height(share) > free) share -= 0.02;
    share = height(share) > free ? 1 : Math.round(share * 100) / 100;
    if (share === this.#share || !Number.isFinite(room)) return;
    this.#share = share;
    this.#view.root.style.setProperty("--share", share);
  }

  /** Say how many charts lie further down. */
  #say() {
    const { t, root } = this.#view;
    const box = this.#column.getBoundingClientRect();
    const foot = box.bottom - this.#foot;
    const figures = this.#panels.map(({ frame }) => frame.getBoundingClientRect());
    const more = figures.some(({ bottom }) => bottom > foot + NEARLY);
    const below = figures.filter(({ top, height }) => foot - top < BEGUN * height).length;
    const key = below > 1 ? "below_many" : below === 1 ? "below_one" : "below_rest";
    if (more) setText(this.element, t(`block.${key}`, { count: below }));
    setHidden(this.element, !more);
    root.classList.toggle("bnviz-more-below", more);
  }

  /** What stands over the foot of the column and hides what lies there. */
  get #foot() {
    const { dock } = this.#view.block;
    return getComputedStyle(dock).position === "sticky" ? dock.offsetHeight : 0;
  }

  #go() {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.#column.scrollBy({ top: 0.8 * this.#column.clientHeight, behavior: calm ? "auto" : "smooth" });
  }

  destroy() {
    this.#watcher.disconnect();
  }
}

/** What scrolls around an element, but not the whole page. */
function columnOf(element) {
  const column = element.closest("[data-testid='stColumn']");
  return column && getComputedStyle(column).overflowY === "auto" ? column : null;
}

/** Panels beside each other make a row. */
function rowsOf(panels) {
  const rows = new Map();
  for (const panel of panels) {
    const top = panel.element.offsetTop;
    rows.set(top, [...(rows.get(top) ?? []), panel]);
  }
  return [...rows.values()];
}
