// A row of buttons of which those that do not fit stand in a menu behind "⋯".

import { button, fill, h, setHidden } from "../lib/dom.js";

let menus = 0;

export class Overflow {
  #row;
  #more;
  #menu;
  #buttons = [];

  /**
   * @param row the element in which the buttons stand; it shrinks where there is no room for all of them
   * @param label what the menu is called
   */
  constructor(row, label) {
    const id = `bnviz-others-${++menus}`;
    this.#row = row;
    this.#menu = h("div", { id, class: "bnviz-menu-panel", popover: "auto", role: "group", "aria-label": label });
    // Before it acts, so that a dialog gives the focus back to the menu's button.
    this.#menu.addEventListener("click", () => this.#menu.hidePopover(), { capture: true });
    this.#more = button("⋯", null, { className: "bnviz-pill bnviz-others-more", title: label, aria: label });
    this.#more.setAttribute("popovertarget", id);
    this.#menu.addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.#place());
    for (const part of [this.#more, this.#menu]) part.addEventListener("keydown", (event) => this.#key(event));
    new ResizeObserver(() => this.fit()).observe(row);
  }

  /** Other buttons; null: none. The first ones stay in sight the longest. */
  fill(buttons) {
    this.#buttons = buttons.filter(Boolean);
    this.fit();
  }

  /** The button with this name; undefined where there is none. */
  find(name) {
    return this.#buttons.find(({ dataset }) => dataset.control === name);
  }

  /** Put as many buttons in the row as it has room for; all of them where it may take another line. */
  fit() {
    const held = document.activeElement;
    const mine = held === this.#more || this.#buttons.includes(held);
    fill(this.#menu);
    setHidden(this.#more, true);
    fill(this.#row, ...this.#buttons, this.#more, this.#menu);
    if (this.#row.clientWidth && getComputedStyle(this.#row).flexWrap === "nowrap") this.#fold();
    if (mine && document.activeElement !== held) held.focus();
    // What had the focus stands in the menu, or was the way to a menu that nobody needs any more.
    if (mine && document.activeElement !== held) (this.#more.hidden ? this.#buttons.at(-1) : this.#more)?.focus();
  }

  /** Put what has no room into the menu. */
  #fold() {
    const over = () => this.#row.scrollWidth > this.#row.clientWidth + 1;
    if (!over()) return;
    setHidden(this.#more, false);
    for (let shown = this.#buttons.length; shown > 0 && over(); ) this.#menu.prepend(this.#buttons[--shown]);
  }

  /** Arrow keys go through the menu, from its button on. */
  #key(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !this.#menu.matches(":popover-open")) return;
    event.preventDefault();
    const all = [...this.#menu.children];
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]?.focus();
  }

  /** Under its button, at the right edge of the row. */
  #place() {
    const { bottom, right } = this.#more.getBoundingClientRect();
    Object.assign(this.#menu.style, { top: `${bottom + 6}px`, right: `${document.documentElement.clientWidth - right}px` });
  }
}
