// The shapes of cells as SVG paths. All shapes of one colour in a plane share one path. Because the shapes are SVG, an
// exported picture looks the same as the screen.

import { s } from "../live/lib/dom.js";
import { rounded } from "../widgets/lib/svg.js";
import { mix } from "./colour_scales.js";

const RADIUS = 2.5; // px
// Minimum size in px at which hills (histograms) are drawn: width of a cell, and height per network.
const [LEAST_WIDTH, LEAST_BAND] = [13, 8];
const HIGH = 0.72; // height of a hill, as a fraction of the height per network
const FOOT = 0.14; // space below a hill, as a fraction of the height per network
const SIDE = 0.07; // space on each side of a hill, as a fraction of the cell's width
const LINE = 1; // px

// Opacities of a hill's fill and outline, by tone.
const TONES = { full: [0.5, 1], pale: [0.34, 0.62], dark: [0.62, 0.8], black: [0.3, 0.55] };
const GREY = "#b4b8be"; // colour with which hills on dark cells are mixed

/** Return whether cells of this size have room for one hill (histogram) per network. */
export function roomForHills({ width, height }, networks) {
  return width >= LEAST_WIDTH && height / networks >= LEAST_BAND;
}

/** Return the path of a box with round corners. */
export function roundBox({ x, y, width, height }) {
  const r = Math.min(RADIUS, width / 6, height / 6);
  const [w, h, a] = [width - 2 * r, height - 2 * r, `a${rounded(r)} ${rounded(r)} 0 0 1 `];
  const [R, W, H] = [r, w, h].map(rounded);
  return `M${rounded(x + r)} ${rounded(y)}h${W}${a}${R} ${R}v${H}${a}${-R} ${R}h${-W}${a}${-R} ${-R}v${-H}${a}${R} ${-R}z`;
}

/** Decode the bins of a hill (histogram) from base64. Each bin is an integer from 0 to 255. */
export function binsOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/**
 * Return the path of a hill's outline within the given part of a cell, scaled so that the highest possible bin (255)
 * fits.
 */
export function hillPath(bins, { x, y, width, height }) {
  const [left, wide] = [x + SIDE * width, (1 - 2 * SIDE) * width];
  const foot = rounded(y + height * (1 - FOOT));
  const at = (bin) => rounded(left + (bin / bins.length) * wide);
  let [path, last] = [`M${at(0)} ${foot}`, 0];
  bins.forEach((value, bin) => {
    if (value === last) return;
    path += `H${at(bin)}V${rounded(foot - (value / 255) * HIGH * height)}`;
    last = value;
  });
  return `${path}H${at(bins.length)}${last ? `V${foot}` : ""}`;
}

/** Return the path of a small cross, drawn where a network has no hill because its numbers were not finite. */
export function crossPath({ x, y, width, height }) {
  const [r, a, b] = [Math.min(4, width / 6, height / 5), x + width / 2, y + height * (1 - FOOT - HIGH / 2)];
  return `M${rounded(a - r)} ${rounded(b - r)}l${rounded(2 * r)} ${rounded(2 * r)}m0 ${rounded(-2 * r)}l${rounded(-2 * r)} ${rounded(2 * r)}`;
}

/** Path data grouped by key, so that all shapes with the same appearance become one path. */
export class Paths {
  #made = new Map();

  add(key, d) {
    if (!this.#made.has(key)) this.#made.set(key, []);
    this.#made.get(key).push(d);
  }

  /** @param draw (key, d) → element */
  elements(draw) {
    return [...this.#made].map(([key, parts]) => draw(key, parts.join("")));
  }
}

/**
 * Return one path with all hills of one network that have the same tone. @param norm {colour, ink, name} @param dark
 * whether the page is dark
 */
export function hills({ colour, ink, name }, tone, d, dark = false) {
  const [fill, line] = TONES[dark && tone === "dark" ? "black" : tone];
  return s("path", { d, fill: tone === "dark" ? mix(colour, GREY, 0.45) : colour, "fill-opacity": fill, stroke: tone === "dark" ? colour : ink, "stroke-opacity": line,
    "stroke-width": LINE, "stroke-linejoin": "round", "data-hills": name, "data-tone": tone });
}
