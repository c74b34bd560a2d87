// Presenting: how much of the window the figures may take, worked out from what stands around them.

const BESIDE = 1100; // px of the view's width from which two charts stand side by side, as in the styles
const EDGE = 30; // px of the page's own margins, as in the styles
const GAP = 22; // px between the charts and what lies below the fold

export class PresentLayout {
  #view;
  #asked = 0;
  #watcher = new ResizeObserver(() => this.#soon());

  constructor(view) {
    this.#view = view;
  }

  /** Watch everything whose height matters; panels may be new. */
  update() {
    const { root, bar, question, cards, charts, data } = this.#view;
    this.#watcher.disconnect();
    if (!data.present) return this.#tell({});
    const panels = [...charts.panels.values()].map(({ element }) => element);
    const around = [root, bar, question.element, cards.element, charts.menu.chooser];
    for (const element of [...around, ...panels]) this.#watcher.observe(element);
  }

  #soon() {
    // In a frame of its own: an observer that changes sizes at once is called again in a loop.
    this.#asked ||= requestAnimationFrame(() => {
      this.#asked = 0;
      if (!this.#view.ended) this.#fit();
    });
  }

  #fit() {
    const { root, charts } = this.#view;
    const figures = [...charts.panels.values()]
      .filter(({ shown, element }) => shown && !element.hasAttribute("popover"))
      .map(({ frame }) => frame);
    if (!figures.length || root.classList.contains("bnviz-narrow")) return this.#tell({});
    if (root.clientWidth >= BESIDE) this.#tell({ below: this.#below(figures) });
    else this.#tell({ above: this.#above(figures[0]) });
  }

  /** The chooser's height where it has no place in the window: then all of it lies below the fold. */
  #below(figures) {
    const { root, charts } = this.#view;
    const needed = figures.map((figure) => {
      const least = parseFloat(figure.style.getPropertyValue("--least")) || 0;
      return root.offsetHeight - figure.offsetHeight + least;
    });
    const fits = Math.max(...needed) <= innerHeight - EDGE;
    return fits ? 0 : charts.menu.chooser.offsetHeight + GAP;
  }

  /** What stands above the first chart's figure, and the frame of its panel below it. */
  #above(figure) {
    const panel = figure.closest(".bnviz-panel");
    const top = figure.getBoundingClientRect().top - this.#view.root.getBoundingClientRect().top;
    const rest = panel.getBoundingClientRect().bottom - figure.getBoundingClientRect().bottom;
    return Math.ceil(top + rest + GAP);
  }

  #tell({ below = 0, above = 0 }) {
    const { style } = this.#view.root;
    style.setProperty("--below", `${below}px`);
    style.setProperty("--above", `${above}px`);
  }

  destroy() {
    this.#watcher.disconnect();
  }
}
