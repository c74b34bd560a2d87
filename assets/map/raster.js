// The cells of a plane. `Raster` paints one network's points on a lattice of eighths of a step: coarse points as
// large squares and finer ones over them, in whatever order they come. The functions find shapes in cells that
// have classes: few rectangles, the lines between two classes, the largest rectangle within one. Cells are counted
// from the lower left; class 0 is not known yet.

import { within } from "../live/lib/format.js";
import { FINEST, HALF } from "./axis.js";

const NONE = -1; // no point

export class Raster {
  #single; // by axis: whether it has one rung only
  #places = new Map(); // from a place to its point

  constructor(across, up) {
    [this.width, this.height] = [across.cells, up.cells];
    this.owners = new Int32Array(this.width * this.height).fill(NONE); // by cell: the point that is painted there
    this.rows = []; // by point: its row of the feed
    this.revision = 0;
    this.learned = []; // by point: 1 where it learned
    this.stuck = []; // by point: 1 where it neither learned nor broke
    this.#single = [across.rungs.length === 1, up.rungs.length === 1];
  }

  /** Take a row of the feed; a known point is replaced. */
  take(row) {
    const place = row.j * this.width + row.i;
    const known = this.#places.get(place);
    this.revision += 1;
    const point = known ?? this.rows.length;
    this.rows[point] = row;
    this.learned[point] = row.kind === "learned" ? 1 : 0;
    this.stuck[point] = row.kind === "stuck" ? 1 : 0;
    if (known !== undefined) return;
    this.#places.set(place, point);
    this.#paint(point, row.i, row.j);
  }

  /**
   * Take over the cells of a raster on other axes, where nothing is known here.
   *
   * @param columns for each cell across, the other's cell; -1: beyond it
   * @param lines the same for cells up
   */
  adopt(other, columns, lines) {
    const points = new Map(); // from the other's point to the same one here
    for (let y = 0; y < this.height; y++)
      for (let x = 0; x < this.width; x++) {
        const cell = y * this.width + x;
        if (this.owners[cell] !== NONE || columns[x] < 0 || lines[y] < 0) continue;
        const owner = other.owners[lines[y] * other.width + columns[x]];
        if (owner === NONE) continue;
        if (!points.has(owner)) {
          points.set(owner, this.rows.push(other.rows[owner]) - 1);
          this.learned.push(other.learned[owner]);
          this.stuck.push(other.stuck[owner]);
        }
        this.owners[cell] = points.get(owner);
      }
  }

  /** The row of the point at a place; undefined where none was measured. */
  at(i, j) {
    return this.rows[this.#places.get(j * this.width + i)];
  }

  /** The row of the point that is painted over a place; undefined where none is. */
  over(i, j) {
    return this.rows[this.owners[this.cell(i, j)]];
  }

  /** The index of a place's own cell. */
  cell(i, j) {
    const at = (place, count) => within(place + HALF, 0, count - 1);
    return at(j, this.height) * this.width + at(i, this.width);
  }

  #paint(point, i, j) {
    const size = sizeOf(i, j);
    const { owners, width, rows } = this;
    const [left, right] = this.#reach(i, size, 0);
    const [low, high] = this.#reach(j, size, 1);
    for (let y = low; y < high; y++)
      for (let cell = y * width + left; cell < y * width + right; cell++) {
        const owner = owners[cell];
        if (owner === NONE || sizeOf(rows[owner].i, rows[owner].j) > size) owners[cell] = point;
      }
  }

  /** The first cell of a square, and the one behind its last; along an axis with one rung, all cells. */
  #reach(place, size, axis) {
    const most = axis ? this.height : this.width;
    if (this.#single[axis]) return [0, most];
    const first = place + HALF - Math.floor(size / 2);
    return [Math.max(0, first), Math.min(most, first + size)];
  }
}

/** The side of the square of a point, in eighths: 8, 4, 2 or 1, by how fine the lattice is that has the point. */
export function sizeOf(i, j) {
  const both = i | j | FINEST;
  return both & -both;
}

