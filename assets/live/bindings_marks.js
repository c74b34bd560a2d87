// Vertical lines at live changes and breaks, with words where there is room.

import { number } from "./format.js";

const CHARACTER = 6.5; // px, a generous mean of the chart's label font

/** One mark {step, label} per live change; knobs without a template give a line without words. */
export function changeMarks(changes, binding) {
  const known = { ...binding.start };
  return changes.map((change) => {
    const words = [];
    for (const [knob, value] of Object.entries(change.values)) {
      words.push(...changeWords(knob, known[knob], value, binding));
      known[knob] = value;
    }
    return { step: change.step, label: words.join(", ") };
  });
}

function changeWords(knob, old, value, binding) {
  const template = binding.labels[knob];
  if (!template || value === null) return [];
  const write = (from, to, network = "") =>
    template
      .replace("{network}", network)
      .replace("{old}", written(from))
      .replace("{new}", written(to));
  if (!Array.isArray(value)) return [write(old, value)];
  return Object.values(binding.networks).flatMap((network, i) => {
    const before = Array.isArray(old) ? old[i] : (old ?? binding.start.learning_rate);
    return before === value[i] ? [] : [write(before, value[i], network)];
  });
}

function written(value) {
  return typeof value === "number" ? number(value) : String(value ?? "");
}

export function marksBinding(binding, scene, chart) {
  const marks =
    binding.of === "changes"
      ? changeMarks(scene.store.changes, binding)
      : breakMark(scene.store.breaks[binding.of], binding);
  const axis = chart.axis(binding.trace, "x");
  const memory = chart.memory(binding);
  const stamp = JSON.stringify([marks, axis?.range?.map((end) => Math.round(end)), axis?._length]);
  if (memory.stamp === stamp) return;
  memory.stamp = stamp;
  const words = axis ? fitting(marks, axis) : marks.map((mark) => mark.label);
  chart.set(binding.trace, "x", marks.flatMap(({ step }) => [step, step, null]));
  chart.set(binding.trace, "y", marks.flatMap(() => [0, 1, null]));
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
