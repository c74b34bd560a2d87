// The stage's drawer: all knobs of the page, which stand in its sidebar elsewhere. On the stage that lies
// beside the cards while it is open, and transport and knob stay in reach.

import { giveBackTo } from "../lib/returned_focus.js";

const SIDEBAR = "[data-testid=stSidebar]";
const WITHIN = "input, button, [tabindex='0'], [role=combobox]";
// What a page's own control has opened closes before the drawer.
const OPENED = "[role=listbox], [data-baseweb=popover]";

export class KnobsDrawer {
  #opener;
  #keys = (event) => this.#key(event);
  #pointer = ({ target }) => target.closest(".bnviz-stage") && this.close();

  /** @param opener what has the focus after it */
  constructor(opener) {
    this.#opener = opener;
    delete document.documentElement.dataset.knobs;
  }

  /** Whether the page has knobs beside the stage. */
  get there() {
    return document.querySelector(SIDEBAR) !== null;
  }

  open() {
    document.documentElement.dataset.knobs = "open";
    document.addEventListener("keydown", this.#keys, true);
    document.addEventListener("pointerdown", this.#pointer, true);
    document.querySelector(SIDEBAR).querySelector(WITHIN)?.focus();
  }

  close() {
    delete document.documentElement.dataset.knobs;
    document.removeEventListener("keydown", this.#keys, true);
    document.removeEventListener("pointerdown", this.#pointer, true);
    const within = document.activeElement?.closest(SIDEBAR);
    if (!within) return;
    document.activeElement.blur();
    giveBackTo(this.#opener);
  }

  #key(event) {
    if (event.key !== "Escape" || document.querySelector(OPENED)) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }
}
