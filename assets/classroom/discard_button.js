// The button that discards a question. If votes would be lost, the first press states their number and asks for
// confirmation, and the second press discards the question. A second button beside it keeps the votes.

import { button, setHidden, setText } from "../live/lib/dom.js";
import { countedText } from "../live/lib/texts.js";

const PRESSES = new Set(["Enter", " ", "Tab", "Shift"]); // keys that press one of the two buttons or move between them

export class DiscardButton {
  #view;
  #discard;
  #plain;
  #lost = 0;
  // AbortController of the listeners that cancel the confirmation; null unless the button asks for confirmation
  #asking = null;

  /**
   * @param discard called to discard the question
   * @param plain appearance of the button when no votes would be lost: {label, className, aria}
   */
  constructor(view, discard, plain) {
    this.#view = view;
    this.#discard = discard;
    this.#plain = plain;
    this.button = button("", (event) => this.#press(event));
    this.keep = button(view.t("class.keep"), () => this.#keep(), { className: "bnviz-pill class-keep" });
    this.#show();
  }

  /** Adapt the button to the votes that would be lost. @param lost number of votes that have not been shown */
  update(lost) {
    if (this.#lost === lost) return;
    this.#lost = lost;
    if (lost === 0) this.backOut();
    else this.#show();
  }

  #press({ detail }) {
    if (this.#lost > 0 && !this.#asking) return this.#ask();
    // a double click must not confirm, because nobody has read the confirmation question yet
    if (this.#asking && detail > 1) return;
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

  /**
   * Cancel the confirmation on any other key. Escape only cancels the confirmation and does not close the surrounding
   * dialog.
   */
  #key(event) {
    if (PRESSES.has(event.key) && [this.button, this.keep].includes(event.target)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    this.backOut();
  }

  /** Cancel the confirmation. */
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
