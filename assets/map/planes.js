// The planes of the map, which share their axes: which there are, how large each is drawn, and what is painted on
// them.

import { differsFromLast, fill, h, setHidden } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { capitalize } from "../live/lib/texts.js";
import { SURVIVORS, legendOf, lookOf, planesFor, regionNames } from "./colouring.js";
import { mix, paletteOf } from "./colour_scales.js";
import { Explorer } from "./explorer.js";
import { legend } from "./paint.js";
import { FAINT, Plane } from "./plane.js";

const SPECK = 4; // eighths: a border around a smaller region is not drawn on other networks' planes
const BESIDE = 200; // px: where planes are so much narrower than the map, a run stands beside them
const SIZES = [20, 17, 14]; // px, type of the names of regions
const SIZES_PRESENT = [1.7, 1.4, 1.1]; // on the stage: times the plane's type

const [WIDE, WIDE_FOR_MANY, MIDDLE] = [620, 840, 560]; // px of width from which planes stand side by side
const TITLE = 25; // px of a plane's title
const GAP = 26; // px between planes; as in map.css
const GAP_ROWS = 12; // px between rows of them; as in map.css
const PRESENT_TITLE = 34; // px of a plane's title on the stage
const WIDE_HALL = 1600; // px of the window's width from which the stage has larger type; as in kit.css
const AROUND = 392; // px of a window's height that planes beside a run do not have
const [LOWEST, LOWEST_SMALL, HIGHEST_SMALL] = [210, 120, 190]; // px of a plane's height beside a run
const ROOMY = 800; // px of width from which a run beside the planes does not make them lower
const TWO_LARGE = 480; // px of width from which two large planes stand side by side beside a run
const [LEAST, MOST] = [300, 560]; // px of a large plane's height

export class Planes {
  all = []; // each a Plane
  #isNew = differsFromLast(); // by what they are made of
  #room = ""; // for which they were laid out

  /** @param view {root, t, data, norms, model, colour, answer, over, and what explorer.js calls} */
  constructor(view) {
    this.view = view;
    this.side = h("div.bnviz-stability-side");
    this.element = h("div.bnviz-stability-planes");
    this.legend = h("p.bnviz-stability-keys");
  }

  /** Make the planes of the chosen colouring, if they are others, and draw them. */
  update() {
    const { colour, norms, data } = this.view;
    const wanted = planesFor(colour, norms, data.present);
    if (this.#isNew([wanted, data.key, data.dark, data.language, norms])) this.#make(wanted);
    this.#room = "";
    this.fit();
  }

  #make(wanted) {
    const { view } = this;
    const { t } = view;
    const focused = this.all.find(({ svg }) => svg === document.activeElement)?.name;
    this.all = wanted.map((each) => {
      const plane = Object.assign(new Plane(each), each);
      plane.svg.setAttribute("aria-roledescription", t("plane.role"));
      new Explorer(plane, view);
      return plane;
    });
    const large = this.all.filter((plane) => plane.large);
    fill(this.side, this.all.filter((plane) => !plane.large));
    fill(this.element, large, this.side);
    setHidden(this.side, !this.side.childElementCount);
    // On the stage the plane of survivors stands alone, and the names of its regions replace the legend.
    const named = view.data.present && view.colour === "outcome";
    const { muted, paper } = paletteOf(view.data);
    [this.faint] = legend([{ paints: [{ fill: mix(muted, paper, FAINT) }], key: "ghost" }], t);
    this.legend.replaceChildren(this.faint, ...(named ? [] : legend(legendOf(view.colour, view), t)));
    this.#setTitles();
    // After a zoom by the keys, which opens another map, the keys stay on the same plane.
    if (focused) (this.all.find(({ name }) => name === focused) ?? this.all[0]).svg.focus({ preventScroll: true });
  }

