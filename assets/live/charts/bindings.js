// Bindings that draw measured fields as traces of a figure, with one function per kind of binding (see
// bnviz/charts/binding.py). Bindings of one frame come first, then bindings over time, then the shared functions that
// convert numbers to coordinates. Each function takes (binding, scene, chart) and returns the changed attributes of the
// binding's trace, {attribute: value}. `scene` describes the step shown (frame, live, step, store). `chart`, a Patcher,
// has the axes and one memory object per binding.

import { readField, rows } from "../data/frame.js";
import { interrupt, seriesKey, thin } from "../data/time_series.js";
import { separateLabels } from "../lib/separate_labels.js";
import { format, formatNumber, within } from "../lib/format.js";
import { marksBinding } from "./marks.js";

// logarithm of 1.05; peaks are rounded up to powers of 1.05, so that row heights do not flicker
const PEAK_STEP = Math.log(1.05);

/**
 * Return whether a value is below, within or above the binding's `clip`: "low", "inside" or "high". NaN counts as
 * "high".
 */
function edgeOf(value, binding) {
  const [low, high] = binding.clip ?? [null, null];
  const x = onAxis(value, binding);
  if (Number.isNaN(x)) return "high";
  if (low !== null && x < low) return "low";
  return high !== null && x > high ? "high" : "inside";
}

/**
 * Functions that draw a field of the frame shown, by kind of binding. Each function gets the field, the binding and the
 * binding's memory, in which `last` holds the coordinates that were last drawn.
 */
const MEASURED = { array: arrayOf, spans: spansOf, ridges: ridgesOf, links: linksOf, heat: heatOf };

function measuredBinding(binding, scene, chart) {
  const memory = chart.memory(binding);
  const { filled = [] } = memory;
  if (!scene.frame.field(binding.field)) {
    // Empty the attributes. Otherwise the chart would continue to show values of another step.
    Object.assign(memory, { filled: [], last: undefined });
    return Object.fromEntries(filled.map((attribute) => [attribute, []]));
  }
  const found = readField(scene.frame, binding, chart.selected);
  if (!found) return {};
  const changes = MEASURED[binding.kind](found, binding, memory, chart, scene);
  memory.filled = binding.attr ? [binding.attr] : Object.keys(changes);
  return changes;
}

function arrayOf({ data }, binding, memory, chart) {
  const { attr, edges: symbols, edge_format: written, edge_upright: upright } = binding;
  memory.last = Array.from(data, (value, i) => drawnValue(value, binding, memory.last?.[i] ?? null));
  const changes = { [attr]: memory.last };
  if (!symbols && !written) return changes;
  const edges = Array.from(data, (value) => edgeOf(value, binding));
  chart.countOutside(binding, edges.filter((edge) => edge !== "inside").length);
  if (symbols) changes["marker.symbol"] = edges.map((edge) => symbols[edge]);
  if (written) changes.text = edges.map((edge, i) => (edge === "inside" ? "" : format(data[i], written)));
  if (upright) changes.textposition = edges.map((edge) => `${upright} ${edge === "high" ? "left" : "right"}`);
  return changes;
}

function spansOf(found, binding, memory) {
  memory.last = rows(found).flatMap((row, i) => [
    drawnValue(row[binding.low], binding, memory.last?.[3 * i] ?? null),
    drawnValue(row[binding.high], binding, memory.last?.[3 * i + 1] ?? null), null,
  ]);
  return { x: memory.last };
}

function ridgesOf(found, binding, memory, chart, { frame }) {
  const fields = binding.peaks.map((field) => readField(frame, { ...binding, field }, chart.selected)).filter(Boolean);
  const all = [found, ...fields].map(rows);
  const peaks = all[0].map((_, row) => peakOf(all.flatMap((each) => Array.from(each[row] ?? []))));
  return ridgePath(all[0], peaks, binding);
}

/** Return the largest count, rounded up to a power of 1.05, or 1 if all counts are 0. */
function peakOf(counts) {
  const most = Math.max(...counts);
  return most > 0 ? Math.exp(PEAK_STEP * Math.ceil(Math.log(most) / PEAK_STEP)) : 1;
}

function linksOf({ data }, binding, memory) {
  const within = { clip: binding.bounds };
  memory.last = Array.from(data, (value, i) => drawnValue(value, within, memory.last?.[i] ?? null));
  return linkPath(memory.last, binding);
}

