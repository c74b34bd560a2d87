// What is known of a map, without its drawing: the cells of every network, which networks learned where, and the
// borders between. After a zoom its ghost is what maps on other axes have measured of the same values.

import { stabilityMap } from "../contract.js";
import { within } from "../live/lib/format.js";
import { MapAxis } from "./axis.js";
import { Grid, borders } from "./grid.js";

const MOST_BEFORE = 4; // maps of which a ghost is made
export const UNKNOWN = 0; // class of a cell that has not been run by every network

export class MapModel {
  #before = []; // models of earlier maps of the same networks, the newest first
  /** A model of what the earlier maps have measured on these axes; null: nothing. */
  ghost = null;

  /** @param data of the page: its axes and networks */
  constructor({ across, up, norms }) {
    [this.across, this.up] = [new MapAxis(across), new MapAxis(up)];
    this.networks = norms.map(() => new Grid(this.across, this.up));
    [this.width, this.height] = [this.across.cells, this.up.cells];
    this.revision = 0;
  }

  /** Make the ghost of the model of the map before, and of those before that one. */
  follow(before) {
    this.#before = [before, ...before.#before].filter(({ count }) => count).slice(0, MOST_BEFORE);
    const ghost = new MapModel({ across: this.across, up: this.up, norms: this.networks });
    for (const model of this.#before) {
      const [columns, lines] = [this.across.onto(model.across), this.up.onto(model.up)];
      ghost.networks.forEach((grid, network) => grid.adopt(model.networks[network], columns, lines));
    }
    this.ghost = ghost.count ? ghost : null;
  }

  /** Drop the ghost: everything has been measured here. */
  forgetGhost() {
    this.#before = [];
    this.ghost = null;
  }

  /** How many cells have been measured, of all networks. */
  get count() {
    return this.networks.reduce((sum, { rows }) => sum + rows.length, 0);
  }

  /** Take rows of the feed. */
  take(rows) {
    for (const row of rows.map(named)) this.networks[row.network]?.take(row);
    if (rows.length) this.revision += 1;
  }

  /** The rows of all networks at a place, undefined where one was not run. */
  rowsAt(i, j) {
    return this.networks.map((grid) => grid.at(i, j));
  }

  /**
   * The cells by the set of networks that learned there: 1 plus a bit for each. Where none learned and none broke
   * either, the class is one more than that of all networks.
   */
  survivors() {
    return Uint8Array.from({ length: this.width * this.height }, (_, cell) => {
      const rows = this.networks.map(({ cells }) => cells[cell]);
      return rows.every(Boolean) ? survivorsOf(rows) : UNKNOWN;
    });
  }

  /** The lines between where a network learned and where it did not, each [[x, y], …] in cells. */
  borders(network) {
    const { cells } = this.networks[network];
    return borders(cells.map((row) => (row ? 1 + (row.kind === "learned") : 0)), this.width, this.height);
  }

  /** The cell at values of the two knobs; null: beyond the plane. */
  nearest(x, y) {
    const [i, j] = [this.across.place(x), this.up.place(y)];
    return i === null || j === null ? null : { i: within(Math.round(i), 0, this.across.last), j: within(Math.round(j), 0, this.up.last) };
  }

  /** The next cell in a direction. */
  step({ i, j }, dx, dy) {
    return { i: within(i + dx, 0, this.across.last), j: within(j + dy, 0, this.up.last) };
  }

  /** For each rung of the axis up: {value, spans: by network [smallest, largest value across at which it learned], or null}. */
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

/** The class of a cell by its rows, one of each network; see `survivors`. */
export function survivorsOf(rows) {
  const learned = rows.reduce((sum, { kind }, network) => sum + ((kind === "learned") << network), 0);
  return learned || rows.some(({ kind }) => kind === "broken") ? 1 + learned : (1 << rows.length) + 1;
}

const columns = Object.entries(stabilityMap.columns);

/** A row of the feed with its values by name: null for what is not finite or did not happen. */
function named(row) {
  return Object.fromEntries(columns.map(([name, at]) => [name, row[at]]));
}
