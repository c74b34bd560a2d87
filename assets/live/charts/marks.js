// Marks over time charts: vertical lines at live changes and breaks. A line has a label if there is space for it.

import { formatNumber } from "../lib/format.js";
import { joinList } from "../lib/joining.js";
import { isAction, sameValue, scalingWords } from "../lib/live_actions.js";

// Text of an empty label: a zero-width space. If a text is empty, Plotly removes its element and does not draw a later
// label at the same index.
const NOTHING = "\u200b";
const NEAR = 14; // live changes that are less than this many px apart share one label
const AXIS_TITLE = 18; // width in px at the left that labels leave free for the axis title
const ROWS = 5; // number of rows for labels, from the top of the panel
const BETWEEN = 5; // minimum distance in px between labels side by side
const ASIDE = 3; // distance in px between a line and its label

/**
 * Return one mark {step, label} for each live change or group of changes. Changes of knobs without a label template
 * have an empty label.
 *
 * @param initial the values of the run's knobs before any change, as far as they are known
 * @param together returns whether the changes at two steps share one label
 */
export function changeMarks(changes, binding, initial = {}, together = (a, b) => a === b) {
  const known = { ...initial };
  return grouped(changes, together).flatMap((group) => {
    const before = { ...known };
    const values = {};
    const actions = [];
    for (const change of group) {
      for (const [knob, value] of Object.entries(change.values)) {
        if (isAction(knob)) {
          actions.push(...actionWords(knob, value, binding));
          continue;
        }
        // If the knob was dragged, compare with its value before the drag. In a group of changes, compare with the
        // value before the first change.
        if (!(knob in values) && change.from && knob in change.from) before[knob] = change.from[knob];
        values[knob] = known[knob] = value;
        if (knob === "learning_rate") known.learning_rates = null;
      }
    }
    const undone = ([knob, value]) => sameValue(value, before[knob]);
    const words = Object.entries(values).filter((entry) => !undone(entry)).flatMap(([knob, value]) =>
      knob === "learning_rates" ? rateWords(before, value, binding) : changeWords(knob, before[knob], value, binding));
    return group.map(({ step }, i) => ({ step, label: i ? "" : joinList([...words, ...actions]) }));
  });
}

/** Return the changes in groups. In a group, each change is near the previous change. */
function grouped(changes, together) {
  const groups = [];
  for (const change of changes) {
    const group = groups.at(-1);
    if (group && together(group.at(-1).step, change.step)) group.push(change);
    else groups.push([change]);
  }
  return groups;
}

/**
 * Return a list with the mark of a network's first break, or an empty list. If a norm is undefined for this batch (0
 * divided by 0), the mark has a different label, because this is not a break.
 *
 * @param state the network's newest state
 */
export function breakMarks(broke, { labels }, state = null) {
  if (!broke) return [];
  const jumped = broke.key === "blown_up" && state === "learning"; // the loss jumped but has fallen again
  const key = broke.key === "constant" ? "constant" : state === "recovered" ? "recovered" : jumped ? "jumped" : "break";
  return [{ step: broke.step, label: labels[key] ?? "" }];
}

function changeWords(knob, old, value, { labels, labels_new: fresh = {} }) {
  // A knob whose values are choices has one label per value.
  if (typeof value === "string") return [labels[`${knob}_${value}`]].filter(Boolean);
  const template = old === undefined || old === null ? fresh[knob] : labels[knob];
  if (!template || value === null) return [];
  return [template.replace("{old}", written(old)).replace("{new}", written(value))];
}

/** Return the words for an action. Every action is listed, whereas two changes of a knob can cancel each other out. */
function actionWords(name, value, { labels }) {
  return labels[name] ? [scalingWords(value, { all: labels[name], layer: labels[`${name}_layer`] })] : [];
}

/**
 * Return the words for each network whose own learning rate changed. A value of null means that all networks use the
 * shared `learning_rate` again.
 */
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
  if (Array.isArray(value)) return joinList(value.map(written));
  return typeof value === "number" ? formatNumber(value) : String(value ?? "");
}

