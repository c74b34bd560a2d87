// Shapes of a raster of classes: few rectangles, the lines between two classes, the largest rectangle
// within one. Cells are counted from the lower left; class 0 is not known yet.

/**
 * Cells of a class as rectangles, equal runs of neighbouring rows merged.
 *
 * @returns by class, flat [x, y, width, height, x, …]
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

/**
 * The lines between cells of 2 and cells of 1, as chains of corners; 2 lies to their left.
 */
export function borders(classes, width, height) {
  const [across, ways] = [width + 1, new Uint8Array((width + 1) * (height + 1))];
  const balance = new Int8Array(ways.length); // lines that begin at a corner, less those that end there
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
 * The rectangle within a class that something fits into best.
 *
 * @param fit (width, height) → how well; the largest wins
 * @returns {x, y, width, height, fit}, or null where there is none of the class
 */
export function roomiest(classes, width, height, kind, fit) {
  const heights = new Int32Array(width + 1); // one more, of no height, closes every rectangle
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
