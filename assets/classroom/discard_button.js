// The button that discards a question. Where that loses votes, the first press asks, saying how many, and the
// second one discards; beside it stands a button that keeps them.

import { button, setHidden, setText } from "../live/lib/dom.js";
import { countedText } from "../live/lib/texts.js";

const PRESSES = new Set(["Enter", " ", "Tab", "Shift"]); // keys that press one of both buttons, or go to one

export class DiscardButton {
  #view;
  #discard;
  #plain;
  #lost = 0;
  #asking = null; // while it asks: an AbortController that ends the listening for what takes the press back

  /**
   * @param discard called to discard the question
   * @param plain the button where nothing is lost: {label, className, aria}
   */
  constructor(view, discard, plain) {
    this.#view = view;
    this.#discard = discard;
    this.#plain = plain;
    this.button = button("", (event) => this.#press(event));
    this.keep = button(view.t("class.keep"), () => this.#keep(), { className: "bnviz-pill class-keep" });
    this.#show();
  }

  /** @param lost how many votes nobody has been shown */
  update(lost) {
    if (this.#lost === lost) return;
    this.#lost = lost;
    if (lost === 0) this.backOut();
    else this.#show();
  }

  #press({ detail }) {
    if (this.#lost > 0 && !this.#asking) return this.#ask();
    if (this.#asking && detail > 1) return; // the second click of a double click comes before anybody has read the question
    this.backOut();
    this.#discard();
  }

  #ask() {
    this.#asking = new AbortController();
    const first = { capture: true, signal: this.#asking.signal };
    document.addEventListener("keydown", (event) => this.#key(event), first);
    document.addEventListener("click", ({ target }) => !this.button.contains(target) && this.backOut(), first);
    this.#show();
  }

  #keep() {
    this.button.focus();
    this.backOut();
  }

  /** Any other key takes the press back. Escape does only that, and does not close the dialog around the button. */
  #key(event) {
    if (PRESSES.has(event.key) && [this.button, this.keep].includes(event.target)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    this.backOut();
  }

  /** Take the first press back. */
  backOut() {
    this.#asking?.abort();
    this.#asking = null;
    this.#show();
  }

  #show() {
    const { label, className, aria } = this.#plain;
    const asks = countedText(this.#view.t, "class.discard", this.#lost, { lost: this.#lost });
    setText(this.button, this.#asking ? asks : label);
    this.button.className = this.#asking ? "bnviz-pill class-discard" : className;
    this.button.setAttribute("aria-label", this.#asking ? asks : (aria ?? label));
    setHidden(this.keep, !this.#asking);
  }
}
