// The cells of one network: a row of the feed for each place (i, j), counted from the lower left. And the lines
// between cells of two classes.

export class Grid {
  constructor(across, up) {
    [this.width, this.height] = [across.cells, up.cells];
    this.cells = new Array(this.width * this.height).fill(null); // by cell: its row of the feed
  }

  /** Take a row of the feed; a known one is replaced. */
  take(row) {
    this.cells[row.j * this.width + row.i] = row;
  }

  /** The rows that are known. */
  get rows() {
    return this.cells.filter(Boolean);
  }

  /** The row at a place; undefined where none was measured. */
  at(i, j) {
    return this.cells[j * this.width + i] ?? undefined;
  }

  /**
   * Take over the cells of a grid on other axes, where nothing is known here.
   *
   * @param columns for each cell across, the other's cell; -1: beyond it
   * @param lines the same for cells up
   */
  adopt(other, columns, lines) {
    for (let j = 0; j < this.height; j++)
      for (let i = 0; i < this.width; i++)
        if (columns[i] >= 0 && lines[j] >= 0) this.cells[j * this.width + i] ??= other.at(columns[i], lines[j]) ?? null;
  }
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