/**
 * The cells of each class as few rectangles: equal runs in neighbouring rows are merged.
 *
 * @returns for each class a flat list: [x, y, width, height, x, …]
 */
export function rectangles(classes, width, height) {
  const found = [];
  let [below, here] = [new Int32Array(width).fill(-1), new Int32Array(width).fill(-1)];
  for (let y = 0; y < height; y++) {
    here.fill(-1);
    for (let x = 0; x < width; ) {
      const kind = classes[y * width + x];
      let end = x + 1;
      while (end < width && classes[y * width + end] === kind) end++;
      if (kind) {
        const all = (found[kind] ??= []);
        const under = y && classes[(y - 1) * width + x] === kind ? below[x] : -1;
        if (under >= 0 && all[under + 2] === end - x) {
          all[under + 3] += 1;
          here[x] = under;
        } else here[x] = all.push(x, y, end - x, 1) - 4;
      }
      x = end;
    }
    [below, here] = [here, below];
  }
  return found;
}

const [EAST, NORTH, WEST, SOUTH] = [1, 2, 4, 8];
const GO = { [EAST]: [1, 0], [NORTH]: [0, 1], [WEST]: [-1, 0], [SOUTH]: [0, -1] };

/** The lines between cells of class 2 and cells of class 1, as chains of corners; class 2 lies to their left. */
export function borders(classes, width, height) {
  const [across, ways] = [width + 1, new Uint8Array((width + 1) * (height + 1))];
  const balance = new Int8Array(ways.length); // for each corner: lines that begin there, minus lines that end there
  const add = (x, y, way) => {
    const from = y * across + x;
    ways[from] |= way;
    balance[from] += 1;
    balance[from + GO[way][0] + GO[way][1] * across] -= 1;
  };
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const cell = y * width + x;
      if (classes[cell] !== 2) continue;
      if (x + 1 < width && classes[cell + 1] === 1) add(x + 1, y, NORTH);
      if (x && classes[cell - 1] === 1) add(x, y + 1, SOUTH);
      if (y + 1 < height && classes[cell + width] === 1) add(x + 1, y + 1, WEST);
      if (y && classes[cell - width] === 1) add(x, y, EAST);
    }
  const lines = [];
  for (const open of [true, false])
    for (let start = 0; start < ways.length; start++)
      while (ways[start] && (!open || balance[start] > 0)) {
        balance[start] -= 1;
        lines.push(chain(ways, start, across));
      }
  return lines;
}

function chain(ways, start, across) {
  const corners = [[start % across, Math.floor(start / across)]];
  let [at, last] = [start, 0];
  while (ways[at]) {
    const way = ways[at] & -ways[at];
    ways[at] ^= way;
    at += GO[way][0] + GO[way][1] * across;
    const corner = [at % across, Math.floor(at / across)];
    if (way === last) corners[corners.length - 1] = corner;
    else corners.push(corner);
    last = way;
  }
  return corners;
}

/**
 * The rectangle of cells of one class into which something fits best.
 *
 * @param fit (width, height) → how well it fits; the largest value wins
 * @returns {x, y, width, height, fit}; null where no cell has the class
 */
export function roomiest(classes, width, height, kind, fit) {
  const heights = new Int32Array(width + 1); // the last one stays 0 and closes every rectangle
  const [starts, tops] = [new Int32Array(width + 2), new Int32Array(width + 2)];
  let best = null;
  for (let y = 0; y < height; y++) {
    let open = 0;
    for (let x = 0; x <= width; x++) {
      heights[x] = x < width && classes[y * width + x] === kind ? heights[x] + 1 : 0;
      let start = x;
      while (open && tops[open - 1] >= heights[x]) {
        open -= 1;
        start = starts[open];
        const [wide, high] = [x - start, tops[open]];
        const score = fit(wide, high);
        if (!best || score > best.fit) best = { x: start, y: y - high + 1, width: wide, height: high, fit: score };
      }
      if (heights[x]) [starts[open], tops[open++]] = [start, heights[x]];
    }
  }
  return best;
}