function heatOf(found, binding, memory) {
  memory.last = rows(found).map((row, i) =>
    Array.from(row, (value, j) => drawnValue(value, binding, memory.last?.[i]?.[j] ?? null)));
  return { z: memory.last };
}

function textBinding(binding, scene, chart) {
  const found = readField(scene.frame, binding, chart.selected);
  if (!found) return {};
  const { at, scale, least, nonfinite, template, blank_zero: blankZero } = binding;
  const words = chart.words(binding.trace);
  found.data.forEach((measured, i) => {
    const value = measured * scale;
    const lost = nonfinite !== null && !Number.isFinite(value);
    const written = lost ? nonfinite : format(value, binding.format);
    const text = template && !lost ? template.replace("{value}", written) : written;
    words[at + i] = (blankZero && value === 0) || Math.abs(value) < least ? "" : text;
  });
  return { text: words.slice() };
}

function stateBinding(binding, scene, chart) {
  const state = scene.frame.networks[binding.network]?.state;
  const memory = chart.memory(binding);
  if (memory.state === state) return {};
  memory.state = state;
  return binding.when[state] ?? binding.otherwise;
}

function stateTextBinding(binding, scene, chart) {
  const { state, broke, stopped } = scene.frame.networks[binding.network] ?? {};
  const words = chart.words(binding.trace);
  words[binding.at] = (binding.when[state] ?? "")
    .replace("{broke_step}", String(broke?.step ?? "")).replace("{stopped_step}", String(stopped ?? broke?.step ?? ""));
  return { text: words.slice() };
}

const KINDS = {
  ...Object.fromEntries(Object.keys(MEASURED).map((kind) => [kind, measuredBinding])), text: textBinding, series: seriesBinding,
  band: bandBinding, labels: labelsBinding, marks: marksBinding, state: stateBinding, statetext: stateTextBinding,
};

/** Apply one binding. Kinds that are drawn over the figure (overlays.js) and unknown kinds do nothing. */
export function applyBinding(binding, scene, chart) {
  const changes = KINDS[binding.kind]?.(binding, scene, chart) ?? {};
  for (const [attribute, value] of Object.entries(changes)) chart.set(binding.trace, attribute, value);
}

function column(item, scene, chart) {
  return scene.store.series.get(seriesKey(item.field, item.index, chart.selected));
}

/** Return the step at which the field's network stopped, or null if it has not stopped. */
function stoppedAt({ field }, scene) {
  return scene.live?.networks[field.split(".")[0]]?.stopped ?? null;
}

/**
 * Return the part of a column up to a step, or the whole column if the step is null. Values that are measured after a
 * network has stopped do not change any more, so they are left out.
 */
function upTo(found, step) {
  if (step === null) return found;
  const count = found.steps.findLastIndex((each) => each <= step) + 1;
  return { steps: found.steps.slice(0, count), values: found.values.slice(0, count) };
}

/** Return the field with the x coordinates of a line for the selected option, or "" if x is the step. */
export function fieldAcross({ across }, selected) {
  return across?.fields[selected[across.by.slice(1)] ?? 0] ?? "";
}

/** Return the names of the axes that show steps, for the selected options. */
export function stepAxes(bindings, selected, chart) {
  return bindings
    .filter((binding) => binding.kind === "cursor" || (binding.across && !fieldAcross(binding, selected)))
    .map(({ trace }) => chart.axis(trace, "x")?._name)
    .filter(Boolean);
}

/**
 * Return the values that each axis shows from the start, before anything is measured.
 * @param bindings the chart's bindings
 * @param ranges {measurement, such as "loss" or "fit.gap": [low, high]}
 * @returns Map from axis name to the coordinates of these values
 */
export function shownFromStart(bindings, ranges, chart) {
  const found = new Map();
  for (const binding of bindings) {
    const { attr = binding.kind === "series" ? "y" : null, field = "", over, trace } = binding;
    const range = attr && !over && ranges[field.slice(field.indexOf(".") + 1)];
    const name = range && chart.axis(trace, attr)?._name;
    if (name) found.set(name, [...(found.get(name) ?? []), ...range.map((value) => drawnValue(value, binding))]);
  }
  return found;
}

/**
 * Return the x coordinates of a line's points as {version, at}. `at` is a function from a step to its x coordinate, or
 * to null if the step has none.
 */
