// Makes SVG elements from plain values, as `h` in live/lib/dom.js makes those of HTML.

const SPACE = "http://www.w3.org/2000/svg";

/** Make an SVG element. Keys that start with "on" are listeners; an attribute that is null is left out. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  set(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set attributes; one that is null is removed. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  }
  return element;
}

/** The path of an arrow along x; its head is never longer than the arrow. */
export function arrow(from, to, y) {
  const length = Math.abs(to - from);
  if (length < 0.5) return "";
  const [head, side] = [Math.min(7, length), Math.sign(to - from)];
  return `M${from} ${y}H${to}M${to - side * head} ${y - head * 0.6}L${to} ${y}L${to - side * head} ${y + head * 0.6}`;
}

let pen = null;

/** The width in px of words that have not been drawn yet. @param size of the type in px */
export function textWidth(text, size, weight = 700) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}

/** A number of px with one decimal, as paths have it. */
export function rounded(px) {
  return Math.round(px * 10) / 10;
}
