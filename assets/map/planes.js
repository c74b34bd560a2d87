// The map's single plane. This class sets the plane's size, the paint of its cells, and its legend.

import { differsFromLast, fill, h, setHidden } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { legendOf, lookOf } from "./colouring.js";
import { mix, paletteOf } from "./colour_scales.js";
import { Explorer } from "./explorer.js";
import { legend } from "./paint.js";
import { FAINT, Plane } from "./plane.js";

const SHARE = 0.5; // height of the plane as a fraction of its width
const [LEAST, MOST] = [300, 720]; // minimum and maximum height of the plane in px
const BELOW = 250; // px of the window's height reserved for the content above and below the plane
const NARROW = 560; // width of the plane in px below which its type is smaller
const WIDE_HALL = 1600; // window width in px from which the presentation view has larger type, the same as in kit.css

export class Planes {
  plane = null;
  #isNew = differsFromLast(); // detects changes in the contents of the legend
  #room = ""; // the size for which the plane was laid out

  /** @param view {root, t, data, norms, model, colour, over, and the methods that explorer.js calls} */
  constructor(view) {
    this.view = view;
    this.plane = new Plane();
    new Explorer(this.plane, view);
    this.element = h("div.bnviz-stability-planes", this.plane.element);
    this.legend = h("p.bnviz-stability-keys");
  }

  /** Handle new page data or a change of the way of colouring. */
  update() {
    const { colour, norms, data, t } = this.view;
    if (this.#isNew([colour, data.key, data.dark, data.language, norms])) {
      const { muted, paper } = paletteOf(data);
      [this.faint] = legend([{ paints: [{ fill: mix(muted, paper, FAINT) }], key: "ghost" }], t);
      this.line = h("span.bnviz-stability-key");
      this.legend.replaceChildren(...legend(legendOf(colour, this.view), t), this.line, this.faint);
      const { svg } = this.plane;
      svg.setAttribute("aria-roledescription", t("plane.role"));
      svg.setAttribute("aria-label", t("plane.label", { title: t(`plane.${colour === "outcome" ? "survivors" : "title"}`, { measure: t(`colour.${colour}`) }) }));
    }
    this.#room = "";
    this.fit();
  }

  /** Lay out and redraw the plane if its available space has changed. */
  fit() {
    const { data, model } = this.view;
    const width = this.element.clientWidth;
    const height = data.present ? this.element.clientHeight : within(width * SHARE, LEAST, within(innerHeight - BELOW, LEAST, MOST));
    const key = `${width} ${Math.round(height)} ${data.present ? innerWidth : 0}`;
    if (!width || !height || key === this.#room) return;
    this.#room = key;
    const type = data.present ? (innerWidth >= WIDE_HALL ? 24 : 20) : width < NARROW ? 12 : 13;
    this.plane.layOut({ width, height: Math.floor(height), type }, model, paletteOf(data));
    this.draw();
    this.drawOver();
  }

  /** Draw the cells received so far. */
  draw() {
    const { view, plane } = this;
    const { model, norms, data, t } = view;
    if (!plane.frame) return;
    setHidden(this.faint, !model.ghost);
    plane.draw(lookOf(view.colour, view), norms);
    plane.drawMarks(data.cross);
    const lower = model.spans().some(({ spans }) => spans.some((span) => span && span[0] > model.across.rungs[0]));
    fill(this.line, t(`legend.line_${model.across.knob === "learning_rate" && !lower ? "largest" : "any"}`));
  }

  /** Draw the marks over the cells of the plane. */
  drawOver() {
    if (this.plane.frame) this.plane.drawOver(this.view.over);
  }
}