function placesAcross(item, scene, chart) {
  const field = fieldAcross(item, chart.selected);
  if (!field) return { version: "", at: (step) => step };
  const { steps, values, version } = scene.store.series.get(field);
  let known = null;
  return {
    version: `${field}|${version}`,
    at(step) {
      known ??= new Map(steps.map((each, i) => [each, values[i]]));
      return known.get(step) ?? null;
    },
  };
}

/**
 * Draw a line over steps or over another field. The line is interrupted at non-finite values and at steps without
 * frames.
 */
function seriesBinding(binding, scene, chart) {
  const found = column(binding, scene, chart);
  const memory = chart.memory(binding);
  const { centres, unseen } = scene.store.series;
  const stopped = stoppedAt(binding, scene);
  const places = placesAcross(binding, scene, chart);
  const stamp = `${found.version}|${centres}|${unseen.version}|${stopped}|${places.version}`;
  if (memory.column === found && memory.stamp === stamp) return {};
  Object.assign(memory, { column: found, stamp });
  const kept = upTo(found, stopped);
  const thinned = thin(kept.steps, kept.values, binding.points, centres, unseen.spans);
  const { steps, values } = interrupt(thinned, unseen.spans);
  const finite = kept.values.filter((value) => Number.isFinite(value)).length;
  chart.countOutside(binding, binding.may_end ? 0 : kept.values.length - finite);
  return {
    x: steps.map((step) => (step === null ? null : places.at(step))),
    y: values.map((value) => (Number.isFinite(value) ? drawnValue(value, binding) : null)),
    ...(binding.joined ? { mode: finite === 1 ? "lines+markers" : "lines" } : {}), // a line needs two points
  };
}

/** Draw the area between two lines, as one closed path for each range of steps in which neither line is interrupted. */
function bandBinding(binding, scene, chart) {
  const [low, high] = [binding.low, binding.high].map((trace) => ({ x: chart.next(trace, "x"), y: chart.next(trace, "y") }));
  const memory = chart.memory(binding);
  const drawn = [low.x, low.y, high.x, high.y];
  if (memory.drawn?.every((list, i) => list === drawn[i])) return {};
  memory.drawn = drawn;
  const path = stretches(high).flatMap((above) => stretches(low).flatMap((below) => {
    const from = Math.max(above[0].x, below[0].x);
    const to = Math.min(above.at(-1).x, below.at(-1).x);
    const shared = (points) => points.filter(({ x }) => from <= x && x <= to);
    return from < to ? [...shared(above), ...shared(below).reverse(), { x: null, y: null }] : [];
  }));
  return { x: path.map(({ x }) => x), y: path.map(({ y }) => y) };
}

/** Return the uninterrupted parts of a line, each as an array of points. */
function stretches({ x, y }) {
  const parts = [];
  y.forEach((value, i) => {
    if (value === null) return;
    if (i === 0 || y[i - 1] === null) parts.push([]);
    parts.at(-1).push({ x: x[i], y: value });
  });
  return parts;
}

/** Place labels at the ends of lines, and move them apart so that they do not overlap. */
function labelsBinding(binding, scene, chart) {
  const memory = chart.memory(binding);
  const points = binding.of.map((item) => endOf(item, binding, scene, chart));
  const axis = chart.axis(binding.trace, "y");
  const range = axis?.range?.join();
  const stamp = points.map((point) => `${point.x}|${point.y}|${point.text}`).join() + range;
  if (memory.stamp === stamp) return {};
  memory.stamp = stamp;
  return {
    x: points.map(({ x }) => x), y: axis ? separated(points, axis, binding.gap) : points.map(({ y }) => y),
    text: points.map(({ text }) => text),
  };
}

/**
 * Return the last finite point of a line and the label for this point.
 *
 * @param binding {lost, lost_short: label templates for a line that ended early; `lost` also names the step, and
 * `lost_short` is used if there is no space for it}
 */
function endOf(item, binding, scene, chart) {
  const { steps, values } = upTo(column(item, scene, chart), stoppedAt(item, scene));
  const last = values.findLastIndex((value) => Number.isFinite(value));
  if (last < 0) return { x: null, y: null, text: "" };
  const y = drawnValue(values[last], item);
  let { text } = item;
  if (last < values.length - 1 && !item.may_end) {
    const long = binding.lost.replace("{text}", text).replace("{step}", String(steps[last]));
    text = fits(long, steps[last], binding, chart) ? long : binding.lost_short.replace("{text}", text);
  } else if (y !== onAxis(values[last], item)) text += ` (${formatNumber(values[last])})`;
  return { x: placesAcross(item, scene, chart).at(steps[last]), y, text };
}

