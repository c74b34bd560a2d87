// Bindings of charts over time: lines, areas between them, and the words at their ends.

import { interrupt, seriesKey, thin } from "../data/series.js";
import { number } from "../lib/format.js";
import { drawnValue, onAxis } from "./axis_value.js";

function column(item, scene, chart) {
  return scene.store.series.get(seriesKey(item.field, item.index, chart.selected));
}

/** The step after which a field's network takes no more, or null. */
function stoppedAt({ field }, scene) {
  return scene.live?.networks[field.split(".")[0]]?.stopped ?? null;
}

/** A column up to a step: what a network that has stopped still measures is nothing that happens. */
function upTo(found, step) {
  if (step === null) return found;
  let count = found.steps.length;
  while (count > 0 && found.steps[count - 1] > step) count--;
  return { steps: found.steps.slice(0, count), values: found.values.slice(0, count) };
}

/** x = steps, y = drawn numbers; non-finite points end the line, and so do steps that nobody looked at. */
export function seriesBinding(binding, scene, chart) {
  const found = column(binding, scene, chart);
  const memory = chart.memory(binding);
  const { whole, unseen } = scene.store.series;
  const stopped = stoppedAt(binding, scene);
  const stamp = `${found.version}|${whole}|${unseen.version}|${stopped}`;
  if (memory.column === found && memory.stamp === stamp) return;
  Object.assign(memory, { column: found, stamp });
  const kept = upTo(found, stopped);
  const thinned = thin(kept.steps, kept.values, binding.points ?? 400, whole, unseen.spans);
  const { steps, values } = interrupt(thinned, unseen.spans);
  chart.set(binding.trace, "x", steps.slice());
  chart.set(
    binding.trace,
    "y",
    values.map((value) => (Number.isFinite(value) ? drawnValue(value, binding) : null)),
  );
  // A line needs two points; the first step has only one.
  const points = kept.values.filter((value) => Number.isFinite(value)).length;
  chart.set(binding.trace, "mode", points === 1 ? "lines+markers" : "lines");
  chart.countOutside(binding, kept.values.filter((value) => !Number.isFinite(value)).length);
}

/** The area between two lines: a closed path for each stretch of steps over which both go on. */
export function bandBinding(binding, scene, chart) {
  const [low, high] = [binding.low, binding.high].map((trace) => ({ x: chart.next(trace, "x"), y: chart.next(trace, "y") }));
  const memory = chart.memory(binding);
  const drawn = [low.x, low.y, high.x, high.y];
  if (memory.drawn?.every((list, i) => list === drawn[i])) return;
  memory.drawn = drawn;
  const path = stretches(high).flatMap((above) => stretches(low).flatMap((below) => {
    const from = Math.max(above[0].x, below[0].x);
    const to = Math.min(above.at(-1).x, below.at(-1).x);
    const shared = (points) => points.filter(({ x }) => from <= x && x <= to);
    return from < to ? [...shared(above), ...shared(below).reverse(), { x: null, y: null }] : [];
  }));
  chart.set(binding.trace, "x", path.map(({ x }) => x));
  chart.set(binding.trace, "y", path.map(({ y }) => y));
}

/** The parts of a line over which it goes on, each an array of points. */
function stretches({ x, y }) {
  const parts = [];
  y.forEach((value, i) => {
    if (value === null) return;
    if (i === 0 || y[i - 1] === null) parts.push([]);
    parts.at(-1).push({ x: x[i], y: value });
  });
  return parts;
}

/** The words at the ends of lines, pushed apart on screen. */
export function labelsBinding(binding, scene, chart) {
  const memory = chart.memory(binding);
  const points = binding.of.map((item) => endOf(item, binding.lost, scene, chart));
  const axis = chart.axis(binding.trace, "y");
  const range = axis?.range?.join();
  const stamp = points.map((point) => `${point.x}|${point.y}|${point.text}`).join() + range;
  if (memory.stamp === stamp) return;
  memory.stamp = stamp;
  chart.set(binding.trace, "x", points.map((point) => point.x));
  chart.set(binding.trace, "y", axis ? spread(points, axis, binding.gap) : points.map((p) => p.y));
  chart.set(binding.trace, "text", points.map((point) => point.text));
}

function endOf(item, lost, scene, chart) {
  const { steps, values } = upTo(column(item, scene, chart), stoppedAt(item, scene));
  let last = values.length - 1;
  while (last >= 0 && !Number.isFinite(values[last])) last--;
  if (last < 0) return { x: null, y: null, text: "" };
  const y = drawnValue(values[last], item);
  let { text } = item;
  if (last < values.length - 1) {
    text = lost.replace("{text}", text).replace("{step}", String(steps[last]));
  } else if (y !== onAxis(values[last], item)) text += ` (${number(values[last])})`;
  return { x: steps[last], y, text };
}

/**
 * y values of the points, moved so that neighbours are `gap` pixels apart and none leaves the axis:
 * Plotly hides what does. Points that a zoom has put outside stay there.
 */
function spread(points, axis, gap) {
  const y = points.map((point) => point.y);
  const placed = points
    .map((point, i) => ({ i, at: point.y === null ? NaN : axis.d2p(point.y) }))
    .filter(({ at }) => at >= 0 && at <= axis._length)
    .sort((a, b) => a.at - b.at || points[b.i].y - points[a.i].y); // Plotly rounds pixels
  const apart = pushApart(placed.map((entry) => entry.at), gap);
  const moved = keepWithin(apart, gap, 1, axis._length - 1);
  placed.forEach((entry, rank) => {
    if (Math.abs(moved[rank] - entry.at) > 0.01) y[entry.i] = axis.p2d(moved[rank]);
  });
  return y;
}

/** Ascending positions moved into a range, in order, still `gap` apart as far as there is room. */
export function keepWithin(positions, gap, low, high) {
  const moved = [...positions];
  for (let i = moved.length - 1, most = high; i >= 0; i--, most = moved[i + 1] - gap) {
    moved[i] = Math.min(moved[i], most);
  }
  for (let i = 0, least = low; i < moved.length; i++, least = moved[i - 1] + gap) {
    moved[i] = Math.max(moved[i], least);
  }
  return moved;
}

/** Ascending positions with at least `gap` between neighbours; each pushed group keeps its centre. */
export function pushApart(positions, gap) {
  const groups = [];
  for (const at of positions) {
    groups.push({ centre: at, size: 1 });
    while (groups.length > 1) {
      const upper = groups.at(-1);
      const lower = groups.at(-2);
      const room = ((lower.size + upper.size) * gap) / 2;
      if (upper.centre - lower.centre >= room) break;
      const size = lower.size + upper.size;
      const centre = (lower.centre * lower.size + upper.centre * upper.size) / size;
      groups.splice(-2, 2, { centre, size });
    }
  }
  return groups.flatMap(({ centre, size }) =>
    Array.from({ length: size }, (_, i) => centre + (i - (size - 1) / 2) * gap),
  );
}
