// Transport: buttons to reset, play or pause, and step; the step counter; the pace; and buttons for other actions on a
// run. A menu contains the buttons that do not fit.

import { frames } from "../../contract.js";
import { button, differsFromLast, fill, h, icon, pill, segments, setHidden, setText, showIcon } from "../lib/dom.js";
import { count } from "../lib/format.js";

export class Transport {
  element = h("div.bnviz-transport", { role: "toolbar" });
  #view;
  #playing = null; // whether the reader has pressed play (true) or pause (false); null once the server has confirmed it
  #isNew = differsFromLast(); // detects changes in the data that the other buttons are built from

  constructor(view) {
    this.#view = view;
    this.#build();
  }

  #build() {
    const { t } = this.#view;
    this.element.setAttribute("aria-label", t("transport.title"));
    const control = (name, className = "bnviz-round", onclick = () => this.#view.act(name)) => button(icon(name), onclick, {
      className, title: t(`transport.${name}_help`), aria: t(`transport.${name}`), "data-control": name,
    });
    this.reset = control("reset");
    this.play = control("play", "bnviz-round bnviz-play", () => this.#view.question.play() || this.#view.time.hold() || this.#view.act("play"));
    this.step = control("step");
    this.buttons = h("div.bnviz-buttons", this.reset, this.play, this.step);
    this.number = h("span.bnviz-step", "0");
    this.what = h("small");
    this.pace = segments(t("transport.pace"), `bnviz-pace-${this.#view.id}`,
      frames.paces.map((pace) => [pace, t(`pace.${key(pace)}`), t(`pace.${key(pace)}_help`)]), null, (pace) => this.#view.act("pace", { pace }));
    this.live = pill(t("transport.live"), () => this.#view.time.live(), { className: "bnviz-strong bnviz-live", hidden: true });
    this.others = h("div.bnviz-others");
    this.overflow = new Overflow(this.others, t("transport.others"));
    fill(this.element, this.buttons,
      h("div.bnviz-counter", this.number, this.what), this.pace, this.live, this.others);
  }

  update() {
    const { data, t } = this.#view;
    const may = data.can_control;
    const hide = new Set(data.hide);
    setHidden(this.buttons, !may || hide.has("transport"));
    setHidden(this.pace, !may || hide.has("transport"));
    this.#setPace(data.pace);
    this.tell();
    // If nothing has changed, keep the buttons, so that a focused button keeps the focus.
    if (!this.#isNew([may, data.hide, data.present, data.language])) return;
    const pill = (name) => (hide.has(name) ? null : this.#pill(name));
    const stage = Boolean(this.#view.stage);
    this.overflow.fill(
      [stage ? null : this.#view.question.button, may ? null : hide.has("copy") ? null : this.#watching(), pill("share")],
      [may ? pill("new_seed") : null, pill("present"), pill("export"), may && !stage ? pill("find_best") : null, may ? pill("pin") : null],
    );
    this.#tellPin();
  }

  /**
   * Show a text beside the counter: the step that the server is advancing to, or why the run has stopped. If neither
   * applies, show the data set, the device and the number of viewers.
   */
  tell() {
    const { data, store, pageLayout, t } = this.#view;
    const dataset = (store.standIn ? data.stand_in_label : data.dataset_label) ?? data.config.dataset;
    const device = t(`device.${store.device ?? "cpu"}`);
    const watched = store.viewers > 1 ? ` · ${t("transport.viewers", { count: store.viewers })}` : "";
    const running = store.status === "running";
    const behind = store.behind && running;
    const to = this.#view.talk.goesTo ?? store.goesTo;
    const stands = to !== null || (!running && store.reason in (data.texts.stands ?? {}));
    const text = to !== null ? t("transport.goes_to", { step: count(to) }) : stands ? t(`stands.${store.reason}`) : pageLayout?.isHome ? t("transport.steps") : t("transport.what", { dataset, device }) + watched;
    const told = behind && !pageLayout?.isHome; // the home page has room for one word
    setText(this.what, told ? t("transport.behind") : text);
    this.what.classList.toggle("bnviz-stands", stands);
    this.what.title = behind ? t("transport.behind_help") : stands && to === null ? t(`reason.${store.reason}`) : [text, data.device_reason].filter(Boolean).join("\n");
  }

  /** Show the progress of the search for the best rates on its button. */
  #tellSearch() {
    const best = this.overflow.find("find_best");
    if (!best) return;
    const { store, covered, t } = this.#view;
    const searching = covered ? null : store.searching;
    best.disabled = searching !== null || Boolean(covered);
    const text = searching === null ? t("transport.find_best") : t("transport.searching", { share: searching });
    const otherLength = text.length !== best.textContent.length;
    setText(best, text);
    if (otherLength) this.overflow.fit();
  }

  /** Show on the pin button whether the run is kept, and until when. */
  #tellPin() {
    const pin = this.overflow.find("pin");
    if (!pin) return;
    const { store, data, t } = this.#view;
    const until = store.pinnedUntil;
    const time = until && new Date(until).toLocaleString(data.language, { weekday: "short", hour: "2-digit", minute: "2-digit" });
    const text = until ? t("transport.pinned", { time }) : t("transport.pin");
    pin.setAttribute("aria-pressed", until !== null);
    pin.title = t(until ? "transport.pinned_help" : "transport.pin_help");
    if (text === pin.textContent) return;
    setText(pin, text);
    this.overflow.fit();
  }

  #pill(name) {
    const { data, t } = this.#view;
    const shown = name === "present" && data.present ? "present_end" : name;
    const acts = {
      find_best: () => this.#view.cards.showBest(), pin: () => this.#view.act(this.#view.store.pinnedUntil ? "unpin" : "pin"),
    };
    const onclick = acts[name] ?? (() => this.#view.act(name));
    return pill(t(`transport.${shown}`), onclick, {
      title: t(`transport.${shown}_help`), "data-control": name,
    });
  }

  #watching() {
    const { t } = this.#view;
    return h("span.bnviz-watching", t("watching.title"), " ",
      pill(t("watching.copy"), () => this.#view.act("copy"), { className: "bnviz-strong", "data-control": "copy" }));
  }

  #setPace(pace) {
    const input = this.pace.querySelector(`[value="${pace}"]`);
    if (input && !input.checked) input.checked = true;
  }

  /** Show at once what the reader has chosen, before the server confirms it. */
  expect({ playing = null, pace = null }) {
    if (playing !== null) this.#playing = playing;
    if (pace !== null) this.#setPace(pace);
    this.#showPlay();
  }

  /** Show the state that the server has sent, instead of the reader's unconfirmed choice. */
  settle() {
    this.#playing = null;
    const { pace } = this.#view.store;
    if (pace) this.#setPace(pace);
    this.#showPlay();
    this.tell();
    this.#tellPin();
  }

  get playing() {
    return this.#playing ?? this.#view.store.status === "running";
  }

  #showPlay() {
    const name = (this.#view.time.replays ?? this.playing) ? "pause" : "play";
    const { t } = this.#view;
    showIcon(this.play, name, t(`transport.${name}`), t(`transport.${name}_help`));
  }

  draw({ step, rewound }) {
    this.tell();
    setText(this.number, count(step));
    setHidden(this.live, !rewound);
    this.#tellSearch();
    this.element.classList.toggle("bnviz-rewound", rewound);
    this.#showPlay();
  }
}

/** Return a pace's key in the texts. */
function key(pace) {
  return pace === "1/s" ? "one" : pace;
}

let menus = 0;

/** A row of buttons. Rarely used buttons, and buttons that do not fit, are in a menu behind "⋯". */
class Overflow {
  #row;
  #more;
  #menu;
  #buttons = [];
  #folded = []; // buttons that are always in the menu

  /**
   * @param row element for the buttons, which shrinks if there is no room for all of them
   * @param label name of the menu
   */
  constructor(row, label) {
    const id = `bnviz-others-${++menus}`;
    this.#row = row;
    this.#menu = h("div.bnviz-menu-panel", { id, popover: "auto", role: "group", "aria-label": label });
    // Close the menu before the button acts, so that a dialog later returns the focus to the button that opens the
    // menu.
    this.#menu.addEventListener("click", () => this.#menu.hidePopover(), { capture: true });
    this.#more = pill("⋯", null, { className: "bnviz-others-more", title: label, aria: label });
    this.#more.setAttribute("popovertarget", id);
    this.#menu.addEventListener("beforetoggle", ({ newState }) => newState === "open" && this.#place());
    for (const part of [this.#more, this.#menu]) part.addEventListener("keydown", (event) => this.#onKey(event));
    new ResizeObserver(() => this.fit()).observe(row);
  }

  /**
   * Set the buttons of the row, and the buttons that are always in the menu. If the row is too narrow, its buttons move
   * into the menu, the last one first. Null entries are skipped.
   */
  fill(buttons, folded) {
    this.#buttons = buttons.filter(Boolean);
    this.#folded = folded.filter(Boolean);
    this.fit();
  }

  /** Return the button with this name, or undefined if there is none. */
  find(name) {
    return [...this.#buttons, ...this.#folded].find(({ dataset }) => dataset.control === name);
  }

  /** Put as many buttons into the row as fit. A row that may wrap gets all buttons. */
  fit() {
    const focused = document.activeElement;
    const mine = focused === this.#more || this.#buttons.includes(focused);
    // A row that may wrap has room for all buttons.
    const wraps = getComputedStyle(this.#row).flexWrap !== "nowrap";
    fill(this.#menu, wraps ? [] : this.#folded);
    setHidden(this.#more, wraps || !this.#folded.length);
    fill(this.#row, this.#buttons, wraps ? this.#folded : [], this.#more, this.#menu);
    if (this.#row.clientWidth && !wraps) this.#fold();
    if (mine && document.activeElement !== focused) focused.focus();
    // The focused button has lost the focus if it is now in the closed menu, or if it opens a menu that is no longer
    // needed.
    if (mine && document.activeElement !== focused) (this.#more.hidden ? this.#buttons.at(-1) : this.#more)?.focus();
  }

  /** Move the buttons that do not fit into the row to the menu. */
  #fold() {
    const over = () => this.#row.scrollWidth > this.#row.clientWidth + 1;
    if (!over()) return;
    setHidden(this.#more, false);
    for (let shown = this.#buttons.length; shown > 0 && over(); ) this.#menu.prepend(this.#buttons[--shown]);
  }

  /** Arrow keys move the focus through the menu, beginning at its button. */
  #onKey(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !this.#menu.matches(":popover-open")) return;
    event.preventDefault();
    const all = [...this.#menu.children];
    const at = all.indexOf(document.activeElement);
    all[at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length]?.focus();
  }

  /** Put the menu under its button, at the right edge of the row. */
  #place() {
    const { bottom, right } = this.#more.getBoundingClientRect();
    Object.assign(this.#menu.style, { top: `${bottom + 6}px`, right: `${document.documentElement.clientWidth - right}px` });
  }
}
