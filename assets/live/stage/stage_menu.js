// Menu of the presentation view: pace, charts, sharing, all knobs, and a link back to the normal page. The presentation
// view of the map has the same kind of menu with its own entries.

import { h, pill, setHidden } from "../lib/dom.js";
import { returnFocusTo } from "../lib/keyboard_focus.js";

export class StageMenu {
  #view;
  #pointed = false; // whether the menu was last opened with a pointer

  /** @param view {id, t, question, act(name), data: {can_control}} */
  constructor(view) {
    this.#view = view;
    const { t } = view;
    this.panel = h("div.bnviz-stage-panel", { popover: "auto", id: `bnviz-stage-menu-${view.id}`, role: "group", "aria-label": t("stage.menu") });
    this.button = pill("⋯", null, { className: "bnviz-stage-more", title: t("stage.menu"), aria: t("stage.menu") });
    this.button.setAttribute("popovertarget", this.panel.id);
    this.element = h("div.bnviz-stage-tools", view.question.button, this.button, this.panel);
    this.sidebar = new StageSidebar(this.button);
    this.knobs = pill(t("stage.knobs"), () => this.sidebar.open());
    this.keys = pill(t("stage.keys"), () => view.act("keys"));
    // After a click, the button does not keep the focus: Space must play the run instead of opening the menu.
    this.button.addEventListener("click", ({ detail }) => (this.#pointed = detail > 0));
    // The sidebar may have been created since the menu was last open.
    this.panel.addEventListener("beforetoggle", () => this.update());
    this.panel.addEventListener("toggle", ({ newState }) => newState === "closed" && this.#pointed && this.button.blur());
    this.panel.addEventListener("click", (event) => this.#closeAfter(event), { capture: true });
  }

  /** A section of the menu, with a heading. */
  row(title, ...parts) {
    return h("section", h("h3", title), parts);
  }

  /** Move parts of the live view into the menu. */
  fill(transport, charts, knobs) {
    const { t } = this.#view;
    this.pace = this.row(t("transport.pace"), transport.pace);
    this.second = this.row(t("stage.second"), knobs.choice);
    this.panel.append(this.pace, this.second, this.row(t("stage.charts"), charts.chooser), this.row(t("stage.run"), transport.step, transport.others, this.knobs, this.keys));
  }

  update() {
    const { data } = this.#view;
    if (this.pace) setHidden(this.pace, this.#view.transport.pace.hidden);
    if (this.second) setHidden(this.second, !data.can_control || !data.knobs.second?.length);
    setHidden(this.knobs, !data.can_control || !this.sidebar.exists);
  }

  /** Close the menu before the chosen button acts, so that a dialog can return the focus to the menu's button. */
  #closeAfter({ target, detail }) {
    if (target.closest("button") || (detail > 0 && target.matches("input[type=radio]"))) this.panel.hidePopover();
  }
}

const SIDEBAR = "[data-testid=stSidebar]";
const FOCUSABLE = "input, button, [tabindex='0'], [role=combobox]";
// Pop-ups of widgets in the sidebar. Esc closes an open pop-up before it closes the sidebar.
const OPENED = "[role=listbox], [data-baseweb=popover]";

/** The page's sidebar with all knobs. In the presentation view it is opened only on request. */
class StageSidebar {
  #opener;
  #closing = null; // an AbortController while the sidebar is open, otherwise null

  /** @param opener element that gets the focus when the sidebar is closed */
  constructor(opener) {
    this.#opener = opener;
    delete document.documentElement.dataset.knobs;
  }

  /** Return whether the page has a sidebar. */
  get exists() {
    return document.querySelector(SIDEBAR) !== null;
  }

  open() {
    document.documentElement.dataset.knobs = "open";
    this.#closing?.abort();
    this.#closing = new AbortController();
    const first = { capture: true, signal: this.#closing.signal };
    document.addEventListener("keydown", (event) => this.#onKey(event), first);
    document.addEventListener("pointerdown", ({ target }) => target.closest(".bnviz-stage") && this.close(), first);
    document.querySelector(SIDEBAR).querySelector(FOCUSABLE)?.focus();
  }

  close() {
    delete document.documentElement.dataset.knobs;
    this.#closing?.abort();
    const within = document.activeElement?.closest(SIDEBAR);
    if (!within) return;
    document.activeElement.blur();
    returnFocusTo(this.#opener);
  }

  #onKey(event) {
    if (event.key !== "Escape" || document.querySelector(OPENED)) return;
    event.preventDefault();
    event.stopPropagation();
    this.close();
  }
}
