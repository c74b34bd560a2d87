// Paths that measured numbers make: hills of counts, links as thick as a number.

const FULL = 65535; // a count that means every value of the row

/**
 * Rows of counts as closed step outlines: fixed area per row, never scaled to their own peak.
 *
 * @param rows arrays of counts, one per layer
 * @param binding {base: y of each row, left, right: of all rows or of each, scale, limit}
 * @returns {x, y} one path, rows parted by null
 */
export function ridgePath(rows, { base, left: starts, right: ends, scale, limit }) {
  const x = [];
  const y = [];
  rows.forEach((counts, row) => {
    const [left, right] = [starts, ends].map((end) => (Array.isArray(end) ? end[row] : end));
    const width = (right - left) / counts.length;
    const floor = base[row];
    x.push(left);
    y.push(floor);
    let height = floor;
    for (let bin = 0; bin < counts.length; bin++) {
      const top = floor + Math.min((scale * counts[bin]) / FULL, limit);
      if (top === height) continue;
      const edge = left + bin * width;
      x.push(edge, edge);
      y.push(height, top);
      height = top;
    }
    x.push(right, right, left, null);
    y.push(height, floor, floor, null);
  });
  return { x, y };
}

/**
 * Links between layers that are drawn as nodes, as thick as a number at each of their ends.
 *
 * @param values one number more than there are links; null for one that is none and never was one
 * @param binding {starts, ends: x of each link, middle: y of all, bounds, thin, thick}
 * @returns {x, y} one path, links parted by null
 */
export function linkPath(values, { starts, ends, middle, bounds, thin, thick }) {
  const [low, high] = bounds.map(Math.log10);
  const half = values.map((value) => {
    const share = value === null ? 1 : (Math.log10(value) - low) / (high - low);
    return (thin + (thick - thin) * Math.min(Math.max(share, 0), 1)) / 2;
  });
  const x = starts.flatMap((start, i) => [start, start, ends[i], ends[i], start, null]);
  const y = starts.flatMap((_, i) => {
    const [here, there] = [half[i], half[i + 1]];
    return [middle - here, middle + here, middle + there, middle - there, middle - here, null];
  });
  return { x, y };
}