  #setTitles() {
    const { t, norms, colour } = this.view;
    for (const plane of this.all) {
      const norm = norms[plane.network];
      const measure = t(`measure.${colour}`);
      const title = norm ? t("plane.title", { label: norm.label, measure }) : plane.name === SURVIVORS ? "" : t("plane.ratio", { first: norms[0].label, second: norms[1].label });
      plane.setTitle(title && capitalize(title), norm?.ink);
      setHidden(plane.title, !title);
      plane.svg.setAttribute("aria-label", t("plane.label", { title: title || t("plane.survivors") }));
    }
  }

  /** Lay the planes out anew, if there is another room for them, and draw them. */
  fit() {
    const { view } = this;
    const { data, model, t } = view;
    const room = { width: this.element.clientWidth, height: data.present ? this.element.clientHeight : innerHeight, hall: innerWidth, alongside: view.root.clientWidth - this.element.clientWidth > BESIDE };
    if (!room.width || !room.height) return;
    const key = `${room.width} ${data.present || room.alongside ? `${room.height} ${room.hall}` : 0}`;
    if (key === this.#room) return;
    this.#room = key;
    const { layout, columns, frames } = arrange(this.all, room, data.present);
    this.element.dataset.layout = layout;
    this.element.style.setProperty("--columns", columns);
    this.all.forEach((plane, i) => {
      const frame = { ...frames[i], titled: frames[i].titled ? { passes: t("plane.passes") } : null };
      plane.layOut(frame, model, paletteOf(data));
    });
    this.draw();
    this.drawOver();
  }

  /** Draw the cells that are known. */
  draw() {
    const { view } = this;
    const { model, norms, colour, data, answer } = view;
    setHidden(this.faint, !model.ghost || Boolean(data.present)); // the stage says it at its foot
    const lines = norms.map(({ colour: stroke, dashes }, network) => ({ network, points: model.borders(network).filter(worthDrawing), colour: stroke, dashes }));
    for (const plane of this.all) {
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

  /** The rate 2/λ at step 0, for a network's own plane and, with its name, for large ones; null: none. */
  #edge(plane, edges) {
    const { norms, model, t } = this.view;
    if (model.across.knob !== "learning_rate" || !edges) return null;
    const network = norms.findIndex(({ name }) => name in edges);
    if (network < 0 || (plane.network !== null && plane.network !== network)) return null;
    const { name, colour, ink, label } = norms[network];
    return { value: edges[name], colour, ink, text: plane.large ? t("plane.edge", { label }) : null };
  }

  /** Draw what is marked on every plane. */
  drawOver() {
    for (const plane of this.all) if (plane.frame) plane.drawOver(this.view.over);
  }
}

/** Whether a border is that of a region, and not of a speck. */
function worthDrawing(corners) {
  const size = (axis) => Math.max(...corners.map((corner) => corner[axis])) - Math.min(...corners.map((corner) => corner[axis]));
  return Math.max(size(0), size(1)) > SPECK;
}

/**
 * How large each plane is drawn in the room that there is.
 *
 * @param planes [{large}, …]
 * @param room {width: of the planes, height: of the planes on the stage, else of the window, hall: of the window's width, all
 *   in px, alongside: whether the run of a cell stands beside them}
 * @param present whether they stand on the stage
 * @returns {layout: name for the style, columns, frames: [{width, height, type: px, titled: whether its axes have titles}, …]}
 */
export function arrange(planes, { width, height, hall, alongside }, present) {
  const type = present ? (hall >= WIDE_HALL ? 24 : 20) : 13;
  const small = planes.filter(({ large }) => !large).length;
  const large = planes.length - small;
  // Large and small planes are given as [width, height].
  const layOut = (layout, columns, big, little = big, typeOfBig = type) => ({
    layout, columns, frames: planes.map(({ large: titled }) => {
      const [wide, high] = (titled ? big : little).map(Math.floor);
      return { width: wide, height: high, type: titled ? typeOfBig : 12, titled };
    }),
  });
  if (alongside && !present && width < ROOMY) return lower({ large, small }, { width, free: height - AROUND }, layOut);
  if (!small) {
    const columns = width < MIDDLE || large === 1 ? 1 : 2;
    const wide = oneOf(columns, width);
    const rows = Math.ceil(large / columns);
    const tall = present ? oneOf(rows, height, GAP_ROWS) - (large > 1 ? PRESENT_TITLE : 0) : within(wide * (large === 1 ? 0.5 : 0.68), LEAST, MOST);
    return layOut("even", columns, [wide, tall]);
  }
  if (width >= (small > 2 ? WIDE_FOR_MANY : WIDE)) {
    const columns = small > 2 ? 2 : 1;
    const side = Math.round(width * (columns === 2 ? 0.42 : 0.35));
    const wide = width - side - GAP;
    const tall = within(wide * (columns === 2 ? 0.92 : 0.76), LEAST, MOST);
    const low = Math.min(300, (tall + TITLE) / Math.ceil(small / columns) - TITLE - 8);
    return layOut("beside", columns, [wide, tall], [oneOf(columns, side, 16), low]);
  }
  const columns = width < MIDDLE ? 1 : small === 3 && width > 700 ? 3 : 2;
  const wide = oneOf(columns, width);
  const tall = within(width * 0.72, LEAST, MOST);
  return layOut("below", Math.min(columns, small), [width, tall], [small === 1 ? width : wide, within(wide * 0.62, 180, 240)], width < MIDDLE ? 12 : type);
}

/** Beside the run of a cell: large planes over small ones, lower, so that the window has room for all of them. */
function lower({ large, small }, { width, free }, layOut) {
  const columns = small ? Math.min(2, small) : large > 2 && width >= TWO_LARGE ? 2 : 1;
  const wide = oneOf(columns, width);
  if (!small) return layOut("even", columns, [wide, within(free / Math.ceil(large / columns) - TITLE - GAP_ROWS, LOWEST, MOST)]);
  const low = within(free * 0.28, LOWEST_SMALL, HIGHEST_SMALL);
  const high = within(free - Math.ceil(small / columns) * (low + TITLE + GAP_ROWS), LOWEST, MOST);
  return layOut("below", columns, [width, high], [wide, low]);
}

/** Size of each plane with this number of planes per row. */
function oneOf(count, size, gap = GAP) {
  return (size - gap * (count - 1)) / count;
}
