// The button that throws a question away. Where that loses answers, a first press says how many, and
// only a second one does it; beside it stands how to keep them.

import { button, setHidden, setText } from "../lib/dom.js";

const PRESS = new Set(["Enter", " ", "Tab", "Shift"]);

export class Discard {
  #view;
  #does;
  #plain;
  #lost = 0;
  #asking = null; // ends the listening for what takes the first press back

  /** @param does throws the question away; @param plain how the button is where nothing is lost: {label, className, aria} */
  constructor(view, does, plain) {
    this.#view = view;
    this.#does = does;
    this.#plain = plain;
    this.button = button("", (event) => this.#press(event));
    this.keep = button(view.t("class.keep"), () => this.#keep(), { className: "bnviz-pill class-keep" });
    this.#show();
  }

  /** @param lost how many answers nobody was shown yet */
  update(lost) {
    if (this.#lost === lost) return;
    this.#lost = lost;
    if (lost === 0) this.backOut();
    else this.#show();
  }

  #press({ detail }) {
    if (this.#lost > 0 && !this.#asking) return this.#ask();
    if (this.#asking && detail > 1) return; // of a double click nobody has read what the first one said
    this.backOut();
    this.#does();
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

  /** Any key but those that press these buttons, or go to one, takes it back; Escape before it closes what they lie in. */
  #key(event) {
    if (PRESS.has(event.key) && [this.button, this.keep].includes(event.target)) return;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    this.backOut();
  }

  /** Nothing is thrown away. */
  backOut() {
    this.#asking?.abort();
    this.#asking = null;
    this.#show();
  }

  #show() {
    const { label, className, aria } = this.#plain;
    const asks = this.#view.t(this.#lost === 1 ? "class.discard_one" : "class.discard", { lost: this.#lost });
    setText(this.button, this.#asking ? asks : label);
    this.button.className = this.#asking ? "bnviz-pill class-discard" : className;
    this.button.setAttribute("aria-label", this.#asking ? asks : (aria ?? label));
    setHidden(this.keep, !this.#asking);
  }
}
