// SVG elements made from plain values, as `h` in dom.js makes those of HTML.

const SPACE = "http://www.w3.org/2000/svg";

/** Make an SVG element. Keys that start with "on" are listeners; null leaves an attribute out. */
export function s(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  set(element, attributes);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** Set attributes; null takes one away. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === null || value === undefined) element.removeAttribute(name);
    else element.setAttribute(name, String(value));
  }
  return element;
}

/** An arrow along x as one path: shaft, and a head that is never longer than the arrow. */
export function arrow(from, to, y) {
  const length = Math.abs(to - from);
  if (length < 0.5) return "";
  const [head, side] = [Math.min(7, length), Math.sign(to - from)];
  return `M${from} ${y}H${to}M${to - side * head} ${y - head * 0.6}L${to} ${y}L${to - side * head} ${y + head * 0.6}`;
}
