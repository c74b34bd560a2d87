// The data of a map, without its drawing: the cells of every network, the sets of networks that learned, and the
// borders between these sets. After a zoom, the model's `ghost` contains results of earlier maps for the same knob
// values.

import { stabilityMap } from "../contract.js";
import { within } from "../live/lib/format.js";
import { MapAxis } from "./axis.js";
import { Grid, borders } from "./grid.js";

const MOST_BEFORE = 4; // maximum number of earlier maps from which a ghost is built
export const UNKNOWN = 0; // class of a cell in which not every network has been trained yet

export class MapModel {
  #before = []; // models of earlier maps of the same networks, the newest first
  /** Model with the results of earlier maps on the axes of this map, or null if there are none. */
  ghost = null;

  /** @param data the page's data, with the axes and the networks of the map */
  constructor({ across, up, norms }) {
    [this.across, this.up] = [new MapAxis(across), new MapAxis(up)];
    this.networks = norms.map(() => new Grid(this.across, this.up));
    [this.width, this.height] = [this.across.cells, this.up.cells];
    this.revision = 0;
  }

  /** Build the ghost from the model of the previous map and from the earlier models that it kept. */
  follow(before) {
    this.#before = [before, ...before.#before].filter(({ count }) => count).slice(0, MOST_BEFORE);
    const ghost = new MapModel({ across: this.across, up: this.up, norms: this.networks });
    for (const model of this.#before) {
      const [columns, lines] = [this.across.onto(model.across), this.up.onto(model.up)];
      ghost.networks.forEach((grid, network) => grid.adopt(model.networks[network], columns, lines));
    }
    this.ghost = ghost.count ? ghost : null;
  }

  /** Drop the ghost, because every cell of this map has been measured. */
  forgetGhost() {
    this.#before = [];
    this.ghost = null;
  }

  /** Number of measured cells, summed over all networks. */
  get count() {
    return this.networks.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** Store rows of the feed in the grids of their networks. */
  take(rows) {
    for (const row of rows.map(named)) this.networks[row.network]?.take(row);
    if (rows.length) this.revision += 1;
  }

  /** Return one row per network for a cell. The row is undefined if the network has not been trained there. */
  rowsAt(i, j) {
    return this.networks.map((grid) => grid.at(i, j));
  }

  /**
   * Return the class of each cell: 1 plus a sum that contains 2^k if network k learned there. If no network learned and
   * none broke, the class is one more than the class in which all networks learned. If not every network has been
   * trained there, the class is `UNKNOWN`.
   */
  survivors() {
    return Uint8Array.from({ length: this.width * this.height }, (_, cell) => {
      const rows = this.networks.map(({ cells }) => cells[cell]);
      return rows.every(Boolean) ? survivorsOf(rows) : UNKNOWN;
    });
  }

  /**
   * Return the border lines between cells where a network learned and cells where it did not. Each line is [[x, y], …],
   * in units of cells.
   */
  borders(network) {
    const { cells } = this.networks[network];
    return borders(cells.map((row) => (row ? 1 + (row.kind === "learned") : 0)), this.width, this.height);
  }

  /** Return the cell nearest to the given values of the two knobs, or null if the values are outside the plane. */
  nearest(x, y) {
    const [i, j] = [this.across.place(x), this.up.place(y)];
    return i === null || j === null ? null : { i: within(Math.round(i), 0, this.across.last), j: within(Math.round(j), 0, this.up.last) };
  }

  /** Return the neighbour of a cell in a direction. At the edge of the plane, return the cell itself. */
  step({ i, j }, dx, dy) {
    return { i: within(i + dx, 0, this.across.last), j: within(j + dy, 0, this.up.last) };
  }

  /**
   * Return {value, spans} for each rung of the vertical axis. `spans` contains one entry per network: the smallest and
   * the largest value on the horizontal axis at which the network learned, or null if it did not learn.
   */
  spans() {
    return this.up.rungs.map((value, index) => ({
      value,
      spans: this.networks.map(({ rows }) => {
        const learned = rows.filter((row) => row.j === index && row.kind === "learned").map((row) => row.x);
        return learned.length ? [Math.min(...learned), Math.max(...learned)] : null;
      }),
    }));
  }
}

/** Return the class of one cell, given its rows, one per network. For the classes see `survivors`. */
export function survivorsOf(rows) {
  const learned = rows.reduce((sum, { kind }, network) => sum + ((kind === "learned") << network), 0);
  return learned || rows.some(({ kind }) => kind === "broken") ? 1 + learned : (1 << rows.length) + 1;
}

const columns = Object.entries(stabilityMap.columns);

/**
 * Convert a row of the feed to an object with one property per column. A value is null if it was not finite or if its
 * event did not occur.
 */
function named(row) {
  return Object.fromEntries(columns.map(([name, at]) => [name, row[at]]));
}
