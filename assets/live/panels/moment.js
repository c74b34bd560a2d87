// What is to be seen at the moment to look, told under the timeline, whose flag leads there.

import { momentOf } from "../data/moment.js";
import { h, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";

/** What stands over the view of the setting that its address names no longer holds. */
function showMoved() {
  for (const said of document.querySelectorAll(".claims-moved")) setHidden(said, false);
}

export class Moment {
  #view;
  #shown = false;

  constructor(view) {
    this.#view = view;
    this.element = h("p", { class: "bnviz-moment", hidden: true });
  }

  update() {
    if (this.#view.data.moment) return;
    this.#shown = false;
    setHidden(this.element, true);
  }

  draw({ step, store }) {
    if (store.changes.length) showMoved();
    const moment = momentOf(this.#view.data, store);
    this.#shown ||= Boolean(moment);
    // Its place stays free: nothing moves under the hand that has just changed a knob.
    setHidden(this.element, !this.#shown);
    this.element.classList.toggle("bnviz-past", !moment);
    if (!moment) return;
    const { t } = this.#view;
    const shown = moment.reached ? (store.nearest(moment.step)?.[1] ?? moment.step) : moment.step;
    // What was to be seen then must not read as what is to be seen now.
    const said = step === shown ? moment.text : t("moment.then", { step: count(shown), text: moment.text });
    setText(this.element, store.changes.some((change) => change.step < step) ? "" : said);
  }
}
