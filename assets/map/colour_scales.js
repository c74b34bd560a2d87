// The scales that colour the cells of a map. A scale sorts cells into a few classes, and defines the paint and the
// legend entry of each class:
//   {classOf(row): class, paints: [paint of each class], legend: [{paints, key, values}]}
// A paint is a colour, a hatch or stripes, so that classes differ by more than hue. This file also contains the map's
// own colours and functions that mix colours.


/**
 * Scale for each way of colouring. The scale "ratio" colours a single plane for two networks; all other scales colour
 * the plane of one network.
 */
const SCALES = { outcome: accuracyScale, share: shareScale, accuracy: accuracyScale, break_step: breakScale, loss: lossScale, ratio: ratioScale };

/** Return the scale of a network's plane. @param norm {colour} @param data of the page */
export function scaleOf(name, { colour }, data) {
  return SCALES[name](colour, paletteOf(data), data.steps);
}

// Share of the network's colour in each tone. The tones are for accuracies over 93 %, for accuracies over 80 %, and for
// lower accuracies
const TONES = [1, 0.64, 0.34];
const BETTER = [0.93, 0.8]; // accuracies that separate the three tones
const [STUCK, BROKEN, FIRST] = [1, 2, 3]; // classes; FIRST and above are cells in which the network learned
const LOSSES = [0.1, 0.3, 1, 2.5]; // test losses that separate the classes
const RATIOS = [0.5, 0.8, 0.95, 1.05, 1.25, 2]; // accuracy ratios that separate the classes

// The map's own colours, as hex values because an exported picture has no style sheet.
const LIGHT = { edge: "#d5dadf", all: "#e8ecef", broken: "#2b2f36", hatch: "#6b737d" };
// On a dark page, a broken cell is black, and a cell in which the network learned is bright.
const DARK = { edge: "#3d4550", all: "#47515e", broken: "#040506", hatch: "#929aa5" };

/** Class of cells in which no network learned and at least one broke. */
export const NOBODY = 1;

/**
 * Return all colours of a map: its own colours, and the colours of kit.css that the page passes in `data`.
 *
 * @param data {dark, palette: {paper, ink, muted}}
 */
export function paletteOf({ dark, palette }) {
  return { dark, ...palette, ...(dark ? DARK : LIGHT) };
}

/** Mix two colours. @param share fraction of the first colour */
export function mix(first, second, share) {
  const [a, b] = [channels(first), channels(second)];
  return `#${a.map((value, i) => Math.round(value * share + b[i] * (1 - share)).toString(16).padStart(2, "0")).join("")}`;
}

