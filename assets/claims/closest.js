// The rows that come closest to a search, above all others: each goes back to its own list afterwards.

import { setHidden, setText } from "../live/lib/dom.js";

export class Closest {
  #place;
  #homes; // [row, its list], as the page has them

  /**
   * @param root the page
   * @param rows all rows in their order
   */
  constructor(root, rows) {
    this.#place = root.querySelector(".claims-closest");
    this.#homes = rows.map((row) => [row, row.parentElement]);
  }

  /** @param words that were searched for; @param rows that come closest to them, the closest first */
  show(words, rows) {
    const list = this.#place.querySelector("ol");
    const now = [...list.children];
    setHidden(this.#place, rows.length === 0);
    if (rows.length) this.#say(words, rows);
    if (now.length === rows.length && now.every((row, place) => row === rows[place])) return;
    this.#takeBack(list);
    list.append(...rows);
  }

  #say(words, rows) {
    const title = this.#place.querySelector("h3");
    title.dataset.text ??= title.textContent;
    setText(title, title.dataset.text.replace("{words}", () => words));
    const others = this.#homes.some(([row]) => !row.hidden && !rows.includes(row));
    setHidden(this.#place.querySelector(".claims-others"), !others);
  }

  /** From the last to the first, each before the one that follows it there. */
  #takeBack(list) {
    const next = new Map(); // by list: the row that follows
    for (const [row, home] of [...this.#homes].reverse()) {
      if (row.parentElement === list) home.insertBefore(row, next.get(home) ?? null);
      next.set(home, row);
    }
  }
}
