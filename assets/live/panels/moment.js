// The moment to look, told in a line, with the way to it.

import { momentOf } from "../data/moment.js";
import { button, h, setHidden, setText } from "../lib/dom.js";
import { count } from "../lib/format.js";

/** Show the whole page as it was at the moment. */
export function goTo(view) {
  view.time.pin(view.data.moment.step);
}

/** What stands over the view of the setting that its address names no longer holds. */
function showMoved() {
  for (const said of document.querySelectorAll(".claims-moved")) setHidden(said, false);
}

export class Moment {
  #view;
  #shown = false;

  constructor(view) {
    this.#view = view;
    this.go = button("", () => goTo(view), { className: "bnviz-pill bnviz-go" });
    this.text = h("span", {});
    this.element = h("p", { class: "bnviz-moment", hidden: true }, this.go, this.text);
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
    const { t, time } = this.#view;
    const at = count(moment.step);
    this.go.disabled = !moment.reached;
    this.go.setAttribute("aria-pressed", String(time.pinned === moment.step));
    this.go.title = t(moment.reached ? "moment.go_help" : "moment.ahead_help", { step: at });
    const shown = moment.reached ? (store.nearest(moment.step)?.[1] ?? moment.step) : moment.step;
    setText(this.go, t("moment.go", { step: count(shown) }));
    // What was to be seen then must not read as what is to be seen now.
    setText(this.text, step === shown ? moment.text : t("moment.then", { step: count(shown), text: moment.text }));
    setHidden(this.text, store.changes.some((change) => change.step < step));
  }
}
