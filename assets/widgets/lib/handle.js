// Something on a line that is dragged with a pointer or moved with the arrow keys: an SVG group that
// is a slider to screen readers.

import { s, set } from "./svg.js";

const STEPS = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 };

export class Handle {
  #given;
  #offset = 0; // between the pointer and what it took hold of

  /**
   * @param given {min, max, step, value(): now, at(x in the drawing): value there, place(value): x, onmove(value)}
   */
  constructor(given) {
    this.#given = given;
    this.hit = s("rect", { x: -22, y: -22, width: 44, height: 44, fill: "transparent" });
    this.drawn = s("g", {});
    this.element = s("g", {
      class: "bnviz-widget-handle", tabindex: 0, role: "slider", "aria-valuemin": given.min, "aria-valuemax": given.max,
      onkeydown: (event) => this.#key(event), onpointerdown: (event) => this.#take(event),
      onpointermove: (event) => this.#drag(event),
    }, this.hit, this.drawn);
  }

  /** Where it stands, and what it says. */
  show(x, y, label, value, text) {
    set(this.element, { transform: `translate(${x} ${y})`, "aria-label": label, "aria-valuenow": value, "aria-valuetext": text });
  }

  /** What a pointer can take hold of, from the left: where other handles stand close by it is less. */
  reach(x, width) {
    set(this.hit, { x, width });
  }

  #key(event) {
    const { step, min, max, value, onmove } = this.#given;
    const count = STEPS[event.key] * (event.shiftKey ? 10 : 1);
    const ends = { Home: min, End: max };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in STEPS || event.key in ends)) return;
    event.preventDefault();
    const to = event.key in ends ? ends[event.key] : value() + count * step;
    onmove(this.#rounded(to));
  }

  #take(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.element.focus({ preventScroll: true });
    this.element.setPointerCapture(event.pointerId);
    this.#offset = this.#x(event) - this.#given.place(this.#given.value());
  }

  #drag(event) {
    if (!this.element.hasPointerCapture(event.pointerId)) return;
    this.#given.onmove(this.#rounded(this.#given.at(this.#x(event) - this.#offset)));
  }

  #x(event) {
    return event.clientX - this.element.ownerSVGElement.getBoundingClientRect().left;
  }

  #rounded(value) {
    const { step, min, max } = this.#given;
    const places = Math.max(0, Math.ceil(-Math.log10(step)));
    return Number(Math.min(max, Math.max(min, Math.round(value / step) * step)).toFixed(places));
  }
}