/** Draw a binding of kind "marks", as described in bindings.js. */
export function marksBinding(binding, scene, chart) {
  const marks = marksOf(binding, scene, chart);
  const memory = chart.memory(binding);
  const panel = panelOf(binding, chart);
  const all = panel ? neighbours(binding, scene, chart, panel) : null;
  const stamp = JSON.stringify([marks, all, panel]);
  if (memory.stamp === stamp) return {};
  memory.stamp = stamp;
  const placed = all ? placeLabels({ ...all, curves: curvesOf(chart, panel) }, panel).filter((mark) => mark.trace === binding.trace) : marks;
  const side = (mark) => `top ${mark.side ?? sideOf(binding)}`;
  const [position, ...others] = new Set(placed.map(side));
  return {
    x: placed.flatMap(({ step }) => [step, step, null]),
    y: placed.flatMap(({ top }) => [0, top ?? binding.top, null]),
    text: placed.flatMap(({ label }) => [NOTHING, label || NOTHING, NOTHING]),
    ...(position && { textposition: others.length ? placed.flatMap((mark) => [side(mark), side(mark), side(mark)]) : position }),
  };
}

function marksOf(binding, { store, live }, chart) {
  if (binding.of === "changes") {
    const axis = chart.axis(binding.trace, "x");
    const together = axis?._length ? (a, b) => axis.d2p(b) - axis.d2p(a) < NEAR : undefined;
    return changeMarks(store.changes, binding, store.initial, together);
  }
  return breakMarks(store.breaks[binding.of], binding, live?.networks[binding.of]?.state);
}

/** Return the preferred side of a label: left of the line for a change, right of the line for a break. */
function sideOf({ of }) {
  return of === "changes" ? "left" : "right";
}

/** Return the panel in which a binding draws, in pixels, or null before the figure has been drawn. */
function panelOf({ trace }, chart) {
  const [x, y] = chart.axes(trace);
  if (!x?._length || !y?._length) return null;
  const size = chart.element._fullData[trace].textfont?.size ?? 12;
  const { l = 0, r = 0 } = chart.element._fullLayout._size ?? {};
  const range = x.range.map((end) => Math.round(end));
  return { x: x._id, start: x._offset, top: y._offset, width: x._length, height: y._length, line: size + 2, size, left: -l, right: x._length + r, range };
}

/** Return all marks of the panel with their positions in pixels, and the boxes of line labels and headings. */
function neighbours(binding, scene, chart, panel) {
  const same = (trace) => {
    const [across, down] = chart.axes(trace);
    return across?._id === panel.x && down?._offset === panel.top;
  };
  const marks = chart.bindings("marks").filter(({ trace }) => same(trace)).flatMap((other) =>
    marksOf(other, scene, chart).map((mark) => ({
      ...mark, trace: other.trace, side: sideOf(other), top: other.top, of: other.of,
      at: Math.round(chart.axis(other.trace, "x").d2p(mark.step)), long: chart.widthOf(mark.label, panel.size),
    })),
  );
  // Curves have a y axis of their own below the y axis of the marks, so compare only the x axes.
  const below = (trace) => chart.axis(trace, "x")?._id === panel.x;
  const ends = chart.bindings("labels").filter(({ trace }) => below(trace)).flatMap(({ trace }) => {
    const [x, y, text] = ["x", "y", "text"].map((name) => chart.next(trace, name) ?? []);
    const [across, down] = chart.axes(trace);
    return x.flatMap((step, i) => {
      if (step === null || y[i] === null || !text[i]) return [];
      const left = across.d2p(step);
      const middle = down._offset - panel.top + down.d2p(y[i]);
      return [[left, left + chart.widthOf(text[i], panel.size), middle - panel.line / 2, middle + panel.line / 2].map(Math.round)];
    });
  });
  return { marks, ends, headings: headingsOf(chart, panel) };
}

/**
 * Return the curves of the panel. Each is an array of points in pixels from the panel's corner, with null at
 * interruptions.
 */
function curvesOf(chart, panel) {
  return chart.bindings("series").filter(({ trace }) => chart.axis(trace, "x")?._id === panel.x).map(({ trace }) => {
    const [across, down] = chart.axes(trace);
    const y = chart.next(trace, "y") ?? [];
    return Array.from(chart.next(trace, "x") ?? [], (step, i) =>
      (step === null || y[i] === null ? null : [across.d2p(step), down._offset - panel.top + down.d2p(y[i])]));
  });
}

