// What a map says in one sentence, from its cells: by how much the largest learning rates differ at which two networks
// learn.

import { stabilityMap } from "../contract.js";
import { number } from "../live/lib/format.js";

const LEVEL = stabilityMap.about_the_same; // a smaller factor is no difference
const USUAL = "none batch"; // the networks of which the sentence speaks by name

/**
 * @param spans by row of the map, and in each by network: [smallest, largest] rate at which it learned, or null
 * @param norms the networks: [{name, label}]
 * @param last the largest rate of the map
 * @returns {key, values}; null: it has none for such a map
 */
export function headlineOf(spans, norms, last) {
  if (norms.length !== 2) return null;
  const learned = norms.map((_, network) => spans.filter((row) => row[network]).length);
  if (!learned[0] && !learned[1]) return { key: "neither", values: {} };
  if (!learned[0] || !learned[1]) return { key: "only", values: { label: norms[learned[0] ? 0 : 1].label } };
  const both = spans.filter(([a, b]) => a && b);
  // A network that learns up to the end of the map may learn beyond it.
  if (!both.length || both.some((row) => row.some(([, high]) => high === last))) return null;
  const ratios = both.map(([[, a], [, b]]) => b / a);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  if (high < LEVEL && low > 1 / LEVEL) return { key: "level", values: {} };
  const values = { low: number(low), high: number(high), first: norms[0].label, second: norms[1].label };
  if (norms.map(({ name }) => name).join(" ") !== USUAL || low <= 1 / LEVEL) return { key: "larger", values };
  return { key: low < LEVEL ? "saves_up_to" : values.low === values.high ? "saves_one" : "saves", values };
}
