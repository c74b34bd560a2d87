// Which values of a block of examples × feature maps × places share a mean, by norm. A test compares them with what the engine's
// norms depend on.

/**
 * By norm: along which coordinates values may differ that share a mean. `group`: along the maps, within a group of them;
 * `others`: whether the mean is taken over other examples as well.
 */
export const NORMS = {
  units: { along: ["example"], others: true },
  maps: { along: ["example", "place"], others: true },
  layer: { along: ["map", "place"], others: false },
  instance: { along: ["place"], others: false },
  group: { along: ["group", "place"], others: false },
  place: { along: ["map"], others: false },
};

/**
 * Whether two values share a mean.
 *
 * @param one {example, map, place} from 0, like `other`
 * @param block {examples, maps, places, groups: of maps, equally many in each}
 */
export function sharesMean(norm, one, other, block) {
  const { along } = NORMS[norm];
  const free = (coordinate) => along.includes(coordinate) || one[coordinate] === other[coordinate];
  return free("example") && free("place") && (along.includes("group") ? groupOf(one, block) === groupOf(other, block) : free("map"));
}

function groupOf({ map }, { maps, groups }) {
  return Math.floor((map * groups) / maps);
}

/** How many values share each mean, and how many means there are. @returns {values, means} */
export function countsOf(norm, { examples, maps, places, groups }) {
  const size = { example: examples, map: maps, place: places, group: maps / groups };
  const values = NORMS[norm].along.reduce((product, coordinate) => product * size[coordinate], 1);
  return { values, means: (examples * maps * places) / values };
}
