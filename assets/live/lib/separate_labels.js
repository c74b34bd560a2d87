// Moves labels apart that would otherwise overlap.

/**
 * Move positions so that neighbours are at least `gap` apart. If there is room, all positions stay between `low` and
 * `high`. Labels that would overlap are centred on their mean position.
 * @param positions in any order
 * @returns the moved positions, in the same order
 */
export function separateLabels(positions, gap, low = -Infinity, high = Infinity) {
  const order = [...positions.keys()].sort((a, b) => positions[a] - positions[b]);
  const groups = []; // groups of adjacent labels: {sum of their positions, count}
  const first = ({ sum, count }) => Math.max(low, Math.min(sum / count - (gap * (count - 1)) / 2, high - gap * (count - 1)));
  for (const at of order) {
    groups.push({ sum: positions[at], count: 1 });
    while (groups.length > 1 && first(groups.at(-1)) < first(groups.at(-2)) + gap * groups.at(-2).count) {
      const { sum, count } = groups.pop();
      groups.at(-1).sum += sum;
      groups.at(-1).count += count;
    }
  }
  const moved = groups.flatMap((group) => Array.from({ length: group.count }, (_, i) => first(group) + i * gap));
  return positions.map((_, at) => moved[order.indexOf(at)]);
}
