// The planes of the map on one pair of axes: which there are, what is painted on them, and how a reader
// moves over them.

import { h, setHidden } from "../live/lib/dom.js";
import { capitalize } from "../live/lib/texts.js";
import { arrange } from "./arrangement.js";
import { Explorer } from "./explorer.js";
import { legend } from "./legend.js";
import { SURVIVORS, legendOf, lookOf, planesFor, regionNames } from "./looks.js";
import { mix, palette } from "./palette.js";
import { FAINT, Plane } from "./plane.js";

const SPECK = 4; // eighths: what is smaller all round is left out of a border over other maps
const BESIDE = 200; // px: where planes have so much less room than the page, a run stands beside them
const SIZES = [20, 17, 14]; // px of the names of regions
const SIZES_PRESENT = [1.7, 1.4, 1.1]; // times the plane's type

export class Planes {
  #planes = [];
  #asked = "";
  #room = "";

  /** @param view {t, data, norms, model, colour, answer, on: what an explorer calls} */
  constructor(view) {
    this.view = view;
    this.side = h("div", { class: "bnviz-stability-side" });
    this.element = h("div", { class: "bnviz-stability-planes" });
    this.legend = h("p", { class: "bnviz-stability-keys" });
  }

  get all() {
    return this.#planes;
  }

  /** Make the planes that are wanted, at the sizes that there is room for, and draw them. */
  update() {
    const { colour, norms, data } = this.view;
    const asked = planesFor(colour, norms, data.present);
    const key = JSON.stringify([asked, data.key, data.dark, data.language, norms]);
    if (key !== this.#asked) this.#make(asked);
    this.#asked = key;
    this.#room = "";
    this.fit();
  }

  #make(asked) {
    const { view } = this;
    const { t } = view;
    const focused = this.#planes.find(({ svg }) => svg === document.activeElement)?.name;
    this.#planes = asked.map((each) => {
      const plane = Object.assign(new Plane(each), each);
      plane.svg.setAttribute("aria-roledescription", t("plane.role"));
      new Explorer(plane, { ...view.on, networks: () => (each.network === null ? view.norms.keys() : [each.network]) });
      return plane;
    });
    const large = this.#planes.filter((plane) => plane.large);
    this.side.replaceChildren(...this.#planes.filter((plane) => !plane.large).map(({ element }) => element));
    this.element.replaceChildren(...large.map(({ element }) => element), this.side);
    setHidden(this.side, !this.side.childElementCount);
    // In a hall the plane of survivors stands alone, and its regions have their names in them.
    const named = view.data.present && view.colour === "outcome";
    const { muted, paper } = palette(view.data.dark);
    [this.faint] = legend([{ paints: [{ fill: mix(muted, paper, FAINT) }], key: "ghost" }], t);
    this.legend.replaceChildren(this.faint, ...(named ? [] : legend(legendOf(view.colour, view), t)));
    this.#name();
    // Another map, as after a zoom by the keys: they go on where they were.
    if (focused) (this.#planes.find(({ name }) => name === focused) ?? this.#planes[0]).svg.focus({ preventScroll: true });
  }

  #name() {
    const { t, norms, colour } = this.view;
    for (const plane of this.#planes) {
      const norm = norms[plane.network];
      const measure = t(`measure.${colour}`);
      const title = norm ? t("plane.title", { label: norm.label, measure }) : plane.name === SURVIVORS ? "" : t("plane.ratio", { first: norms[0].label, second: norms[1].label });
      plane.setTitle(title && capitalize(title), norm?.ink);
      setHidden(plane.title, !title);
      plane.svg.setAttribute("aria-label", t("plane.label", { title: title || t("plane.survivors") }));
    }
  }

  /** Another width. */
  fit() {
    const { view } = this;
    const { data, model, t } = view;
    const room = { width: this.element.clientWidth, height: data.present ? this.element.clientHeight : innerHeight, hall: innerWidth, alongside: view.root.clientWidth - this.element.clientWidth > BESIDE };
    if (!room.width || !room.height) return;
    const key = `${room.width} ${data.present || room.alongside ? `${room.height} ${room.hall}` : 0}`;
    if (key === this.#room) return;
    this.#room = key;
    const { layout, columns, frames } = arrange(this.#planes, room, data.present);
    this.element.dataset.layout = layout;
    this.element.style.setProperty("--columns", columns);
    this.#planes.forEach((plane, i) => {
      const frame = { ...frames[i], titled: frames[i].titled ? { passes: t("plane.passes") } : null };
      plane.layOut(frame, model, data.dark);
    });
    this.draw();
    this.drawOver();
  }

  /** Draw what is known. */
  draw() {
    const { view } = this;
    const { model, norms, colour, data, answer } = view;
    setHidden(this.faint, !model.ghost || Boolean(data.present)); // in a hall it is said at the foot
    const lines = norms.map(({ colour: stroke, dashes }, network) => ({ network, points: model.borders(network).filter(worthDrawing), colour: stroke, dashes }));
    for (const plane of this.#planes) {
      if (!plane.frame) continue;
      const survivors = plane.name === SURVIVORS;
      plane.draw({
        ...lookOf(plane, colour, view),
        ghost: model.ghost && lookOf(plane, colour, { model: model.ghost, norms, data }),
        lines: survivors ? [] : lines.filter(({ network }) => network !== plane.network),
        names: survivors ? regionNames(view) : null, sizes: data.present ? SIZES_PRESENT.map((size) => size * plane.frame.type) : SIZES,
      });
      plane.drawMarks(data.cross, this.#edge(plane, answer?.edges));
    }
  }

  /** 2/λ at step 0: in words on a large plane, a line on the network's own. */
  #edge(plane, edges) {
    const { norms, model, t } = this.view;
    if (model.across.knob !== "learning_rate" || !edges) return null;
    const network = norms.findIndex(({ name }) => name in edges);
    if (network < 0 || (plane.network !== null && plane.network !== network)) return null;
    const { name, colour, ink, label } = norms[network];
    return { value: edges[name], colour, ink, text: plane.large ? t("plane.edge", { label }) : null };
  }

  drawOver() {
    for (const plane of this.#planes) if (plane.frame) plane.drawOver(this.view.over);
  }
}

/** A border of a region, rather than of a speck in it. */
function worthDrawing(corners) {
  const size = (axis) => Math.max(...corners.map((corner) => corner[axis])) - Math.min(...corners.map((corner) => corner[axis]));
  return Math.max(size(0), size(1)) > SPECK;
}
