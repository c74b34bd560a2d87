// Functions that create and change elements. Texts become text nodes, never markup.

/**
 * Create an HTML element: h("p.note", { title }, ...children), or without attributes h("p.note", ...children).
 *
 * @param selector tag, followed by classes, each after a dot
 * @param given attributes (see `set`) if the first argument is a plain object, followed by the children: nodes, texts
 * and objects that have an `element`, also in nested arrays; `null` and `false` are left out
 */
export function h(selector, ...given) {
  return build((tag) => document.createElement(tag), selector, given);
}

const SVG = "http://www.w3.org/2000/svg";

/** Create an SVG element, with the same arguments as `h`. */
export function s(selector, ...given) {
  return build((tag) => document.createElementNS(SVG, tag), selector, given);
}

function build(create, selector, given) {
  const [tag, ...classes] = selector.split(".");
  const [first] = given;
  const attributes = first?.constructor === Object && !first.element ? first : null;
  const element = create(tag);
  if (classes.length) element.setAttribute("class", classes.join(" "));
  if (attributes) set(element, attributes);
  append(element, attributes ? given.slice(1) : given);
  return element;
}

/**
 * Set attributes. A key that starts with "on" adds a listener. `null` and `false` remove an attribute. `true` sets an
 * empty value, or "true" for an attribute that starts with `aria-`. `style` may be an object, which may contain custom
 * properties.
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) element.removeAttribute(name);
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style" && typeof value === "object") {
      for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    } else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
  }
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child.element ?? child);
  }
}

/** Replace all children of an element by `children`. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
}

/**
 * Return a function that compares its argument, as JSON, with the argument of its previous call, and returns whether
 * they differ.
 */
export function differsFromLast() {
  let last;
  return (value) => {
    const now = JSON.stringify(value);
    const differs = now !== last;
    last = now;
    return differs;
  };
}

const drawn = new WeakMap(); // element → its own `differsFromLast`

/** Return whether a value differs, as JSON, from the value of the previous call for the same element. */
export function differsAt(element, value) {
  if (!drawn.has(element)) drawn.set(element, differsFromLast());
  return drawn.get(element)(value);
}

/** Set the text of an element if it differs, because an unchanged text node needs no new layout. */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Show or hide an element. If nothing changes, do not write to the element. */
export function setHidden(element, hidden) {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** Write a line of text, and hide its element while the text is empty. */
export function showLine(element, text) {
  setText(element, text);
  setHidden(element, !text);
}

/**
 * Create a button.
 *
 * @param attributes `className`, `aria` (the button's accessible name), and other attributes as for `h`
 */
export function button(label, onclick, { className = "", aria = null, ...attributes } = {}) {
  return h("button", { type: "button", class: className, "aria-label": aria, onclick, ...attributes }, label);
}

/**
 * Create a button with round ends.
 *
 * @param attributes as for `button`
 */
export function pill(label, onclick, { className = "", ...attributes } = {}) {
  return button(label, onclick, { className: `bnviz-pill ${className}`.trim(), ...attributes });
}

/**
 * Create radio buttons with their labels.
 *
 * @param name of the group, unique on the page
 * @param options [value, text, title] for each button
 * @param onchange called with the chosen value
 */
export function radios(name, options, chosen, onchange) {
  return options.map(([value, text, title]) => h("label", { title },
    h("input", { type: "radio", name, value, checked: value === chosen, autocomplete: "off", onchange: () => onchange(value) }), " ", h("span", text)));
}

/** Create a segmented control, which consists of radio buttons in one bar. */
export function segments(label, ...group) {
  return h("div.bnviz-segments", { role: "radiogroup", "aria-label": label }, ...radios(...group));
}

/**
 * Create a checkbox with its label.
 *
 * @param onchange called with whether the box is checked
 */
export function checkbox(label, onchange, checked = false) {
  return h("label", h("input", { type: "checkbox", checked, onchange: ({ target }) => onchange(target.checked) }), " ", label);
}

/** Return an SVG path with straight lines from each point to the next. */
export function pathOf(points) {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
}

/** Paths of the playback icons. They are drawn here so that the icons look the same on every system. */
const SHAPES = {
  play: ["M8 5.5v13l11-6.5z"],
  pause: ["M6.5 5h4v14h-4z", "M13.5 5h4v14h-4z"],
  step: ["M4 11h8V7.2L17.6 12 12 16.8V13H4z", "M18.4 6.5h2v11h-2z"],
  reset: ["M12 5.2V2L6.8 6.4 12 10.8V7.3a5 5 0 1 1-5 5H4.9A7.1 7.1 0 1 0 12 5.2z"],
};

/** Create an icon in the colour of the text. Screen readers ignore the icon, because its button has a name. */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, SHAPES[name].map((d) => s("path", { d })));
}

/** Show an icon on a button, and change the button's label and title. */
export function showIcon(control, name, label, title) {
  if (control.dataset.shows === name) return;
  set(control, { "data-shows": name, "aria-label": label, title });
  fill(control, icon(name));
}

/** Return whether a modifier key is pressed. Key presses with a modifier key are left to the browser. */
export function modified({ ctrlKey, metaKey, altKey }) {
  return ctrlKey || metaKey || altKey;
}

/**
 * Create a table.
 *
 * @param rows arrays of cells, each starting with the row's heading
 * @param caption text of the caption, or null for no caption
 */
export function table(head, rows, caption = null) {
  return h("table", caption && h("caption", caption),
    h("thead", h("tr", head.map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", rows.map(([name, ...cells]) =>
      h("tr", h("th", { scope: "row" }, name), cells.map((cell) => h("td", cell))))));
}
