// For each norm, the sets of values that share a mean, in a block of examples × feature maps × places. A test compares
// these sets with the actual dependencies of the engine's norms.

/**
 * Norms by name. `along`: the coordinates over which the mean is taken; "group" means the feature maps of one group.
 * `others`: whether the mean includes other examples.
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
 * Return whether two values share a mean.
 * @param one {example, map, place}, each counted from 0; `other` has the same form
 * @param block {examples, maps, places, groups: number of groups of maps, all of the same size}
 */
export function sharesMean(norm, one, other, block) {
  const { along } = NORMS[norm];
  const free = (coordinate) => along.includes(coordinate) || one[coordinate] === other[coordinate];
  return free("example") && free("place") && (along.includes("group") ? groupOf(one, block) === groupOf(other, block) : free("map"));
}

function groupOf({ map }, { maps, groups }) {
  return Math.floor((map * groups) / maps);
}

/** Return the number of values per mean, and the number of means. @returns {values, means} */
export function countsOf(norm, { examples, maps, places, groups }) {
  const size = { example: examples, map: maps, place: places, group: maps / groups };
  const values = NORMS[norm].along.reduce((product, coordinate) => product * size[coordinate], 1);
  return { values, means: (examples * maps * places) / values };
}
