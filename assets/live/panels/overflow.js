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
    const held = this.#buttons.find((one) => one.contains(document.activeElement));
    const inMenu = this.#row.clientWidth && getComputedStyle(this.#row).flexWrap === "nowrap" ? this.#tooMany() : 0;
    const shown = this.#buttons.slice(0, this.#buttons.length - inMenu);
    setHidden(this.#more, !inMenu);
    if (!inMenu && this.#menu.matches(":popover-open")) this.#menu.hidePopover();
    if (this.#stands(shown, inMenu)) return;
    fill(this.#menu, ...this.#buttons.slice(shown.length));
    fill(this.#row, ...shown, this.#more, this.#menu);
    held?.focus();
  }

  /** How many of the buttons have no room. */
  #tooMany() {
    fill(this.#menu);
    setHidden(this.#more, true);
    fill(this.#row, ...this.#buttons, this.#more, this.#menu);
    if (this.#row.scrollWidth <= this.#row.clientWidth + 1) return 0;
    setHidden(this.#more, false);
    let shown = this.#buttons.length;
    while (shown > 0 && this.#row.scrollWidth > this.#row.clientWidth + 1) this.#menu.prepend(this.#buttons[--shown]);
    return this.#buttons.length - shown;
  }

  #stands(shown, inMenu) {
    return this.#row.childElementCount === shown.length + 2 && this.#menu.childElementCount === inMenu && shown.every((one, at) => this.#row.children[at] === one);
  }

  /** Under its button, at the right edge of the row. */
  #place() {
    const { bottom, right } = this.#more.getBoundingClientRect();
    Object.assign(this.#menu.style, { top: `${bottom + 6}px`, right: `${document.documentElement.clientWidth - right}px` });
  }
}