/** Return whether a curve runs through a box. */
export function runsThrough(points, [left, right, top, bottom]) {
  return points.some((point, i) => {
    const next = points[i + 1] ?? point;
    if (!point || !next || next[0] < left || point[0] > right) return false;
    const rise = (next[1] - point[1]) / (next[0] - point[0] || 1);
    const ends = [Math.max(left, point[0]), Math.min(right, next[0])].map((x) => point[1] + rise * (x - point[0]));
    return Math.max(...ends) > top && Math.min(...ends) < bottom;
  });
}

/** Return the boxes of the headings above panels, in pixels from the panel's corner. */
function headingsOf(chart, panel) {
  const { _size: size, annotations = [] } = chart.element._fullLayout;
  if (!size) return [];
  return annotations.filter(({ xref, yref, text }) => text && xref === "paper" && yref === "paper").map((note) => {
    const words = note.text.replace(/<[^>]*>/g, "");
    const left = size.l + note.x * size.w - panel.start;
    const foot = size.t + (1 - note.y) * size.h - (note.yshift ?? 0) - panel.top;
    const { size: type } = note.font;
    return [left, left + chart.widthOf(words, type, 700), foot - 1.3 * type, foot].map(Math.round);
  });
}

/**
 * Find a free place for each label, first for breaks, then for changes from newest to oldest. If no place is found, the
 * label becomes empty.
 */
function placeLabels({ marks, ends, headings, curves }, panel) {
  const taken = [...ends, ...headings];
  const order = marks
    .map((mark, i) => ({ mark, i }))
    .sort((a, b) => (a.mark.of === "changes") - (b.mark.of === "changes") || b.mark.step - a.mark.step);
  const out = [];
  for (const { mark, i } of order) {
    const lines = marks.map(({ at }) => at).filter((at) => at !== mark.at);
    const place = mark.label ? freePlace(mark, panel, taken, lines, curves) : null;
    if (place) taken.push(place.box);
    // Plotly draws the text directly at its point, so separate it from the line with a no-break space.
    const label = place?.side === "left" ? `${mark.label}\u00a0` : `\u00a0${mark.label}`;
    out[i] = { ...mark, label: place ? label : "", side: place?.side ?? mark.side, top: place?.top ?? mark.top };
  }
  return out;
}

/**
 * Return the first place for the label that is free of other labels and of curves, or null if there is none. A place
 * that is crossed by the line of another mark is used only if there is no other place.
 */
function freePlace(mark, { top: room, width, height, line, left, right }, taken, lines, curves) {
  const own = (1 - mark.top) * height;
  const first = Math.round(own / line);
  const inOrder = [first, ...Array.from({ length: ROWS }, (_, row) => row).filter((row) => row !== first)];
  if (mark.at < 0 || mark.at > width) return null;
  let crossed = null;
  for (const row of inOrder) {
    for (const side of [mark.side, mark.side === "left" ? "right" : "left"]) {
      const [from, to] = side === "left" ? [mark.at - mark.long - ASIDE, mark.at - ASIDE] : [mark.at + ASIDE, mark.at + mark.long + ASIDE];
      // The label is at the end of its line, unless this would make rows of labels overlap in a figure of small height.
      const at = row === first && own >= row * line;
      const below = at ? own : row * line;
      const box = [from, to, below - line, below];
      // Beside the lower rows are the axis numbers, and beside the upper rows only the axis title, so the upper rows
      // can start further left.
      const inside = from >= (below > line + 2 ? 0 : below > 0 ? left + AXIS_TITLE : left) && to <= right && below - line >= -room - 1;
      if (!inside || taken.some((other) => overlap(box, other)) || curves.some((points) => runsThrough(points, box))) continue;
      const place = { side, box, top: at ? mark.top : 1 - below / height };
      if (!lines.some((x) => from < x && x < to)) return place;
      crossed ??= place;
    }
  }
  return crossed;
}

function overlap([left, right, top, bottom], [otherLeft, otherRight, otherTop, otherBottom]) {
  const beside = left >= otherRight + BETWEEN || otherLeft >= right + BETWEEN;
  return !beside && top < otherBottom - 1 && otherTop < bottom - 1;
}
