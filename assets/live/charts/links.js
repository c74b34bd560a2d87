// Links between layers that are drawn as nodes, as thick as a number at each of their ends.

/**
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
