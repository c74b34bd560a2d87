// Shapes, sizes and paths of SVG drawings, built with `s` from live/lib/dom.js.

import { s, set } from "../../live/lib/dom.js";
import { measuredWidth } from "../../live/lib/text_width.js";

const TOP = 8; // px above a bar of height 1

/** Set an SVG's size in px, and use px as its coordinates. */
export function setSize(svg, width, height) {
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
}

/** Set the size in px of an SVG plane whose origin is in the middle. */
export function setPlane(svg, size) {
  set(svg, { width: size, height: size, viewBox: `${-size / 2} ${-size / 2} ${size} ${size}` });
}

/** A line from left to right. */
export const level = (css, x1, x2, y) => s("line", { class: css, x1, x2, y1: y, y2: y });

/** A line from top to bottom. */
export const upright = (css, x, y1, y2) => s("line", { class: css, x1: x, x2: x, y1, y2 });

/** Return the grid lines of a plane at the given values, each extending `half` px from the middle. */
export function cross(values, unit, half) {
  return values.flatMap((at) => {
    const css = at ? "bnviz-line-grid" : "bnviz-line-axis";
    return [upright(css, at * unit, -half, half), level(css, -half, half, at * unit)];
  });
}

export const words = (css, x, y, text) => s("text", { class: css, x, y }, text);

/**
 * Draw fractions as bars above a line at `floor` px. @param bars [[css, share, x, width], …] @param named labels below
 */
export function drawShares(svg, { width, height, floor }, bars, named) {
  setSize(svg, width, height);
  const y = (share) => floor - share * (floor - TOP);
  svg.replaceChildren(
    ...[0.5, 1].map((share) => level("bnviz-line-grid", 0, width, y(share))),
    ...bars.map(([css, share, x, across]) => s("rect", { class: css, x, y: y(share), width: across, height: floor - y(share) })),
    level("bnviz-line-axis", 0, width, floor), ...named);
}

/** The path of an arrow along x; its head is never longer than the arrow. */
export function arrow(from, to, y) {
  const length = Math.abs(to - from);
  if (length < 0.5) return "";
  const [head, side] = [Math.min(7, length), Math.sign(to - from)];
  return `M${from} ${y}H${to}M${to - side * head} ${y - head * 0.6}L${to} ${y}L${to - side * head} ${y + head * 0.6}`;
}

/** The width in px of words that have not been drawn yet. @param size of the type in px */
export function textWidth(text, size, weight = 700) {
  return measuredWidth(text, `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`);
}

/** Round a number of px to one decimal, as in SVG paths. */
export function rounded(px) {
  return Math.round(px * 10) / 10;
}
