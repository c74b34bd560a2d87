// How charts are chosen: pills under the charts of the page, a chooser in the other modes.

import { button, fill, h, setHidden } from "../lib/dom.js";

const KEYS = 9; // charts with a number key of their own

export class ChartsMenu {
  pills = h("nav", { class: "bnviz-pills" });
  chooser = h("nav", { class: "bnviz-chooser", hidden: true });
  #view;
  #area;

  constructor(view, area) {
    this.#view = view;
    this.#area = area;
  }

  /**
   * @param mode "page", "present" or "phone"
   * @param often charts with a pill of their own; @param choices those of the other modes
   * @param slots names of those shown in the other modes; @param add whether charts can be added
   */
  update(mode, { often, choices, slots, add }) {
    const held = document.activeElement?.dataset?.opens ?? null;
    setHidden(this.pills, mode !== "page" || !add);
    setHidden(this.chooser, mode === "page");
    if (mode === "page") this.#fillPills(often);
    else this.#fillChooser(choices, slots, mode, add);
    if (held !== null && !this.#view.root?.contains(document.activeElement)) this.focus(held);
  }

  #fillPills(often) {
    fill(this.pills, h("span", {}, this.#view.t("more.title")),
      ...often.map((spec) => this.#pill(spec, this.#area.opened(spec.name), () => this.#area.toggleHere(spec.name))),
      this.#add());
  }

  #fillChooser(choices, slots, mode, add) {
    fill(this.chooser, ...choices.map((spec, i) => {
      const pick = this.#pill(spec, slots.includes(spec.name), () => this.#area.put(spec.name));
      if (mode === "present" && i < KEYS) pick.prepend(h("kbd", {}, i + 1), " ");
      return pick;
    }), add ? this.#add() : null);
  }

  #pill({ name, title, help }, pressed, act) {
    const pill = button(title, act, { className: "bnviz-pill", title: help || null });
    pill.dataset.opens = name;
    pill.setAttribute("aria-pressed", String(pressed));
    return pill;
  }

  #add() {
    const { t } = this.#view;
    const add = button(t("gallery.open"), () => this.#view.act("gallery"), { className: "bnviz-pill bnviz-add", title: t("gallery.open_help") });
    add.dataset.opens = "";
    add.setAttribute("aria-haspopup", "dialog");
    return add;
  }

  /** Move the focus to a chart's button, or to the one that adds charts. */
  focus(name) {
    const all = [...this.pills.querySelectorAll("[data-opens]"), ...this.chooser.querySelectorAll("[data-opens]")];
    const visible = all.filter((element) => element.offsetParent);
    (visible.find(({ dataset }) => dataset.opens === name) ?? visible.find(({ dataset }) => dataset.opens === ""))?.focus();
  }
}