/** Return whether a label that begins at a step fits within the figure. */
function fits(label, step, { trace }, chart) {
  const axis = chart.axis(trace, "x");
  if (!axis?._length) return true;
  const { textfont } = chart.element._fullData[trace] ?? {};
  const room = axis._length - axis.d2p(step) + (chart.element._fullLayout._size?.r ?? 0);
  return chart.widthOf(label, textfont?.size ?? 12) <= room;
}

/**
 * Return the y values of labels. The labels are moved so that neighbours are at least `gap` pixels apart and all labels
 * stay on the axis, because Plotly hides labels beyond the axis. Labels outside the zoomed range stay outside.
 */
function separated(points, axis, gap) {
  const y = points.map((point) => point.y);
  const placed = y
    .map((value, i) => ({ i, at: value === null ? NaN : axis.d2p(value) }))
    .filter(({ at }) => at >= 0 && at <= axis._length)
    .sort((a, b) => a.at - b.at || y[b.i] - y[a.i]); // Plotly rounds pixels, so ties are ordered by value
  const moved = separateLabels(placed.map(({ at }) => at), gap, 1, axis._length - 1);
  placed.forEach(({ i, at }, rank) => {
    if (Math.abs(moved[rank] - at) > 0.01) y[i] = axis.p2d(moved[rank]);
  });
  return y;
}

/**
 * Return the coordinate of a measured value: the value is scaled, and transformed by asinh if the binding requires it.
 */
function onAxis(value, { scale = 1, transform = null }) {
  const x = value * scale;
  return transform === "asinh" ? Math.asinh(x) : x;
}

/**
 * Return the coordinate at which a value is drawn, clipped to the binding's bounds. If the coordinate is not finite,
 * return `last`.
 */
function drawnValue(value, binding, last = null) {
  const [low, high] = binding.clip ?? [null, null];
  const clipped = within(onAxis(value, binding), low ?? -Infinity, high ?? Infinity);
  return Number.isFinite(clipped) ? clipped : last;
}

/**
 * Return rows of counts as one path of closed step outlines. A row always has the same number of points, so that CSS
 * can animate the change from one outline to the next.
 *
 * @param rows arrays of counts, one per layer
 * @param peaks for each row, the count that is drawn at full height
 * @param binding {base: y of each row; left, right: x of all rows or of each row; height: height of a full row}
 * @returns {x, y} of one path, with null between rows
 */
function ridgePath(rows, peaks, { base, left: starts, right: ends, height }) {
  const x = [];
  const y = [];
  rows.forEach((counts, row) => {
    const [left, right] = [starts, ends].map((end) => (Array.isArray(end) ? end[row] : end));
    const width = (right - left) / counts.length;
    const floor = base[row];
    x.push(left);
    y.push(floor);
    counts.forEach((count, bin) => {
      const top = floor + (height * count) / peaks[row];
      x.push(left + bin * width, left + (bin + 1) * width);
      y.push(top, top);
    });
    x.push(right, left, null);
    y.push(floor, floor, null);
  });
  return { x, y };
}

/**
 * Return the links between layers that are drawn as nodes. The thickness of a link at each of its ends encodes a
 * number.
 *
 * @param values numbers at the ends of the links, one more than there are links; null where no finite value was
 * measured
 * @param binding {starts, ends: x of each link; middle: y of all links; bounds: values drawn with the minimum and the
 * maximum thickness; thin, thick: these two thicknesses}
 * @returns {x, y} of one path, with null between links
 */
function linkPath(values, { starts, ends, middle, bounds, thin, thick }) {
  const [low, high] = bounds.map(Math.log10);
  const half = values.map((value) => {
    const share = value === null ? 1 : (Math.log10(value) - low) / (high - low);
    return (thin + (thick - thin) * within(share, 0, 1)) / 2;
  });
  const x = starts.flatMap((start, i) => [start, start, ends[i], ends[i], start, null]);
  const y = starts.flatMap((_, i) => {
    const [here, there] = [half[i], half[i + 1]];
    return [middle - here, middle + here, middle + there, middle - there, middle - here, null];
  });
  return { x, y };
}
