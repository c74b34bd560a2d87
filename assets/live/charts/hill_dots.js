// Dots on a hill (a histogram of one layer's values). There is one dot for each of the eight images of the page, at the
// value that one unit of the layer receives for the image. The dots are visible while a pointer or a finger is on a
// row, or while the row is selected with the keyboard. The values come from the same forward pass as the histogram.

import { rows } from "../data/frame.js";
import { h, setHidden, setText } from "../lib/dom.js";
import { within } from "../lib/format.js";

const PROBE = "shown_values";
const SAME = 0.05; // values count as the same if they differ by less than this share of the largest value
const MIDDLE = 0.42; // height of the dots above the base of a row, as a share of the row's height
const MOVES = { ArrowUp: 1, ArrowDown: -1 };

export class HillDots {
  #frame;
  #patcher;
  #view;
  #parts; // one element per network: {binding, dots, words}
  #row = null; // index of the row under the pointer or selected with the keyboard, or null
  #labels;

  /** @param frame the positioned element around the figure */
  constructor(frame, patcher, spec, view) {
    this.#frame = frame;
    this.#patcher = patcher;
    this.#view = view;
    this.#labels = view.data.block.images.labels;
    this.#parts = spec.bindings.filter(({ kind }) => kind === "callout").map((binding) => {
      const dots = this.#labels.map((label) => h("b.bnviz-dot", { hidden: true }, String(label)));
      const words = h("p.bnviz-dots-say", { hidden: true });
      frame.append(...dots, words);
      return { binding, dots, words };
    });
    // The frame must not be hidden from screen readers, because the keyboard reaches the rows here. The values can also
    // be read in the chart's table.
    frame.removeAttribute("aria-hidden");
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", view.t("dots.label"));
    frame.addEventListener("pointermove", (event) => this.#point(event));
    frame.addEventListener("pointerdown", (event) => this.#point(event));
    frame.addEventListener("pointerleave", ({ pointerType }) => pointerType !== "touch" && this.#choose(null));
    frame.addEventListener("keydown", (event) => this.#onKey(event));
    frame.addEventListener("blur", () => this.#choose(null));
  }

  get #count() {
    return this.#parts[0]?.binding.rows.length ?? 0;
  }

  #point(event) {
    const down = this.#patcher.axisNamed(this.#parts[0].binding.y);
    if (!down?._length) return;
    const y = event.clientY - this.#frame.getBoundingClientRect().top - down._offset;
    const { base } = this.#parts[0].binding;
    const row = Math.floor(down.p2d(y) - base) - 1;
    this.#choose(row >= 0 && row < this.#count && y <= down._length ? row : null);
  }

  #onKey(event) {
    const by = MOVES[event.key];
    if (by) this.#choose(within((this.#row ?? (by > 0 ? -1 : this.#count)) + by, 0, this.#count - 1));
    else if (event.key === "Escape" && this.#row !== null) this.#choose(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #choose(row) {
    if (row === this.#row) return;
    this.#row = row;
    this.#view.store.wantProbes(`${this.#view.id} dots`, row === null ? [] : [PROBE]);
    this.#view.charts.invalidate();
    this.#view.paint();
  }

  draw({ frame, live, rewound }) {
    for (const part of this.#parts) {
      const { binding, dots, words } = part;
      const [across, down] = [binding.x, binding.y].map((name) => this.#patcher.axisNamed(name));
      const field = `${binding.network}.${PROBE}.value`;
      const measured = this.#row !== null && across?._length && (rewound || frame.measuredAt(field) >= live.step - 1);
      const values = measured ? rows(frame.field(field) ?? { data: [], shape: [0] })[this.#row] : undefined;
      for (const element of [...dots, words]) setHidden(element, !values);
      if (values) this.#drawRow(part, Array.from(values), frame.field(`${binding.network}.${PROBE}.spread`).data[this.#row], across, down);
    }
  }

  #drawRow({ binding, dots, words }, values, spread, across, down) {
    const { t, data } = this.#view;
    const [base, top] = [0, 1].map((up) => down._offset + down.d2p(this.#row + 1 + binding.base + up));
    const y = base - MIDDLE * (base - top);
    values.forEach((value, i) => {
      const x = within(across.d2p(Math.asinh(Number.isFinite(value) ? value : 0)), 0, across._length) || 0;
      dots[i].style.translate = `${across._offset + x}px ${y}px`;
      dots[i].style.setProperty("--colour", data.colours[binding.network].text);
    });
    // `spread` is the largest spread of any unit, not only of the unit whose values the dots show
    const same = spread <= SAME;
    setText(words, !Number.isFinite(spread) ? t("dots.nothing", { layer: binding.rows[this.#row] }) : t(same ? "dots.same" : "dots.apart", { layer: binding.rows[this.#row], share: SAME }));
    words.style.translate = `${across._offset}px ${base + 4}px`;
    words.style.maxWidth = `${across._length}px`;
    this.#view.announcer.say(words.textContent, `dots ${binding.network}`, `${this.#row} ${same}`);
  }
}
