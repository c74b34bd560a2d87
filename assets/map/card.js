// The card of the chosen cell, which the page's script draws beside the map, or below it where there is
// no room: brought into sight, and drawn once more when more is known of its cell.

import { setText } from "../live/lib/dom.js";
import { X, Y } from "./columns.js";

export const CARD = ".st-key-map_card";
const DESK = ".st-key-map_desk"; // the map and the card
const GAP = 14; // px between what stands over the map and the map; as in map.css
const TITLE = `${CARD} .map-cell`;
const WAIT = 4000; // ms that its drawing may take
const EVERY = 150; // ms between two looks

export class Card {
  constructor(view) {
    this.view = view;
    this.known = 0; // networks of the cell that the page's script knew
  }

  /** Say where the map begins, for the styles: the card beside it begins there as well. */
  place() {
    const { root, head } = this.view;
    const top = head.element.offsetTop + head.element.offsetHeight - root.offsetTop + GAP;
    root.closest(DESK)?.style.setProperty("--map-top", `${top}px`);
  }

  /** Bring it into sight, once the page has drawn another one than before. */
  show(until = performance.now() + WAIT, before = document.querySelector(TITLE)?.textContent) {
    const { root, spoken, t } = this.view;
    const card = document.querySelector(CARD);
    if (card && document.querySelector(TITLE)?.textContent !== before) {
      const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
      const below = card.getBoundingClientRect().left < this.view.planes.element.getBoundingClientRect().right;
      card.scrollIntoView({ block: below ? "start" : "nearest", behavior: still ? "auto" : "smooth" });
      setText(spoken, t("opened"));
    } else if (performance.now() < until && root.isConnected) setTimeout(() => this.show(until, before), EVERY);
  }

  /** More has been measured: the script is told where it says less of the chosen cell than is known. */
  tell() {
    const { data, model } = this.view;
    const point = data.chosen && model.nearest(data.chosen.x, data.chosen.y);
    if (!point) return;
    const rows = model.networks.map((network) => network.at(point.i, point.j));
    const known = rows.filter((row) => row && row[X] === data.chosen.x && row[Y] === data.chosen.y).length;
    if (known <= this.known) return;
    this.known = known;
    this.view.send("known", known);
  }
}
