// How measured fields fill traces: one function per kind of binding, as bnviz/charts/binding.py says.
//
// Each takes (binding, scene, chart): `scene` is what is shown now (frame, store, config),
// `chart` gives memory and axes and collects changes through `chart.set(trace, attribute, value)`.

import { readField, rows } from "../data/typed_arrays.js";
import { format } from "../lib/format.js";
import { drawnValue, onAxis } from "./axis_value.js";
import { marksBinding } from "./bindings_marks.js";
import { bandBinding, labelsBinding, seriesBinding } from "./bindings_time.js";
import { linkPath, ridgePath } from "./paths.js";

function read(binding, scene, chart) {
  return readField(scene.frame, binding, chart.selected);
}

function edgeOf(value, binding) {
  const { clip } = binding;
  const x = onAxis(value, binding);
  if (Number.isNaN(x)) return "high";
  if (clip && clip[0] !== null && x < clip[0]) return "low";
  return clip && clip[1] !== null && x > clip[1] ? "high" : "inside";
}

function arrayBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const memory = chart.memory(binding);
  const values = Array.from(found.data, (value, i) => drawnValue(value, binding, memory.last?.[i] ?? null));
  memory.last = values;
  chart.set(binding.trace, binding.attr, values);
  if (!binding.edges && !binding.edge_format) return;
  const edges = Array.from(found.data, (value) => edgeOf(value, binding));
  chart.countOutside(binding, edges.filter((edge) => edge !== "inside").length);
  if (binding.edges) {
    chart.set(binding.trace, "marker.symbol", edges.map((edge) => binding.edges[edge]));
  }
  if (binding.edge_format) {
    const words = edges.map((edge, i) =>
      edge === "inside" ? "" : format(found.data[i], binding.edge_format),
    );
    chart.set(binding.trace, "text", words);
  }
}

function spansBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const memory = chart.memory(binding);
  const x = [];
  rows(found).forEach((row, i) => {
    const ends = [binding.low, binding.high].map((column, side) =>
      drawnValue(row[column], binding, memory.last?.[3 * i + side] ?? null),
    );
    x.push(ends[0], ends[1], null);
  });
  memory.last = x;
  chart.set(binding.trace, "x", x);
}

function ridgesBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const { x, y } = ridgePath(rows(found), binding);
  chart.set(binding.trace, "x", x);
  chart.set(binding.trace, "y", y);
}

function linksBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const memory = chart.memory(binding);
  const within = { clip: binding.bounds };
  memory.last = Array.from(found.data, (value, i) => drawnValue(value, within, memory.last?.[i] ?? null));
  const { x, y } = linkPath(memory.last, binding);
  chart.set(binding.trace, "x", x);
  chart.set(binding.trace, "y", y);
}

function heatBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const memory = chart.memory(binding);
  const z = rows(found).map((row, i) =>
    Array.from(row, (value, j) => drawnValue(value, binding, memory.last?.[i]?.[j] ?? null)),
  );
  memory.last = z;
  chart.set(binding.trace, "z", z);
}

function textBinding(binding, scene, chart) {
  const found = read(binding, scene, chart);
  if (!found) return;
  const words = chart.words(binding.trace);
  Array.from(found.data).forEach((measured, i) => {
    const value = measured * (binding.scale ?? 1);
    const lost = typeof binding.nonfinite === "string" && !Number.isFinite(value);
    const written = lost ? binding.nonfinite : format(value, binding.format);
    const text = binding.template && !lost ? binding.template.replace("{value}", written) : written;
    const blank = (binding.blank_zero && value === 0) || Math.abs(value) < (binding.least ?? 0);
    words[(binding.at ?? 0) + i] = blank ? "" : text;
  });
  chart.set(binding.trace, "text", words.slice());
}

function stateBinding(binding, scene, chart) {
  const state = scene.frame.networks[binding.network]?.state;
  const memory = chart.memory(binding);
  if (memory.state === state) return;
  memory.state = state;
  for (const [name, value] of Object.entries(binding.when[state] ?? binding.otherwise)) {
    chart.set(binding.trace, name, value);
  }
}

function stateTextBinding(binding, scene, chart) {
  const network = scene.frame.networks[binding.network];
  const words = chart.words(binding.trace);
  const template = binding.when[network?.state] ?? "";
  const text = template
    .replace("{broke_step}", String(network?.broke?.step ?? ""))
    .replace("{stopped_step}", String(network?.stopped ?? network?.broke?.step ?? ""));
  if (words[binding.at] === text) return;
  words[binding.at] = text;
  chart.set(binding.trace, "text", words.slice());
}

const KINDS = {
  array: arrayBinding,
  spans: spansBinding,
  ridges: ridgesBinding,
  links: linksBinding,
  heat: heatBinding,
  text: textBinding,
  series: seriesBinding,
  band: bandBinding,
  labels: labelsBinding,
  marks: marksBinding,
  state: stateBinding,
  statetext: stateTextBinding,
};

// What is emptied where the frame shown has no such field.
const EMPTIED = { array: ({ attr }) => [attr], spans: () => ["x"], ridges: () => ["x", "y"], links: () => ["x", "y"], heat: () => ["z"] };

/** Apply one binding; kinds drawn as overlays (cursor, rows) and unknown ones do nothing here. */
export function applyBinding(binding, scene, chart) {
  const emptied = EMPTIED[binding.kind]?.(binding);
  if (emptied) {
    const memory = chart.memory(binding);
    if (!scene.frame.field(binding.field)) {
      // Not measured at the step shown: what another step left there would pass for it.
      if (memory.filled) for (const attribute of emptied) chart.set(binding.trace, attribute, []);
      memory.filled = false;
      memory.last = undefined;
      return;
    }
    memory.filled = true;
  }
  KINDS[binding.kind]?.(binding, scene, chart);
}
