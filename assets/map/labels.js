// Where the names of regions stand: inside, as large as fits, or beside, with a line to the region.

import { roomiest } from "./shapes.js";

const FINE = 96; // cells a side: as closely as places are looked for
const PAD = 7; // px around words
const ENOUGH = 2.5; // times the room that words need: beyond it the larger rectangle is the better one
const LEAST = { few: 12, many: 32 }; // cells of a region that is named, where there are few kinds of them or many
const FEW = 4;
const AWAY = [34, 48, 64, 84, 108, 136, 170]; // px from a region to a name beside it
const ANGLES = [-135, -160, 160, 135, -110, 110, -70, -45, -20, 20, 45, 70].map((degree) => (degree * Math.PI) / 180);

/**
 * @param raster {classes, width, height}, cells from the lower left
 * @param size of the drawing in px
 * @param names class → ways to break its name into lines
 * @param sizes of type, the largest first
 * @param measure (line, size) → width in px
 * @returns [{kind, lines, size, x, y: its middle from the upper left, to: null or where its line ends}, …]
 */
export function placeLabels(raster, size, names, sizes, measure) {
  const counts = [];
  for (const kind of raster.classes) counts[kind] = (counts[kind] ?? 0) + 1;
  const coarse = thin(raster);
  const place = { ...coarse, cellWidth: size.width / coarse.width, cellHeight: size.height / coarse.height, size, measure };
  const least = names.size > FEW ? LEAST.many : LEAST.few;
  const kinds = [...names.keys()].filter((kind) => counts[kind] >= least).sort((a, b) => counts[b] - counts[a]);
  const placed = [];
  const left = kinds.filter((kind) => {
    const inside = within(place, kind, names.get(kind), sizes);
    if (inside) placed.push(inside);
    return !inside;
  });
  for (const kind of left) {
    const label = beside(place, kind, names.get(kind), sizes.at(-1), placed);
    if (label) placed.push(label);
  }
  return placed;
}

function thin({ classes, width, height }) {
  const every = Math.ceil(Math.max(width, height) / FINE);
  if (every === 1) return { classes, width, height };
  const [wide, high] = [Math.floor(width / every), Math.floor(height / every)];
  const kept = Uint8Array.from({ length: wide * high }, (_, cell) =>
    classes[(Math.floor(cell / wide) * width + (cell % wide)) * every]);
  return { classes: kept, width: wide, height: high };
}

function box(lines, size, measure) {
  return { width: Math.max(...lines.map((line) => measure(line, size))) + 2 * PAD, height: lines.length * size * 1.2 + PAD };
}

function within(place, kind, variants, sizes) {
  let best = null;
  for (const lines of variants) {
    const least = box(lines, sizes.at(-1), place.measure);
    const room = roomiest(place.classes, place.width, place.height, kind, (wide, high) =>
      Math.min(ENOUGH, (wide * place.cellWidth) / least.width, (high * place.cellHeight) / least.height) + (wide * high) / 1e7);
    const size = sizes.find((each) => {
      const { width, height } = box(lines, each, place.measure);
      return room && room.width * place.cellWidth >= width && room.height * place.cellHeight >= height;
    });
    if (size && !(best?.size >= size)) best = { kind, lines, size, to: null, ...middle(room, place), ...box(lines, size, place.measure) };
  }
  return best;
}

function middle({ x, y, width, height }, { cellWidth, cellHeight, size }) {
  return { x: (x + width / 2) * cellWidth, y: size.height - (y + height / 2) * cellHeight };
}

function beside(place, kind, variants, size, placed) {
  const inner = roomiest(place.classes, place.width, place.height, kind, (wide, high) =>
    Math.min(wide * place.cellWidth, high * place.cellHeight) + (wide * high) / 1e6);
  if (!inner) return null;
  const to = middle(inner, place);
  const lines = variants[0];
  const { width, height } = box(lines, size, place.measure);
  for (const away of AWAY)
    for (const angle of ANGLES) {
      const at = { x: to.x + Math.cos(angle) * (away + width / 2), y: to.y + Math.sin(angle) * (away + height / 2 - 10) };
      const taken = placed.some((other) =>
        Math.abs(other.x - at.x) < (other.width + width) / 2 && Math.abs(other.y - at.y) < (other.height + height) / 2);
      const ground = taken ? null : groundOf(place, at, width, height);
      if (ground !== null && ground !== kind) return { kind, lines, size, ...at, to, ground, width, height };
    }
  return null;
}

/** The one class under a box; null where there are several, or none known, or the box leaves the drawing. */
function groundOf(place, { x, y }, width, height) {
  const { classes, size } = place;
  if (x < width / 2 || y < height / 2 || x > size.width - width / 2 || y > size.height - height / 2) return null;
  const column = (px) => Math.min(place.width - 1, Math.floor(px / place.cellWidth));
  const row = (px) => Math.min(place.height - 1, Math.max(0, Math.floor((size.height - px) / place.cellHeight)));
  const kind = classes[row(y) * place.width + column(x)];
  if (!kind) return null;
  for (let r = row(y + height / 2); r <= row(y - height / 2); r++)
    for (let c = column(x - width / 2); c <= column(x + width / 2); c++)
      if (classes[r * place.width + c] !== kind) return null;
  return kind;
}
