// What is known of a map, without a picture: every network's points, who survives where, borders; and
// its ghost, what was known on other axes before.

import { Axis, FINEST } from "./axis.js";
import { I, J, KIND, NETWORK, X } from "./columns.js";
import { Raster, sizeOf } from "./raster.js";
import { borders } from "./shapes.js";

const MOST_BEFORE = 4; // maps that a ghost is made of
export const UNKNOWN = 0; // class of a cell that some network has not been run in

export class MapModel {
  #borders = []; // by network, with the revision that they are of
  #before = []; // models of the same networks on other axes, the newest first
  /** What they knew, on these axes: a model whose cells are not this map's own; null: nothing. */
  ghost = null;

  /** @param data what the page hands over: its axes and networks */
  constructor({ across, up, norms }) {
    [this.across, this.up] = [new Axis(across), new Axis(up)];
    this.networks = norms.map(() => new Raster(this.across, this.up));
    [this.width, this.height] = [this.across.cells, this.up.cells];
    this.revision = 0;
  }

  /** Keep what another model of the same networks knew, and those before it, until it is measured here. */
  follow(before) {
    this.#before = [before, ...before.#before].filter(({ count }) => count).slice(0, MOST_BEFORE);
    const ghost = new MapModel({ across: this.across, up: this.up, norms: this.networks });
    for (const model of this.#before) {
      const [columns, lines] = [this.across.onto(model.across), this.up.onto(model.up)];
      ghost.networks.forEach((raster, network) => raster.adopt(model.networks[network], columns, lines));
    }
    this.ghost = ghost.count ? ghost : null;
  }

  /** Nothing is left that only other maps knew. */
  forget() {
    this.#before = [];
    this.ghost = null;
  }

  /** How many points there are. */
  get count() {
    return this.networks.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  take(rows) {
    for (const row of rows) this.networks[row[NETWORK]]?.take(row);
    if (rows.length) this.revision += 1;
  }

  /**
   * One network's cells in classes.
   *
   * @param classOf row → class, 1 and more
   * @returns classes by cell, UNKNOWN where nothing was run
   */
  classes(network, classOf) {
    return this.#painted(network, this.networks[network].rows.map(classOf));
  }

  /**
   * Cells by the set of networks that learned there: 1 + one bit for each of them; where none did and
   * none broke either, one more than all of them.
   */
  survivors() {
    const found = new Uint8Array(this.width * this.height).fill(1);
    this.networks.forEach(({ owners, learned }, network) => {
      const own = Uint8Array.from(learned, (yes) => yes << network);
      for (let cell = 0; cell < found.length; cell++) {
        if (owners[cell] < 0) found[cell] = UNKNOWN;
        else if (found[cell] !== UNKNOWN) found[cell] += own[owners[cell]];
      }
    });
    const unbroken = Uint8Array.from(found, (kind) => (kind === 1 ? 1 : 0));
    for (const { owners, stuck } of this.networks)
      for (let cell = 0; cell < found.length; cell++) if (unbroken[cell] && !stuck[owners[cell]]) unbroken[cell] = 0;
    const last = (1 << this.networks.length) + 1;
    for (let cell = 0; cell < found.length; cell++) if (unbroken[cell]) found[cell] = last;
    return found;
  }

  /** Cells by the rows of two networks. @param classOf (row, row) → class, 1 and more */
  pairs(classOf) {
    const [a, b] = this.networks;
    const known = new Map();
    const found = new Uint8Array(a.owners.length);
    let [last, kind] = [-1, UNKNOWN]; // neighbours mostly have the same two points
    for (let cell = 0; cell < found.length; cell++) {
      const [first, second] = [a.owners[cell], b.owners[cell]];
      if (first < 0 || second < 0) continue;
      const key = first * b.rows.length + second;
      if (key !== last) {
        kind = known.get(key) ?? classOf(a.rows[first], b.rows[second]);
        known.set(key, kind);
        last = key;
      }
      found[cell] = kind;
    }
    return found;
  }

  /** The lines between where a network learned and where it did not: [[x, y], …] each, in cells. */
  borders(network) {
    const { learned, revision } = this.networks[network];
    const known = this.#borders[network];
    if (known?.revision === revision) return known.lines;
    const lines = borders(this.#painted(network, learned.map((yes) => 1 + yes)), this.width, this.height);
    this.#borders[network] = { revision, lines };
    return lines;
  }

  /** The point at a cell of the raster: the finest that any of these networks has there; null: none. */
  pointAt(x, y, networks = this.networks.keys()) {
    let found = null;
    for (const network of networks) {
      const { owners, rows } = this.networks[network];
      const row = rows[owners[y * this.width + x]];
      if (row && (!found || sizeOf(row[I], row[J]) < sizeOf(found.i, found.j))) found = { i: row[I], j: row[J] };
    }
    return found;
  }

  /** The point at values of the two knobs: the nearest that is measured, or whole steps; null beyond the plane. */
  nearest(x, y) {
    const [i, j] = [this.across.place(x), this.up.place(y)];
    if (i === null || j === null) return null;
    const near = (row) => Math.max(Math.abs(row[I] - i), Math.abs(row[J] - j)) <= FINEST / 2;
    return this.#best((row) => (near(row) ? Math.hypot(row[I] - i, row[J] - j) : Infinity)) ?? { i: rung(i, 0, this.across.last), j: rung(j, 0, this.up.last) };
  }

  /** From a point to the next rung one way, or to the nearest measured point that way. */
  step({ i, j }, dx, dy, fine = false) {
    if (fine) {
      const found = this.#best((row) => {
        const [along, aside] = [(row[I] - i) * dx + (row[J] - j) * dy, Math.abs((row[I] - i) * dy) + Math.abs((row[J] - j) * dx)];
        return along > 0 && aside <= along ? along + 2 * aside : Infinity;
      });
      return found ?? { i, j };
    }
    return { i: rung(i, dx, this.across.last), j: rung(j, dy, this.up.last) };
  }

  /** By rung of the axis up: [[smallest, largest value across at which it learned] or null] by network. */
  spans() {
    return this.up.rungs.map((value, index) => ({
      value,
      spans: this.networks.map(({ rows }) => {
        const learned = rows.filter((row) => row[J] === FINEST * index && row[KIND] === "learned").map((row) => row[X]);
        return learned.length ? [Math.min(...learned), Math.max(...learned)] : null;
      }),
    }));
  }

  /** A class by point as classes by cell; a plain loop: there are a quarter of a million cells. */
  #painted(network, classes) {
    const { owners } = this.networks[network];
    const [own, found] = [Uint8Array.from(classes), new Uint8Array(owners.length)];
    for (let cell = 0; cell < owners.length; cell++) if (owners[cell] >= 0) found[cell] = own[owners[cell]];
    return found;
  }

  #best(distance) {
    let [best, found] = [Infinity, null];
    for (const { rows } of this.networks)
      for (const row of rows) {
        const far = distance(row);
        if (far < best) [best, found] = [far, { i: row[I], j: row[J] }];
      }
    return found;
  }
}

function rung(place, direction, last) {
  const to = direction > 0 ? Math.floor(place / FINEST) + 1 : direction < 0 ? Math.ceil(place / FINEST) - 1 : Math.round(place / FINEST);
  return Math.min(last, Math.max(0, to * FINEST));
}
