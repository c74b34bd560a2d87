// The planes of the map, which share their axes: which there are, how large each is drawn, and what is painted on
// them.

import { differsFromLast, fill, h, setHidden } from "../live/lib/dom.js";
import { within } from "../live/lib/format.js";
import { capitalize } from "../live/lib/texts.js";
import { SURVIVORS, legendOf, lookOf, planesFor, regionNames, showsHills } from "./colouring.js";
import { mix, paletteOf } from "./colour_scales.js";
import { Explorer } from "./explorer.js";
import { legend } from "./paint.js";
import { FAINT, Plane } from "./plane.js";

const SIZES = [20, 17, 14]; // px, type of the names of regions
const SIZES_PRESENT = [1.7, 1.4, 1.1]; // on the stage: times the plane's type

const MIDDLE = 560; // px of width from which planes stand side by side
const GAP = 26; // px between planes; as in map.css
const GAP_ROWS = 12; // px between rows of them; as in map.css
const PRESENT_TITLE = 34; // px of a plane's title on the stage
const WIDE_HALL = 1600; // px of the window's width from which the stage has larger type; as in kit.css
const AROUND = 300; // px of a window's height that a plane alone does not have
const [LEAST, MOST] = [320, 680]; // px of a plane's height

export class Planes {
  all = []; // each a Plane
  #isNew = differsFromLast(); // by what they are made of
  #room = ""; // for which they were laid out

  /** @param view {root, t, data, norms, model, colour, answer, over, and what explorer.js calls} */
  constructor(view) {
    this.view = view;
    this.element = h("div.bnviz-stability-planes");
    this.legend = h("p.bnviz-stability-keys");
  }

  /** Make the planes of the chosen colouring, if they are others, and draw them. */
  update() {
    const { colour, norms, data } = this.view;
    const wanted = planesFor(colour, norms);
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
    fill(this.element, this.all);
    // On the stage the names of its regions replace the legend of plain colours.
    const named = view.data.present && view.colour === "outcome" && !showsHills(view.model);
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
    const room = { width: this.element.clientWidth, height: data.present ? this.element.clientHeight : innerHeight, hall: innerWidth };
    if (!room.width || !room.height) return;
    const key = JSON.stringify(room);
    if (key === this.#room) return;
    this.#room = key;
    const { columns, frame } = arrange(this.all.length, room, data.present);
    this.element.style.setProperty("--columns", columns);
    for (const plane of this.all) plane.layOut({ ...frame, titled: { passes: t("plane.passes") } }, model, paletteOf(data));
    this.draw();
    this.drawOver();
  }

  /** Draw the cells that are known. */
  draw() {
    const { view } = this;
    const { model, norms, colour, data, answer } = view;
    setHidden(this.faint, !model.ghost || Boolean(data.present)); // the stage says it at its foot
    const lines = norms.map(({ colour: stroke, dashes }, network) => ({ network, points: model.borders(network), colour: stroke, dashes }));
    const hills = showsHills(model) ? norms.map(({ colour: own }, network) => ({ colour: own, at: (i, j) => model.networks[network].at(i, j) })) : null;
    for (const plane of this.all) {
      if (!plane.frame) continue;
      const survivors = plane.name === SURVIVORS;
      plane.draw({
        ...lookOf(plane, colour, view),
        ghost: model.ghost && lookOf(plane, colour, { model: model.ghost, norms, data }),
        lines: survivors ? lines : lines.filter(({ network }) => network !== plane.network), hills: survivors ? hills : null,
        names: survivors && !hills ? regionNames(view) : null, sizes: data.present ? SIZES_PRESENT.map((size) => size * plane.frame.type) : SIZES,
      });
      plane.drawMarks(data.cross, this.#edge(plane, answer?.edges));
    }
  }

  /** The rate 2/λ at step 0, with the network's name; null: none. */
  #edge(plane, edges) {
    const { norms, model, t } = this.view;
    if (model.across.knob !== "learning_rate" || !edges) return null;
    const network = norms.findIndex(({ name }) => name in edges);
    if (network < 0 || (plane.network !== null && plane.network !== network)) return null;
    const { name, colour, ink, label } = norms[network];
    return { value: edges[name], colour, ink, text: t("plane.edge", { label }) };
  }

  /** Draw what is marked on every plane. */
  drawOver() {
    for (const plane of this.all) if (plane.frame) plane.drawOver(this.view.over);
  }
}

/**
 * How large each plane is drawn in the room that there is.
 *
 * @param count of planes
 * @param room {width: of the planes, height: of the planes on the stage, else of the window, hall: of the window's width, in px}
 * @param present whether they are on the stage
 * @returns {columns, frame: {width, height, type: px}}
 */
export function arrange(count, { width, height, hall }, present) {
  const columns = width < MIDDLE || count === 1 ? 1 : 2;
  const wide = Math.floor(oneOf(columns, width));
  const rows = Math.ceil(count / columns);
  const alone = count === 1;
  const free = present ? oneOf(rows, height, GAP_ROWS) - (alone ? 0 : PRESENT_TITLE) : within(alone ? height - AROUND : wide * 0.68, LEAST, MOST);
  return { columns, frame: { width: wide, height: Math.floor(free), type: present ? (hall >= WIDE_HALL ? 24 : 20) : 13 } };
}

/** Size of each plane with this number of planes per row. */
function oneOf(count, size, gap = GAP) {
  return (size - gap * (count - 1)) / count;
}
