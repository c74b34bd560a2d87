// Messages: what happened to the run that the numbers do not say. They have a place of their own in
// the toolbar, over no chart, and leave by themselves, except those that must be acted on.

import { button, h } from "../lib/dom.js";
import { fillTemplate, lookUp } from "../lib/texts.js";

const LEAST = 6000; // ms that a message stays, and so many more for each of its letters
const A_LETTER = 60;

export class Notices {
  element = h("div", { class: "bnviz-notices" });
  #view;
  #shown = new Map(); // by key: {banner, timer}
  #fromPage = "[]";

  constructor(view) {
    this.#view = view;
  }

  /**
   * Show a message by key; the same key replaces its earlier text.
   *
   * @param options {sticky: it stays until it is hidden, action: {label, run}}
   */
  show(key, values = {}, options = {}) {
    const { t } = this.#view;
    this.#add(key, t(key.includes(".") ? key : `notice.${key}`, values), options);
  }

  #add(key, text, { sticky = false, action = null }) {
    this.hide(key);
    const { t } = this.#view;
    const banner = h("div", { class: "bnviz-notice", "data-notice": key },
      h("span", { title: text }, text),
      action ? button(action.label, action.run, { className: "bnviz-link" }) : null,
      sticky ? null : button("×", () => this.hide(key), { className: "bnviz-icon", aria: t("notice.dismiss") }));
    const entry = { banner, timer: null };
    this.#shown.set(key, entry);
    // The newest one lies on top.
    this.element.prepend(banner);
    this.#view.announcer.say(text, `notice ${key}`, `${text} ${performance.now()}`);
    if (sticky) return;
    const leave = () => (entry.timer = setTimeout(() => this.hide(key), LEAST + A_LETTER * text.length));
    const stay = () => clearTimeout(entry.timer);
    leave();
    // Not from under a pointer, nor with the focus in it.
    for (const name of ["pointerenter", "focusin"]) banner.addEventListener(name, stay);
    for (const name of ["pointerleave", "focusout"]) banner.addEventListener(name, () => (stay(), leave()));
  }

  /** Sentences that came with the page itself: [[key, values], …] in the page's own words. */
  fromPage({ notices = [], texts }) {
    const wanted = JSON.stringify(notices);
    if (this.#fromPage === wanted) return;
    this.#fromPage = wanted;
    for (const key of [...this.#shown.keys()].filter((key) => key.startsWith("page."))) this.hide(key);
    notices.forEach(([key, values], i) => {
      const text = fillTemplate(lookUp(texts, `lab.${key}`) ?? key, values);
      this.#add(`page.${key}.${i}`, text, {});
    });
  }

  hide(key) {
    const entry = this.#shown.get(key);
    if (!entry) return;
    clearTimeout(entry.timer);
    entry.banner.remove();
    this.#shown.delete(key);
  }

  /** Take away what spoke of the run before. */
  clear() {
    for (const key of [...this.#shown.keys()]) if (!key.startsWith("page.")) this.hide(key);
  }

  /** End all timers. */
  destroy() {
    for (const key of [...this.#shown.keys()]) this.hide(key);
  }
}
