// Unobtrusive banners: what happened to the run that the numbers do not say.

import { button, h } from "../lib/dom.js";
import { fillTemplate, lookUp } from "../lib/texts.js";

export class Notices {
  element = h("div", { class: "bnviz-notices" });
  #view;
  #shown = new Map();
  #fromPage = "[]";

  constructor(view) {
    this.#view = view;
  }

  /** Show a notice by key; the same key replaces its earlier text. */
  show(key, values = {}, options = {}) {
    this.hide(key);
    const { t } = this.#view;
    this.#add(key, t(key.includes(".") ? key : `notice.${key}`, values), options);
  }

  #add(key, text, { sticky = false, action = null }) {
    const { t } = this.#view;
    const banner = h("div", { class: "bnviz-notice", "data-notice": key, role: "status" },
      h("span", {}, text),
      action ? button(action.label, action.run, { className: "bnviz-link" }) : null,
      sticky ? null : button("×", () => this.hide(key), { className: "bnviz-icon", aria: t("notice.dismiss") }));
    this.#shown.set(key, banner);
    this.element.append(banner);
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
    this.#shown.get(key)?.remove();
    this.#shown.delete(key);
  }

  /** Take away what spoke of the run before. */
  clear() {
    for (const key of [...this.#shown.keys()]) if (!key.startsWith("page.")) this.hide(key);
  }
}
