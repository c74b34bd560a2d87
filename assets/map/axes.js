// Axes of a plane: numbers, the passes over the data in grey under them, titles.

import { fill } from "../live/lib/dom.js";
import { s } from "../widgets/lib/svg.js";
import { round, textWidth } from "./text_width.js";

const SMALLER = 0.9; // passes, beside a value's own number
const FOR_A_HALL = 20; // px: nothing is smaller where the type is large
const MOST_ROWS = 24; // numbers along the axis up

/** Room around the cells, px. */
export function margins({ up, across }, { width, type, titled }) {
  const passes = (under) => (titled && under ? textWidth(under, smaller(type), 400) : 0);
  const widest = Math.max(...up.ticks(MOST_ROWS).map(({ text, under }) => Math.max(textWidth(text, type), passes(under))));
  const under = titled && across.passes ? type : 0;
  return { left: Math.min(width / 3, widest + 10 + (titled ? type * 1.9 : 0)), right: 8, top: titled ? type * 1.7 : 4, bottom: type * (titled ? 3.5 : 1.8) + under };
}

/** Draw both axes of a plane. @param plane laid out */
export function drawAxes(plane) {
  const { model, margin, width, height, frame, colours } = plane;
  const { type, titled } = frame;
  const rows = model.up.ticks(Math.min(MOST_ROWS, Math.floor(height / (type * (titled ? 1.5 : 2.2)))));
  const room = height / Math.max(1, rows.length);
  const columns = model.across.ticks(Math.max(2, Math.floor(width / (type * 6.5))));
  const text = (content, x, y, more = {}) => s("text", { x: round(x), y: round(y), "font-size": type, fill: colours.ink, ...more }, content);
  const quiet = { fill: colours.muted };
  const parts = [];
  for (const { at, text: words, under } of rows) {
    const y = margin.top + plane.y(at);
    const both = titled && under !== null && room > type * 2.3;
    parts.push(text(words, margin.left - 8, y + type * (both ? -0.12 : 0.35), { "text-anchor": "end", ...(plane.large ? {} : quiet) }));
    if (both) parts.push(text(under, margin.left - 8, y + type * 0.95, { "text-anchor": "end", ...quiet, "font-size": smaller(type) }));
  }
  for (const { at, text: words, under } of columns) {
    const x = margin.left + plane.x(at);
    parts.push(text(words, x, margin.top + height + type * 1.45, { "text-anchor": "middle", ...quiet }));
    if (titled && under !== null) parts.push(text(under, x, margin.top + height + type * 2.5, { "text-anchor": "middle", ...quiet, "font-size": smaller(type) }));
  }
  if (titled) {
    const passes = (axis) => (axis.passes ? [s("tspan", quiet, ` ${titled.passes}`)] : []);
    const across = text("", margin.left + width / 2, frame.height - type * 0.5, { "text-anchor": "middle" });
    across.append(model.across.label, ...passes(model.across));
    const up = text("", 0, 0, { "text-anchor": "middle", transform: `translate(${round(type)} ${round(margin.top + height / 2)}) rotate(-90)` });
    const room = frame.height >= textWidth(`${model.up.label} ${titled.passes}`, type);
    up.append(model.up.label, ...(room ? passes(model.up) : []));
    parts.push(across, up);
  }
  fill(plane.axes, ...parts);
}

function smaller(type) {
  return type >= FOR_A_HALL ? type : round(SMALLER * type);
}
