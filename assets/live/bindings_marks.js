// Vertical lines at live changes and breaks, with words where there is room.

import { number } from "./format.js";

const CHARACTER = 6.5; // px, a generous mean of the chart's label font

/**
 * One mark {step, label} per live change; knobs without a template give a line without words.
 *
 * @param initial the run's config before any change, as far as it is known
 */
export function changeMarks(changes, binding, initial = {}) {
  const known = { ...initial, ...binding.start };
  return changes.map((change) => {
    const words = [];
    for (const [knob, value] of Object.entries(change.values)) {
      if (knob === "learning_rates") words.push(...rateWords(known, value, binding));
      else words.push(...changeWords(knob, known[knob], value, binding));
      known[knob] = value;
      if (knob === "learning_rate") known.learning_rates = null;
    }
    return { step: change.step, label: words.join(", ") };
  });
}

function changeWords(knob, old, value, { labels, labels_new: fresh = {} }) {
  const template = old === undefined || old === null ? fresh[knob] : labels[knob];
  if (!template || value === null) return [];
  return [template.replace("{old}", written(old)).replace("{new}", written(value))];
}

/** Words for each network whose own rate changed; null means that all run at learning_rate again. */
function rateWords(known, value, binding) {
  const one = (rates, i) => (Array.isArray(rates) ? rates[i] : known.learning_rate);
  return Object.values(binding.networks).flatMap((network, i) => {
    const [old, rate] = [one(known.learning_rates, i), one(value, i)];
    if (old === rate || rate === undefined) return [];
    const template = old === undefined ? binding.labels_new?.learning_rates : binding.labels.learning_rates;
    if (!template) return [];
    return [template.replace("{network}", network).replace("{old}", written(old)).replace("{new}", written(rate))];
  });
}

function written(value) {
  return typeof value === "number" ? number(value) : String(value ?? "");
}

export function marksBinding(binding, scene, chart) {
  const marks =
    binding.of === "changes"
      ? changeMarks(scene.store.changes, binding, scene.store.initial)
      : breakMark(scene.store.breaks[binding.of], binding);
  const axis = chart.axis(binding.trace, "x");
  const memory = chart.memory(binding);
  const stamp = JSON.stringify([marks, axis?.range?.map((end) => Math.round(end)), axis?._length]);
  if (memory.stamp === stamp) return;
  memory.stamp = stamp;
  const words = axis ? fitting(marks, axis) : marks.map((mark) => mark.label);
  chart.set(binding.trace, "x", marks.flatMap(({ step }) => [step, step, null]));
  chart.set(binding.trace, "y", marks.flatMap(() => [0, binding.top ?? 1, null]));
  chart.set(binding.trace, "text", words.flatMap((label) => ["", label, ""]));
}

function breakMark(broke, { labels }) {
  return broke ? [{ step: broke.step, label: labels.break ?? "" }] : [];
}

/** Words that fit before the neighbour placed to their right; the newest mark is placed first. */
function fitting(marks, axis) {
  let neighbour = Infinity;
  return marks
    .slice()
    .reverse()
    .map(({ step, label }) => {
      const at = axis.d2p(step);
      const width = CHARACTER * label.length;
      if (!label || at + width / 2 > neighbour) return "";
      neighbour = at - width / 2;
      return label;
    })
    .reverse();
}
