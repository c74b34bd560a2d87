// The cells of one network, and the border lines between two classes of cells. A cell (i, j), counted from the lower
// left, contains a row of the feed.

export class Grid {
  constructor(across, up) {
    [this.width, this.height] = [across.cells, up.cells];
    this.cells = new Array(this.width * this.height).fill(null); // rows of the feed by cell
  }

  /** Store a row of the feed, replacing any earlier row of the cell. */
  take(row) {
    this.cells[row.j * this.width + row.i] = row;
  }

  /** The rows received so far. */
  get rows() {
    return this.cells.filter(Boolean);
  }

  /** Return the row of a cell, or undefined if the cell has not been measured. */
  at(i, j) {
    return this.cells[j * this.width + i] ?? undefined;
  }

  /**
   * Copy cells from a grid with other axes into the cells that have no row yet.
   * @param columns for each column, the column of the other grid, or -1 if there is none
   * @param lines for each line of cells, the line of the other grid, or -1 if there is none
   */
  adopt(other, columns, lines) {
    for (let j = 0; j < this.height; j++)
      for (let i = 0; i < this.width; i++)
        if (columns[i] >= 0 && lines[j] >= 0) this.cells[j * this.width + i] ??= other.at(columns[i], lines[j]) ?? null;
  }
}

const [EAST, NORTH, WEST, SOUTH] = [1, 2, 4, 8];
const GO = { [EAST]: [1, 0], [NORTH]: [0, 1], [WEST]: [-1, 0], [SOUTH]: [0, -1] };

/**
 * Return the border lines between cells of class 2 and cells of class 1. Each border is a chain of corners with class 2
 * on its left.
 */
export function borders(classes, width, height) {
  const [across, ways] = [width + 1, new Uint8Array((width + 1) * (height + 1))];
  // for each corner, the number of lines that start there minus the number of lines that end there
  const balance = new Int8Array(ways.length);
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
