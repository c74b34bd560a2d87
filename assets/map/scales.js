// What cells are coloured by: each way sorts them into a few classes, and says how a class is painted
// and what a legend says of it. A paint is a colour, or a pattern of colours; nothing hangs on hue.

import { ACCURACY, BREAK_STEP, KIND, LOSS, SHARE } from "./columns.js";
import { mix, palette } from "./palette.js";

export const COLOURS = ["outcome", "share", "accuracy", "break_step", "loss", "ratio"];

const TONES = [1, 0.64, 0.34]; // of a network's colour: over 93 %, 80 %, 50 %
const BETTER = [0.93, 0.8];
const [STUCK, BROKEN, FIRST] = [1, 2, 3]; // classes; then those of what learned
const LOSSES = [0.1, 0.3, 1, 2.5];
const RATIOS = [0.5, 0.8, 0.95, 1.05, 1.25, 2];

/** A scale: {classOf(row), paints: class → paint, legend: [{paint, key, values}]}. */
function bare(dark) {
  const colours = palette(dark);
  const hatch = { hatch: colours.hatch, on: colours.paper };
  const broken = { fill: colours.broken, cross: colours.cross };
  return { colours, hatch, broken, paints: [null, hatch, broken] };
}

const kindOf = (row) => (row[KIND] === "stuck" ? STUCK : row[KIND] === "broken" ? BROKEN : FIRST);

/** By test accuracy, in three tones of the network's colour. */
export function accuracyScale(colour, dark) {
  const { colours, hatch, broken, paints } = bare(dark);
  const tones = TONES.map((share) => ({ fill: mix(colour, colours.paper, share) }));
  return {
    classOf: (row) => {
      if (row[KIND] !== "learned") return kindOf(row);
      const tone = BETTER.findIndex((least) => row[ACCURACY] > least);
      return FIRST + (tone < 0 ? BETTER.length : tone);
    },
    paints: [...paints, ...tones],
    legend: [{ paints: tones, key: dark ? "learned_dark" : "learned" }, { paints: [hatch], key: "stuck" }, { paints: [broken], key: "broke" }],
  };
}

/** By the share of a cell's seeds that learned: all, most, some; where none did, what became of them. */
export function shareScale(colour, dark) {
  const { colours, hatch, broken, paints } = bare(dark);
  const tones = TONES.map((share) => ({ fill: mix(colour, colours.paper, share) }));
  return {
    classOf: (row) => {
      if (!row[SHARE]) return row[KIND] === "broken" ? BROKEN : STUCK;
      return FIRST + (row[SHARE] === 1 ? 0 : row[SHARE] > 0.5 ? 1 : 2);
    },
    paints: [...paints, ...tones],
    legend: [...tones.map((paint, i) => ({ paints: [paint], key: ["seeds_all", "seeds_most", "seeds_some"][i] })),
      { paints: [hatch], key: "seeds_stuck" }, { paints: [broken], key: "seeds_broke" }],
  };
}

/** By the step at which something broke: the sooner, the darker. */
export function breakScale(colour, dark, steps) {
  const { colours, hatch } = bare(dark);
  const bounds = [...new Set([0.05, 0.15, 0.4].map((share) => Math.max(1, Math.round(share * steps))))];
  const shades = [...bounds, steps].map((_, i, all) => ({
    fill: mix(colours.broken, dark ? "#b4bdc8" : "#c3c9d0", 1 - (i / Math.max(1, all.length - 1)) * 0.86), cross: i ? null : colours.cross,
  }));
  const whole = { fill: mix(colour, colours.paper, 0.3) };
  return {
    classOf: (row) => {
      if (row[BREAK_STEP] === null) return row[KIND] === "learned" ? FIRST : STUCK;
      const place = bounds.findIndex((bound) => row[BREAK_STEP] <= bound);
      return FIRST + 1 + (place < 0 ? bounds.length : place);
    },
    paints: [null, hatch, null, whole, ...shades],
    legend: [...shades.map((paint, i) => ({ paints: [paint], key: i < bounds.length ? "broke_by" : "broke_later", values: { step: bounds[i] } })),
      { paints: [whole], key: "unbroken" }, { paints: [hatch], key: "stuck_unbroken" }],
  };
}

/** By the loss on the test set after the last step: the lower, the stronger the network's colour. */
export function lossScale(colour, dark) {
  const { colours, broken } = bare(dark);
  const tones = [1, 0.72, 0.46, 0.22].map((share) => ({ fill: mix(colour, colours.paper, share) }));
  const high = { fill: mix(colours.broken, colours.paper, dark ? 0.55 : 0.45) };
  const paints = [null, high, broken, ...tones];
  return {
    classOf: ({ [LOSS]: loss }) => {
      if (loss === null) return BROKEN;
      const place = LOSSES.findIndex((bound) => loss <= bound);
      return place < 0 ? STUCK : FIRST + place;
    },
    paints,
    legend: [...tones.map((paint, i) => ({ paints: [paint], key: "loss_up_to", values: { loss: LOSSES[i] } })),
      { paints: [high], key: "loss_over", values: { loss: LOSSES.at(-1) } }, { paints: [broken], key: "loss_none" }],
  };
}

/** By the second network's test accuracy over the first one's. */
export function ratioScale([first, second], dark) {
  const { colours } = bare(dark);
  const neither = { fill: colours.broken, cross: colours.cross };
  const even = { fill: colours.all };
  const tones = [
    ...[1, 0.68, 0.4].map((share) => ({ fill: mix(first.colour, colours.paper, share) })), even,
    ...[0.4, 0.68, 1].map((share) => ({ fill: mix(second.colour, colours.paper, share) })),
  ];
  return {
    classOf: (a, b) => {
      if (a[KIND] !== "learned" && b[KIND] !== "learned") return BROKEN;
      const ratio = (b[ACCURACY] ?? 0) / Math.max(a[ACCURACY] ?? 0, 1e-9);
      const place = RATIOS.findIndex((bound) => ratio < bound);
      return FIRST + (place < 0 ? RATIOS.length : place);
    },
    paints: [null, null, neither, ...tones],
    legend: [
      { paints: tones.slice(0, 3), key: "ratio_first", values: { label: first.label } }, { paints: [even], key: "ratio_even" },
      { paints: tones.slice(4), key: "ratio_second", values: { label: second.label } }, { paints: [neither], key: "neither" },
    ],
  };
}

/** Who survives: a paint for every set of networks, given as 1 + a bit for each that learned, and for none that broke. */
export function survivorPaints(norms, dark) {
  const { colours, hatch } = bare(dark);
  const everyone = (1 << norms.length) - 1;
  return Array.from({ length: everyone + 3 }, (_, kind) => {
    if (!kind) return null;
    if (kind > everyone + 1) return hatch;
    const set = kind - 1;
    if (!set) return { fill: colours.broken };
    if (set === everyone && norms.length > 1) return { fill: colours.all };
    const tints = membersOf(kind, norms.length).map((network) => mix(norms[network].colour, colours.paper, dark ? 0.72 : 0.78));
    return tints.length === 1 ? { fill: tints[0] } : { stripes: tints };
  });
}

/** The networks in a class of survivors. */
export function membersOf(kind, count) {
  return Array.from({ length: count }, (_, network) => network).filter((network) => ((kind - 1) >> network) & 1);
}
