// One network's points painted on a lattice of eighths of a step: coarse ones as large squares, finer
// ones over them, in whatever order they come. Only what is new is painted.

import { FINEST } from "./axis.js";
import { I, J, KIND } from "./columns.js";

const NONE = -1;

export class Raster {
  /**
   * @param across, up the axes
   */
  constructor(across, up) {
    [this.width, this.height] = [across.cells, up.cells];
    this.owners = new Int32Array(this.width * this.height).fill(NONE); // which point was painted there
    this.rows = []; // of the feed, a point each
    this.revision = 0;
    this.learned = []; // by point: 1 where it learned
    this.stuck = []; // by point: 1 where it neither learned nor broke
    this.#single = [across.rungs.length === 1, up.rungs.length === 1];
  }

  #single;
  #places = new Map();

  /** Take a row; one of a point that is known already replaces it. */
  take(row) {
    const place = row[J] * this.width + row[I];
    const known = this.#places.get(place);
    this.revision += 1;
    const point = known ?? this.rows.length;
    this.rows[point] = row;
    this.learned[point] = row[KIND] === "learned" ? 1 : 0;
    this.stuck[point] = row[KIND] === "stuck" ? 1 : 0;
    if (known !== undefined) return;
    this.#places.set(place, point);
    this.#paint(point, row[I], row[J]);
  }

  /**
   * Take over what another raster has, as far as nothing is known here.
   *
   * @param other of other axes
   * @param columns by cell across, the other's cell across; -1: beyond it
   * @param lines the same of cells up
   */
  adopt(other, columns, lines) {
    const points = new Map(); // the other's point → the same one here
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

  /** The row of a point; undefined where none was measured. */
  at(i, j) {
    return this.rows[this.#places.get(j * this.width + i)];
  }

  /** The row that was painted over a point; undefined where none was yet. */
  over(i, j) {
    return this.rows[this.owners[this.cell(i, j)]];
  }

  /** The place of a point's own cell in the raster. */
  cell(i, j) {
    const within = (place, most) => Math.min(most - 1, Math.max(0, place + FINEST / 2));
    return within(j, this.height) * this.width + within(i, this.width);
  }

  #paint(point, i, j) {
    const size = sizeOf(i, j);
    const { owners, width, rows } = this;
    const [left, right] = this.#reach(i, size, 0);
    const [low, high] = this.#reach(j, size, 1);
    for (let y = low; y < high; y++)
      for (let cell = y * width + left; cell < y * width + right; cell++) {
        const owner = owners[cell];
        if (owner === NONE || sizeOf(rows[owner][I], rows[owner][J]) > size) owners[cell] = point;
      }
  }

  /** First cell and the one behind the last; an axis of one rung is filled in any case. */
  #reach(place, size, axis) {
    const most = axis ? this.height : this.width;
    if (this.#single[axis]) return [0, most];
    const first = place + FINEST / 2 - Math.floor(size / 2);
    return [Math.max(0, first), Math.min(most, first + size)];
  }
}

/** How large a point's square is: 8, 4, 2 or 1 eighths. */
export function sizeOf(i, j) {
  const both = i | j | FINEST;
  return both & -both;
}
