// Functions for shapes, sizes and paths of SVG drawings. They use `s` from live/lib/dom.js.

import { s, set } from "../../live/lib/dom.js";
import { measuredWidth } from "../../live/lib/text_width.js";

const TOP = 8; // space in px above a bar of height 1

/** Set the size of an SVG element in px, and make px the unit of its coordinates. */
export function setSize(svg, width, height) {
  set(svg, { width, height, viewBox: `0 0 ${width} ${height}` });
}

/** Set the size in px of an SVG plane whose origin is in the middle. */
export function setPlane(svg, size) {
  set(svg, { width: size, height: size, viewBox: `${-size / 2} ${-size / 2} ${size} ${size}` });
}

/** Return a horizontal line. */
export const level = (css, x1, x2, y) => s("line", { class: css, x1, x2, y1: y, y2: y });

/** Return a vertical line. */
export const upright = (css, x, y1, y2) => s("line", { class: css, x1: x, x2: x, y1, y2 });

/** Return the grid lines of a plane at the given values. Each line extends `half` px to both sides of the middle. */
export function cross(values, unit, half) {
  return values.flatMap((at) => {
    const css = at ? "bnviz-line-grid" : "bnviz-line-axis";
    return [upright(css, at * unit, -half, half), level(css, -half, half, at * unit)];
  });
}

export const words = (css, x, y, text) => s("text", { class: css, x, y }, text);

/**
 * Draw fractions as bars above a line at y = `floor` px.
 *
 * @param bars [[css, share, x, width], …]
 * @param named labels below the bars
 */
export function drawShares(svg, { width, height, floor }, bars, named) {
  setSize(svg, width, height);
  const y = (share) => floor - share * (floor - TOP);
  svg.replaceChildren(
    ...[0.5, 1].map((share) => level("bnviz-line-grid", 0, width, y(share))),
    ...bars.map(([css, share, x, across]) => s("rect", { class: css, x, y: y(share), width: across, height: floor - y(share) })),
    level("bnviz-line-axis", 0, width, floor), ...named);
}

/** Return the path of a horizontal arrow. Its head is never longer than the arrow itself. */
export function arrow(from, to, y) {
  const length = Math.abs(to - from);
  if (length < 0.5) return "";
  const [head, side] = [Math.min(7, length), Math.sign(to - from)];
  return `M${from} ${y}H${to}M${to - side * head} ${y - head * 0.6}L${to} ${y}L${to - side * head} ${y + head * 0.6}`;
}

/** Return the width in px of a text that has not been drawn yet. @param size font size in px */
export function textWidth(text, size, weight = 700) {
  return measuredWidth(text, `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`);
}

/** Round a coordinate in px to one decimal, for use in an SVG drawing. */
export function rounded(px) {
  return Math.round(px * 10) / 10;
}
