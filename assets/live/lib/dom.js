// Elements made from plain values. Text always goes through textContent, never through markup.

/**
 * Make an element.
 *
 * Keys of `attributes` that start with "on" are listeners; `null` and `false` leave an attribute
 * out, `true` sets it empty; `style` takes an object, custom properties included.
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

/** Set text only where it differs: an unchanged text node costs no layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Show or hide without touching an unchanged element. */
export function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** A native button with a label, a tooltip and an accessible name. */
export function button(label, onclick, { className = "", title = null, aria = null } = {}) {
  return h(
    "button",
    { type: "button", class: className, title, "aria-label": aria, onclick },
    label,
  );
}
