// The line from −10 to 10 that all drawings by hand share, so that they are aligned.

import { s } from "../lib/svg.js";
import { short } from "../lib/numbers.js";

export const END = 10;
const MARGIN = 26; // for half a disc, and the names of the lines

export class Axis {
  constructor(width) {
    this.width = width;
    this.unit = (width - 2 * MARGIN) / (2 * END);
  }

  /** Where a value stands; what lies off the line stands at its end. */
  place(value) {
    return MARGIN + (Math.min(END, Math.max(-END, value)) + END) * this.unit;
  }

  at(x) {
    return (x - MARGIN) / this.unit - END;
  }

  /** Grid and numbers, from the first line down to the last. */
  ticks(top, bottom) {
    const values = [-10, -5, 0, 5, 10];
    return [
      ...values.map((value) => s("line", { class: "bnviz-line-grid", x1: this.place(value), x2: this.place(value), y1: top, y2: bottom + 10 })),
      ...values.map((value) => s("text", { class: "bnviz-line-number", x: this.place(value), y: bottom + 26 }, short(value))),
    ];
  }

  /** What is said of a line: over what crosses it. */
  caption(text, y) {
    return s("text", { class: "bnviz-line-caption", x: this.place(END), y: y - 30 }, text);
  }

  /** A line with its name, its mean and the spread around it. */
  line(name, y, { mean, spread }) {
    const parts = [
      s("line", { class: "bnviz-line-axis", x1: this.place(-END), x2: this.place(END), y1: y, y2: y }),
      s("text", { class: "bnviz-line-name", x: 2, y: y + 5 }, name),
    ];
    if (!Number.isFinite(mean) || !Number.isFinite(spread)) return parts;
    const [left, right] = [this.place(mean - spread), this.place(mean + spread)];
    parts.push(s("rect", { class: "bnviz-line-spread", x: left, width: Math.max(0, right - left), y: y - 7, height: 14, rx: 3 }));
    if (Math.abs(mean) <= END) parts.push(s("line", { class: "bnviz-line-mean", x1: this.place(mean), x2: this.place(mean), y1: y - 10, y2: y + 10 }));
    return parts;
  }

  /** What says that a value lies off the line: an arrow at its end, and the number. */
  beyond(value, y) {
    if (!(Math.abs(value) > END)) return [];
    const [x, side] = [this.place(value), Math.sign(value)];
    return [
      s("path", { class: "bnviz-line-beyond", d: `M${x + side * 13} ${y - 5}l${side * 7} 5l${-side * 7} 5z` }),
      s("text", { class: "bnviz-line-number", x: x - side * 2, y: y + 24, "text-anchor": side > 0 ? "end" : "start" }, short(Number(value.toPrecision(6)))),
    ];
  }
}
