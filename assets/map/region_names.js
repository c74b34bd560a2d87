// Places the names of regions on a plane: inside the region, as large as there is room for, or beside it, with a
// line that leads to the region.

import { within } from "../live/lib/format.js";
import { roomiest } from "./raster.js";

const FINE = 96; // cells a side in which places are looked for
const PAD = 7; // px around words
const ENOUGH = 2.5; // times the room that a name needs: of rectangles with more, the larger one is better
const LEAST = { few: 12, many: 32 }; // cells of a region that is named: where there are few classes, or many
const FEW = 4; // classes
const AWAY = [34, 48, 64, 84, 108, 136, 170]; // px from a region to a name beside it
const ANGLES = [-135, -160, 160, 135, -110, 110, -70, -45, -20, 20, 45, 70].map((degree) => (degree * Math.PI) / 180);

/**
 * @param raster {classes, width, height}, cells from the lower left
 * @param size of the drawing in px
 * @param names for each class the ways to break its name into lines
 * @param sizes of type, the largest first
 * @param measure (line, size) → width in px
 * @returns [{kind: class, lines, size, x, y: the middle in px from the upper left, to: where the line to the region ends,
 *   or null}, …]
 */
export function placeNames(raster, size, names, sizes, measure) {
  const counts = [];
  for (const kind of raster.classes) counts[kind] = (counts[kind] ?? 0) + 1;
  const coarse = thinned(raster);
  const plane = { ...coarse, cellWidth: size.width / coarse.width, cellHeight: size.height / coarse.height, size, measure };
  const least = names.size > FEW ? LEAST.many : LEAST.few;
  const kinds = [...names.keys()].filter((kind) => counts[kind] >= least).sort((a, b) => counts[b] - counts[a]);
  const placed = [];
  const left = kinds.filter((kind) => {
    const label = inside(plane, kind, names.get(kind), sizes);
    if (label) placed.push(label);
    return !label;
  });
  for (const kind of left) {
    const label = beside(plane, kind, names.get(kind), sizes.at(-1), placed);
    if (label) placed.push(label);
  }
  return placed;
}

/** A raster with fewer cells. */
function thinned({ classes, width, height }) {
  const every = Math.ceil(Math.max(width, height) / FINE);
  if (every === 1) return { classes, width, height };
  const [wide, high] = [Math.floor(width / every), Math.floor(height / every)];
  const coarse = Uint8Array.from({ length: wide * high }, (_, cell) =>
    classes[(Math.floor(cell / wide) * width + (cell % wide)) * every]);
  return { classes: coarse, width: wide, height: high };
}

/** The size in px of a name with the room around it. */
function box(lines, size, measure) {
  return { width: Math.max(...lines.map((line) => measure(line, size))) + 2 * PAD, height: lines.length * size * 1.2 + PAD };
}

/** The name of a region inside it, at the largest size that fits; null: none fits. */
function inside(plane, kind, variants, sizes) {
  let best = null;
  for (const lines of variants) {
    const least = box(lines, sizes.at(-1), plane.measure);
    const room = roomiest(plane.classes, plane.width, plane.height, kind, (wide, high) =>
      Math.min(ENOUGH, (wide * plane.cellWidth) / least.width, (high * plane.cellHeight) / least.height) + (wide * high) / 1e7);
    const size = sizes.find((each) => {
      const { width, height } = box(lines, each, plane.measure);
      return room && room.width * plane.cellWidth >= width && room.height * plane.cellHeight >= height;
    });
    if (size && !(best?.size >= size)) best = { kind, lines, size, to: null, ...middle(room, plane), ...box(lines, size, plane.measure) };
  }
  return best;
}

/** The middle of a rectangle of cells, in px from the upper left. */
function middle({ x, y, width, height }, { cellWidth, cellHeight, size }) {
  return { x: (x + width / 2) * cellWidth, y: size.height - (y + height / 2) * cellHeight };
}

/** The name of a region beside it, on one other class and over no other name; null: no place was found. */
function beside(plane, kind, variants, size, placed) {
  const inner = roomiest(plane.classes, plane.width, plane.height, kind, (wide, high) =>
    Math.min(wide * plane.cellWidth, high * plane.cellHeight) + (wide * high) / 1e6);
  if (!inner) return null;
  const to = middle(inner, plane);
  const lines = variants[0];
  const { width, height } = box(lines, size, plane.measure);
  for (const away of AWAY)
    for (const angle of ANGLES) {
      const at = { x: to.x + Math.cos(angle) * (away + width / 2), y: to.y + Math.sin(angle) * (away + height / 2 - 10) };
      const taken = placed.some((other) =>
        Math.abs(other.x - at.x) < (other.width + width) / 2 && Math.abs(other.y - at.y) < (other.height + height) / 2);
      const ground = taken ? null : groundOf(plane, at, width, height);
      if (ground !== null && ground !== kind) return { kind, lines, size, ...at, to, ground, width, height };
    }
  return null;
}

/** The class of all cells under a box; null where there are several, one is not known, or the box leaves the drawing. */
function groundOf(plane, { x, y }, width, height) {
  const { classes, size } = plane;
  if (x < width / 2 || y < height / 2 || x > size.width - width / 2 || y > size.height - height / 2) return null;
  const column = (px) => Math.min(plane.width - 1, Math.floor(px / plane.cellWidth));
  const row = (px) => within(Math.floor((size.height - px) / plane.cellHeight), 0, plane.height - 1);
  const kind = classes[row(y) * plane.width + column(x)];
  if (!kind) return null;
  for (let r = row(y + height / 2); r <= row(y - height / 2); r++)
    for (let c = column(x - width / 2); c <= column(x + width / 2); c++)
      if (classes[r * plane.width + c] !== kind) return null;
  return kind;
}
