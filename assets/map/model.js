// What is known of a map, without its drawing: the points of every network, which networks learned where, and the
// borders between. After a zoom its ghost is what maps on other axes have measured of the same cells.

import { stabilityMap } from "../contract.js";
import { within } from "../live/lib/format.js";
import { FINEST, HALF, MapAxis } from "./axis.js";
import { Raster, borders, sizeOf } from "./raster.js";

const MOST_BEFORE = 4; // maps of which a ghost is made
export const UNKNOWN = 0; // class of a cell that has not been run by every network

export class MapModel {
  #borders = []; // by network: {revision, lines}
  #before = []; // models of earlier maps of the same networks, the newest first
  /** A model of what the earlier maps have measured on these axes; null: nothing. */
  ghost = null;

  /** @param data of the page: its axes and networks */
  constructor({ across, up, norms }) {
    [this.across, this.up] = [new MapAxis(across), new MapAxis(up)];
    this.networks = norms.map(() => new Raster(this.across, this.up));
    [this.width, this.height] = [this.across.cells, this.up.cells];
    this.revision = 0;
  }

  /** Make the ghost of the model of the map before, and of those before that one. */
  follow(before) {
    this.#before = [before, ...before.#before].filter(({ count }) => count).slice(0, MOST_BEFORE);
    const ghost = new MapModel({ across: this.across, up: this.up, norms: this.networks });
    for (const model of this.#before) {
      const [columns, lines] = [this.across.onto(model.across), this.up.onto(model.up)];
      ghost.networks.forEach((raster, network) => raster.adopt(model.networks[network], columns, lines));
    }
    this.ghost = ghost.count ? ghost : null;
  }

  /** Drop the ghost: everything has been measured here. */
  forgetGhost() {
    this.#before = [];
    this.ghost = null;
  }

  /** How many points have been measured. */
  get count() {
    return this.networks.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** Take rows of the feed. */
  take(rows) {
    for (const row of rows.map(named)) this.networks[row.network]?.take(row);
    if (rows.length) this.revision += 1;
  }

  /**
   * The cells of one network by class.
   *
   * @param classOf gives the class of a row, from 1
   * @returns for each cell its class, UNKNOWN where nothing was run
   */
  classes(network, classOf) {
    return this.#painted(network, this.networks[network].rows.map(classOf));
  }

  /**
   * The cells by the set of networks that learned there: 1 plus a bit for each. Where none learned and none broke
   * either, the class is one more than that of all networks.
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

  /** The cells by the rows of two networks. @param classOf gives the class of two rows, from 1 */
  pairs(classOf) {
    const [a, b] = this.networks;
    const known = new Map();
    const found = new Uint8Array(a.owners.length);
    let [last, kind] = [-1, UNKNOWN]; // of the cell before: neighbours mostly have the same two points
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

  /** The lines between where a network learned and where it did not, each [[x, y], …] in cells. */
  borders(network) {
    const { learned, revision } = this.networks[network];
    const known = this.#borders[network];
    if (known?.revision === revision) return known.lines;
    const lines = borders(this.#painted(network, learned.map((yes) => 1 + yes)), this.width, this.height);
    this.#borders[network] = { revision, lines };
    return lines;
  }

  /** The place of the finest point that any of these networks has at a cell: {i, j}; null: none. */
  pointAt(x, y, networks = this.networks.keys()) {
    let found = null;
    for (const network of networks) {
      const { owners, rows } = this.networks[network];
      const row = rows[owners[y * this.width + x]];
      if (row && (!found || sizeOf(row.i, row.j) < sizeOf(found.i, found.j))) found = { i: row.i, j: row.j };
    }
    return found;
  }

  /** The place at values of the two knobs: that of the nearest measured point, or else of the nearest rungs; null: beyond the plane. */
  nearest(x, y) {
    const [i, j] = [this.across.place(x), this.up.place(y)];
    if (i === null || j === null) return null;
    const near = (row) => Math.max(Math.abs(row.i - i), Math.abs(row.j - j)) <= HALF;
    return this.#best((row) => (near(row) ? Math.hypot(row.i - i, row.j - j) : Infinity)) ?? { i: rung(i, 0, this.across.last), j: rung(j, 0, this.up.last) };
  }

  /** From a place to the next rung in a direction; `fine`: to the nearest measured point in that direction. */
  step({ i, j }, dx, dy, fine = false) {
    if (fine) {
      const found = this.#best((row) => {
        const [along, sideways] = [(row.i - i) * dx + (row.j - j) * dy, Math.abs((row.i - i) * dy) + Math.abs((row.j - j) * dx)];
        return along > 0 && sideways <= along ? along + 2 * sideways : Infinity;
      });
      return found ?? { i, j };
    }
    return { i: rung(i, dx, this.across.last), j: rung(j, dy, this.up.last) };
  }

  /** For each rung of the axis up: {value, spans: by network [smallest, largest value across at which it learned], or null}. */
  spans() {
    return this.up.rungs.map((value, index) => ({
      value,
      spans: this.networks.map(({ rows }) => {
        const learned = rows.filter((row) => row.j === FINEST * index && row.kind === "learned").map((row) => row.x);
        return learned.length ? [Math.min(...learned), Math.max(...learned)] : null;
      }),
    }));
  }

  /** The cells of a network, painted with the classes of its points. A plain loop: there are a quarter of a million cells. */
  #painted(network, classes) {
    const { owners } = this.networks[network];
    const [own, found] = [Uint8Array.from(classes), new Uint8Array(owners.length)];
    for (let cell = 0; cell < owners.length; cell++) if (owners[cell] >= 0) found[cell] = own[owners[cell]];
    return found;
  }

  /** The place of the measured point with the least distance; null: all are at Infinity. */
  #best(distance) {
    let [best, found] = [Infinity, null];
    for (const { rows } of this.networks)
      for (const row of rows) {
        const far = distance(row);
        if (far < best) [best, found] = [far, { i: row.i, j: row.j }];
      }
    return found;
  }
}

const columns = Object.entries(stabilityMap.columns);

/** A row of the feed with its values by name: places in eighths of a step, null for what is not finite or did not happen. */
function named(row) {
  return Object.fromEntries(columns.map(([name, at]) => [name, row[at]]));
}

/** The rung at a place, or the next one in a direction, as a place. */
function rung(place, direction, last) {
  const to = direction > 0 ? Math.floor(place / FINEST) + 1 : direction < 0 ? Math.ceil(place / FINEST) - 1 : Math.round(place / FINEST);
  return within(to * FINEST, 0, last);
}
