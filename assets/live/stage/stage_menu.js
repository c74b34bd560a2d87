// What a hall need not see all the time: the pace, the other charts, sharing, and the way back. A map
// has it as well, with parts of its own.

import { button, h, setHidden } from "../lib/dom.js";
import { KnobsDrawer } from "./knobs_drawer.js";

export class StageMenu {
  #view;
  #pointed = false; // opened with a pointer

  /** @param view {id, t, question, act(name), data: {can_control}} */
  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.panel = h("div", { class: "bnviz-stage-panel", popover: "auto", id: `bnviz-stage-menu-${view.id}`, role: "group", "aria-label": t("stage.menu") });
    this.button = button("⋯", null, { className: "bnviz-pill bnviz-stage-more", title: t("stage.menu"), aria: t("stage.menu") });
    this.button.setAttribute("popovertarget", this.panel.id);
    this.element = h("div", { class: "bnviz-stage-tools" }, view.question.button, this.button, this.panel);
    this.drawer = new KnobsDrawer(this.button);
    this.knobs = button(t("stage.knobs"), () => this.drawer.open(), { className: "bnviz-pill" });
    this.keys = button(t("stage.keys"), () => view.act("keys"), { className: "bnviz-pill" });
    // Who opened it with a pointer goes on with the keys of the page: there space plays.
    this.button.addEventListener("click", ({ detail }) => (this.#pointed = detail > 0));
    this.panel.addEventListener("beforetoggle", () => this.update()); // the page beside it may have come since
    this.panel.addEventListener("toggle", ({ newState }) => newState === "closed" && this.#pointed && this.button.blur());
    this.panel.addEventListener("click", (event) => this.#chosen(event), { capture: true });
  }

  /** Parts under a heading of their own. */
  row(title, ...parts) {
    return h("section", {}, h("h3", {}, title), ...parts);
  }

  /** The parts of the page that stand in the menu on the stage. */
  take(transport, charts, knobs) {
    const { t } = this.#view;
    this.pace = this.row(t("transport.pace"), transport.pace);
    this.second = this.row(t("stage.second"), knobs.choice);
    this.panel.append(this.pace, this.second, this.row(t("stage.charts"), charts.chooser), this.row(t("stage.run"), transport.step, transport.others, this.knobs, this.keys));
  }

  update() {
    const { data } = this.#view;
    if (this.pace) setHidden(this.pace, this.#view.transport.pace.hidden);
    if (this.second) setHidden(this.second, !data.can_control || !data.knobs.second?.length);
    setHidden(this.knobs, !data.can_control || !this.drawer.there);
  }

  /** What is chosen is seen on the stage. Before it acts, so that a dialog gives the focus back to the menu's button. */
  #chosen({ target, detail }) {
    if (target.closest("button") || (detail > 0 && target.matches("input[type=radio]"))) this.panel.hidePopover();
  }
}