function channels(colour) {
  return [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
}

/** Return the paints that several scales share: a hatch for stuck cells, and a colour for broken cells. */
function common(colours) {
  const hatch = { hatch: colours.hatch, on: colours.paper };
  const broken = { fill: colours.broken };
  return { hatch, broken, paints: [null, hatch, broken] };
}

const tonesOf = (colour, { paper }, shares) => shares.map((share) => ({ fill: mix(colour, paper, share) }));

/** Return the index of the first bound for which `fits` returns true, or the number of bounds if there is none. */
function band(bounds, fits) {
  const place = bounds.findIndex(fits);
  return place < 0 ? bounds.length : place;
}

const kindOf = (row) => (row.kind === "stuck" ? STUCK : row.kind === "broken" ? BROKEN : FIRST);

/** Colour by test accuracy, in three tones of the network's colour. */
function accuracyScale(colour, colours) {
  const { hatch, broken, paints } = common(colours);
  const tones = tonesOf(colour, colours, TONES);
  return {
    classOf: (row) => {
      if (row.kind !== "learned") return kindOf(row);
      return FIRST + band(BETTER, (least) => row.test_accuracy > least);
    },
    paints: [...paints, ...tones],
    legend: [{ paints: tones, key: colours.dark ? "learned_dark" : "learned" }, { paints: [hatch], key: "stuck" }, { paints: [broken], key: "broke" }],
  };
}

/**
 * Colour by the fraction of a cell's seeds with which the network learned: all, most or some. If it learned with no
 * seed, the cell is stuck or broken.
 */
function shareScale(colour, colours) {
  const { hatch, broken, paints } = common(colours);
  const tones = tonesOf(colour, colours, TONES);
  return {
    classOf: (row) => {
      if (!row.learned) return row.kind === "broken" ? BROKEN : STUCK;
      return FIRST + (row.learned === 1 ? 0 : row.learned > 0.5 ? 1 : 2);
    },
    paints: [...paints, ...tones],
    legend: [...tones.map((paint, i) => ({ paints: [paint], key: ["seeds_all", "seeds_most", "seeds_some"][i] })),
      { paints: [hatch], key: "seeds_stuck" }, { paints: [broken], key: "seeds_broke" }],
  };
}

/** Colour by the step at which the network broke: the earlier the break, the darker the cell. */
function breakScale(colour, colours, steps) {
  const { hatch } = common(colours);
  const bounds = [...new Set([0.05, 0.15, 0.4].map((share) => Math.max(1, Math.round(share * steps))))];
  const shades = [...bounds, steps].map((_, i, all) => ({
    fill: mix(colours.broken, colours.dark ? "#b4bdc8" : "#c3c9d0", 1 - (i / Math.max(1, all.length - 1)) * 0.86)
  }));
  const unbroken = { fill: mix(colour, colours.paper, 0.3) };
  return {
    classOf: (row) => {
      if (row.break_step === null) return row.kind === "learned" ? FIRST : STUCK;
      return FIRST + 1 + band(bounds, (bound) => row.break_step <= bound);
    },
    paints: [null, hatch, null, unbroken, ...shades],
    legend: [...shades.map((paint, i) => ({ paints: [paint], key: i < bounds.length ? "broke_by" : "broke_later", values: { step: bounds[i] } })),
      { paints: [unbroken], key: "unbroken" }, { paints: [hatch], key: "stuck_unbroken" }],
  };
}

/** Colour by the test loss after the last step: the lower the loss, the stronger the network's colour. */
function lossScale(colour, colours) {
  const { broken } = common(colours);
  const tones = tonesOf(colour, colours, [1, 0.72, 0.46, 0.22]);
  const high = { fill: mix(colours.broken, colours.paper, colours.dark ? 0.55 : 0.45) };
  const paints = [null, high, broken, ...tones];
  return {
    classOf: ({ test_loss: loss }) => {
      if (loss === null) return BROKEN;
      return loss > LOSSES.at(-1) ? STUCK : FIRST + band(LOSSES, (bound) => loss <= bound);
    },
    paints,
    legend: [...tones.map((paint, i) => ({ paints: [paint], key: "loss_up_to", values: { loss: LOSSES[i] } })),
      { paints: [high], key: "loss_over", values: { loss: LOSSES.at(-1) } }, { paints: [broken], key: "loss_none" }],
  };
}

/** Colour by the second network's test accuracy divided by the first network's. `classOf` takes one row per network. */
export function ratioScale([first, second], colours) {
  const neither = { fill: colours.broken };
  const even = { fill: colours.all };
  const tones = [
    ...tonesOf(first.colour, colours, [1, 0.68, 0.4]), even, ...tonesOf(second.colour, colours, [0.4, 0.68, 1]),
  ];
  return {
    classOf: (a, b) => {
      if (a.kind !== "learned" && b.kind !== "learned") return BROKEN;
      const ratio = (b.test_accuracy ?? 0) / Math.max(a.test_accuracy ?? 0, 1e-9);
      return FIRST + band(RATIOS, (bound) => ratio < bound);
    },
    paints: [null, null, neither, ...tones],
    legend: [
      { paints: tones.slice(0, 3), key: "ratio_first", values: { label: first.label } }, { paints: [even], key: "ratio_even" },
      { paints: tones.slice(4), key: "ratio_second", values: { label: second.label } }, { paints: [neither], key: "neither" },
    ],
  };
}

/**
 * Return the background paint of each class of cells (see the model's `survivors`): one paint per set of networks that
 * learned, and one paint for cells in which no network learned and none broke.
 */
export function survivorPaints(norms, colours) {
  const hatch = { hatch: colours.edge, on: colours.paper };
  const everyone = (1 << norms.length) - 1;
  return Array.from({ length: everyone + 3 }, (_, kind) => {
    if (!kind) return null;
    if (kind > everyone + 1) return hatch;
    const set = kind - 1;
    if (!set) return { fill: colours.broken };
    if (set === everyone) return { fill: colours.dark ? mix(colours.ink, colours.paper, 0.08) : colours.paper };
    const tints = membersOf(kind, norms.length).map((network) => mix(norms[network].colour, colours.paper, colours.dark ? 0.3 : 0.17));
    return tints.length === 1 ? { fill: tints[0] } : { stripes: tints };
  });
}

/** Return the indices of the networks that learned in the cells of class `kind` (see the model's `survivors`). */
export function membersOf(kind, count) {
  return Array.from({ length: count }, (_, network) => network).filter((network) => ((kind - 1) >> network) & 1);
}
