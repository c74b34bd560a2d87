// Rows of counts as closed step outlines: fixed area per row, never scaled to their own peak.

const FULL = 65535; // a count that means every value of the row

/**
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
