// A guess that a learner has drawn, as an SVG for paper. It shows the curve drawn before the run, and the measured
// curve.

import { separateLabels } from "../lib/separate_labels.js";
import { pathOf } from "../lib/dom.js";
import { labelled, withPercent } from "../lib/joining.js";

const SVG = "http://www.w3.org/2000/svg";
const FONT = "system-ui,sans-serif";
const [WIDTH, HEIGHT] = [780, 250]; // px
// area of the plot in px; the names of the curves are on its right
const AREA = { left: 52, right: 500, top: 24, bottom: 206 };
const LINE = 20; // px between two names
const [INK, MUTED, GRID] = ["#1b1f24", "#57606a", "#d0d7de"];
// Dash patterns in px: first curve, second curve
const DRAWN = ["0.1 7", "0.1 7 9 7"];
const MEASURED = ["none", "9 4 2 4"];

/** Escape a text for HTML and SVG. */
export function escapeText(text) {
  return String(text).replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
}

/**
 * Return the picture as SVG text.
 *
 * @param guess see `drawn_guess` in bnviz/ui/lessons/prediction.py
 * @param words {step, drawn, measured}; in `drawn` and `measured`, {curve} is the name of the curve if there are
 * several
 */
export function drawnGuess({ curves, last_step: last, highest, percent, colour, marks }, words) {
  const { left, right, top, bottom } = AREA;
  const x = (step) => left + (step / last) * (right - left);
  const y = (value) => bottom - (value / highest) * (bottom - top);
  const line = (points, stroke, dashes, width) => `<path d="${pathOf(points.map(([step, value]) => [x(step), y(value)]))}" fill="none" stroke="${stroke}" stroke-width="${width}" stroke-dasharray="${dashes}" stroke-linecap="round" stroke-linejoin="round"/>`;
  const named = (key, name) => (name ? labelled(name, words[key].replace("{curve}", "")) : words[key].replace("{curve}", ""));
  const lines = curves.flatMap(({ name, drawn, measured }, i) => [
    ...(measured.length ? [{ points: measured, stroke: colour, dashes: MEASURED[i], width: 2.5, name: named("measured", name) }] : []),
    { points: drawn, stroke: INK, dashes: DRAWN[i], width: 3, name: named("drawn", name), dots: true },
  ]);
  const dot = ([step, value]) => `<circle cx="${x(step).toFixed(1)}" cy="${y(value).toFixed(1)}" r="5" fill="#fff" stroke="${INK}" stroke-width="2"/>`;
  const heights = separateLabels(lines.map(({ points }) => y(points.at(-1)[1])), LINE, top, bottom);
  const beside = lines.map(({ stroke, dashes, width, name }, i) => `<path d="M${right + 14} ${heights[i]}h30" stroke="${stroke}" stroke-width="${width}" stroke-dasharray="${dashes}" stroke-linecap="round"/>${written(name, right + 52, heights[i] + 4)}`);
  const ticks = [0, highest / 2, highest].map((value) => `<path d="M${left} ${y(value)}H${right}" stroke="${GRID}"/>${written(percent ? withPercent(value) : value, left - 8, y(value) + 4, { anchor: "end", fill: MUTED })}`);
  const steps = [...new Set([0, ...curves[0].drawn.map(([step]) => step), last])];
  const roomy = steps.filter((step, i) => i === steps.length - 1 || (x(last) - x(step) > 34 && (i === 0 || x(step) - x(steps[i - 1]) > 30)));
  const below = roomy.map((step) => written(step, x(step), bottom + 18, { anchor: "middle", fill: MUTED }));
  const changes = marks.map(([step, text]) => `<path d="M${x(step)} ${top - 10}V${bottom}" stroke="${INK}" stroke-dasharray="1.5 3"/>${written(text, x(step) + 4, top - 10, { size: 11 })}`);
  const size = `width="${WIDTH}" height="${HEIGHT}" viewBox="${[0, 0, WIDTH, HEIGHT].join(" ")}"`;
  const clip = `<clipPath id="axes"><rect x="${left - 8}" y="${top - 8}" width="${right - left + 16}" height="${bottom - top + 16}"/></clipPath>`;
  const axes = [...ticks, ...below, written(words.step, (left + right) / 2, bottom + 38, { anchor: "middle", fill: MUTED }), ...changes];
  const drawn = lines.map(({ points, stroke, dashes, width, dots }) => line(points, stroke, dashes, width) + (dots ? points.map(dot).join("") : ""));
  return `<svg xmlns="${SVG}" ${size} font-family="${FONT}">${clip}${axes.join("")}<g clip-path="url(#axes)">${drawn.join("")}</g>${beside.join("")}</svg>`;
}

function written(text, x, y, { anchor = "start", fill = INK, size = 13 } = {}) {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="${fill}" font-size="${size}">${escapeText(text)}</text>`;
}
