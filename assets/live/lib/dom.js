// Creates and changes elements. Texts become text nodes, never markup.

/**
 * Create an element.
 *
 * @param attributes a key that starts with "on" is a listener; `null` and `false` leave an attribute out,
 *   `true` makes it empty; `style` is an object, which may have custom properties
 * @param children nodes and texts, in nested arrays too; `null` and `false` are left out
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) setAttribute(element, name, value);
  append(element, children);
  return element;
}

function setAttribute(element, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "style") {
    for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
  } else element.setAttribute(name, value === true ? "" : String(value));
}

function append(element, children) {
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replace all children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/** Set a text if it differs: an unchanged text node costs no layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Show or hide an element, without writing to one that is so already. */
export function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Create a button. @param options {className, title: tooltip, aria: accessible name} */
export function button(label, onclick, { className = "", title = null, aria = null } = {}) {
  return h(
    "button",
    { type: "button", class: className, title, "aria-label": aria, onclick },
    label,
  );
}

/** Paths of the transport's icons: drawn here, they look the same on every system. */
const SHAPES = {
  play: ["M8 5.5v13l11-6.5z"],
  pause: ["M6.5 5h4v14h-4z", "M13.5 5h4v14h-4z"],
  step: ["M4 11h8V7.2L17.6 12 12 16.8V13H4z", "M18.4 6.5h2v11h-2z"],
  reset: ["M12 5.2V2L6.8 6.4 12 10.8V7.3a5 5 0 1 1-5 5H4.9A7.1 7.1 0 1 0 12 5.2z"],
};

/** Create an icon in the colour of the text. Screen readers ignore it; its button has a name. */
export function icon(name) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of SHAPES[name] ?? []) {
    const path = document.createElementNS(space, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}
