// Script of the knob drawer. It opens the drawer, searches its knobs, and lists differences from the preset. The knobs
// are Streamlit widgets further down the page, and all of them are always in the document. A style element determines
// which knobs are displayed, so a change of the selection needs no rerun of the Streamlit script. Hidden knobs cannot
// be reached with the keyboard or a screen reader.

import { followRun } from "./live/data/published_runs.js";
import { button, differsFromLast, fill, h, setHidden, setText } from "./live/lib/dom.js";
import { written } from "./live/lib/format.js";
import { joinList } from "./live/lib/joining.js";
import { linkStyles, mountOnce } from "./live/lib/mounting.js";
import { translator } from "./live/lib/texts.js";

const DRAWER = ".stApp .st-key-drawer";
// Selector of the focusable element in a knob's widget.
const CONTROL = "input:not(:disabled, [hidden]), [role=radio][aria-checked=true]:not(:disabled)";

linkStyles(import.meta.url);

/** Entry point that Streamlit calls. Its `data` are described in bnviz/ui/sidebar.py. */
export default mountOnce(({ parentElement, data }) => new Drawer(parentElement, data));

class Drawer {
  #run = null;
  #open = false;
  #resetting = new Set(); // names of the knobs for which a reset was requested from the script but is still pending
  #send = () => {};
  #unfollow = () => {};

  constructor(parent, data) {
    this.data = data;
    this.t = translator(data.texts);
    this.count = h("small");
    this.title = h("span");
    this.toggle = button([this.title, " ", this.count], () => this.#toggle(), { className: "bnviz-drawer-toggle", "aria-expanded": "false" });
    this.field = h("input", { type: "search", autocomplete: "off", spellcheck: "false", oninput: () => this.#search(), onkeydown: (event) => this.#onKey(event) });
    this.found = h("p", { role: "status" });
    this.above = h("p.bnviz-drawer-open");
    this.matching = null; // names of the knobs that match the search, or null if nothing is searched
    this.differences = new Differences(this);
    this.style = h("style");
    this.root = h("div.bnviz-sidebar.bnviz-drawer",
      this.toggle, this.field, this.found, this.above, this.differences, this.style);
    parent.append(this.root);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.t = translator(data.texts);
    this.#send = setTriggerValue;
    this.#resetting.clear();
    this.root.dataset.theme = data.dark ? "dark" : "light";
    setText(this.title, this.t("drawer.title"));
    setText(this.count, String(data.knobs_in_all));
    this.field.placeholder = this.t("drawer.example");
    this.field.setAttribute("aria-label", this.t("drawer.search"));
    this.#show();
    if (this.#run === data.run) return;
    this.#unfollow();
    this.#run = data.run;
    this.#unfollow = followRun(data.run, (found) => this.differences.bind(found?.link ?? null));
  }

  /**
   * Ask the script to reset a knob to the preset's value, and repeat the requests for resets that are still pending.
   */
  reset(name) {
    this.#resetting.add(name);
    this.#send("back", [...this.#resetting]);
  }

  #toggle() {
    this.#open = !this.#open;
    this.field.value = "";
    this.#search();
  }

  /**
   * Display the knobs that match the search. If nothing is searched and the drawer is open, display all applicable
   * knobs.
   */
  #show() {
    const query = this.field.value.trim();
    const { entries, knobs_in_all: count } = this.data;
    const found = query ? foundBy(entries, query) : entries.filter((entry) => this.#open && entry.applies);
    this.toggle.setAttribute("aria-expanded", String(this.#open || query !== ""));
    setText(this.style, stylesOf(entries, found.filter(({ group }) => group)));
    setHidden(this.found, !query);
    const shown = found.filter(({ knob }) => knob).length; // the search also finds measures, which are not counted here
    setText(this.found, !query || (found.length && !shown) ? "" : this.t(shown ? "drawer.found" : "drawer.none", { shown, count, query }));
    this.matching = query ? new Set(found.map(({ name }) => name)) : null;
    this.differences.update();
    this.#showAbove(query ? found.filter(({ at }) => at) : []);
  }

  /** List the matching knobs that are above the drawer. A click on a name moves the focus to the knob. */
  #showAbove(found) {
    setHidden(this.above, !found.length);
    const links = found.map(({ at, label }) => button(label, () => document.querySelector(at)?.focus(), { className: "bnviz-link" }));
    fill(this.above, this.t("drawer.open"), links.flatMap((link) => [" ", link]));
  }

  #search() {
    this.#show();
    this.#displayed()[0]?.scrollIntoView({ block: "nearest" });
  }

  /** Return the elements of the knobs that are displayed. */
  #displayed() {
    const knobs = [...document.querySelectorAll(`${DRAWER}_knobs [class*=st-key-drawer_knob_]`)];
    return knobs.filter((knob) => knob.checkVisibility());
  }

  #onKey(event) {
    event.stopPropagation();
    if (event.key === "Escape" && this.field.value) {
      event.preventDefault();
      this.field.value = "";
      this.#show();
    } else if (event.key === "Enter") this.#focusFirst();
  }

  /** Move the focus to the first knob that matches the search. */
  #focusFirst() {
    const controls = this.#displayed().map((knob) => knob.querySelector(CONTROL));
    (controls.find(Boolean) ?? this.above.querySelector("button"))?.focus();
  }

  end() {
    this.#unfollow();
    this.differences.end();
    this.root.remove();
  }
}

/** Return a style sheet that displays the matching knobs of the drawer and their groups, and hides all other knobs. */
function stylesOf(entries, found) {
  if (!found.length) return "";
  const [names, groups] = [new Set(found.map(({ name }) => name)), new Set(found.map(({ group }) => group))];
  const gone = entries.filter(({ name, group }) => group && !names.has(name)).map(({ name }) => `_knob_${name}`);
  const empty = new Set(entries.filter(({ group }) => group && !groups.has(group)).map(({ group }) => `_group_${group}`));
  const hidden = [...gone, ...empty].map((part) => `${DRAWER} .st-key-drawer${part}`);
  return `${DRAWER} .st-key-drawer_knobs { display: flex; }${hidden.length ? `${hidden.join(", ")} { display: none; }` : ""}`;
}

/** Return a text in lower case and without accents, for comparison. */
function normalized(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}

/**
 * Return the entries whose names contain every word of a query, or else the entries whose names and help texts together
 * contain every word.
 */
function foundBy(entries, query) {
  const wanted = normalized(query).split(/\s+/).filter(Boolean);
  const has = (text) => wanted.every((word) => normalized(text).includes(word));
  const named = entries.filter(({ names }) => has(names));
  return named.length ? named : entries.filter(({ names, help }) => has(`${names} ${help}`));
}

/**
 * List of the knobs that differ from the preset, one per line, each with a reset button. Live knobs are compared and
 * set through the link to the run. For all other knobs, the script supplies the values and does the reset.
 */
class Differences {
  #drawer;
  #link = null;
  #isNew = differsFromLast();
  #unlisten = () => {};

  constructor(drawer) {
    this.#drawer = drawer;
    this.element = h("div.bnviz-differs");
  }

  /** Follow the knob values of a run, or stop following them if `link` is null. */
  bind(link) {
    this.#unlisten();
    this.#link = link;
    this.#unlisten = link?.on("values", () => this.update()) ?? (() => {});
    this.update();
  }

  update() {
    const { data, t, matching } = this.#drawer;
    const compared = (data.homes ?? []).filter(({ name }) => !matching || matching.has(name));
    const items = compared.map((item) => this.#difference(item)).filter(Boolean);
    const allowed = this.#link?.allowed ?? data.can_control;
    const empty = data.homes === null || (matching && !items.length);
    if (!this.#isNew([items, allowed, empty, t("drawer.same")])) return;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.back : null;
    if (empty) fill(this.element);
    else if (!items.length) fill(this.element, h("p", t("drawer.same")));
    else fill(this.element, h("p", t("drawer.differs")), h("ul", items.map((item) => this.#line(item, allowed))));
    if (focused) this.#keepFocus(focused);
  }

  /** Return the item with its present value, or null if the present value equals the preset's value. */
  #difference(item) {
    if (!item.live || !this.#link) return item.live && item.now === item.was ? null : item;
    const value = this.#link.shown(item.name);
    // If each network has its own learning rate, the shared rate has no effect.
    if (item.name === "learning_rate" && this.#link.shown("learning_rates")) return null;
    if (JSON.stringify(value) === JSON.stringify(item.home)) return null;
    const now = item.choices?.[value] ?? (value === null ? item.now : joinList([value].flat().map(written)));
    return { ...item, now };
  }

  #line({ name, label, now, was, live, home }, allowed) {
    const { t } = this.#drawer;
    const reset = () => (live && this.#link?.connected ? this.#link.setKnob(name, home) : this.#drawer.reset(name));
    return h("li", { "data-differs": name },
      h("span", t("drawer.now", { label, value: now })), " · ",
      button(t("drawer.back", { value: was }), reset, {
        className: "bnviz-link", "data-back": name, disabled: !allowed, aria: t("drawer.back_of", { label, value: was }),
      }));
  }

  /**
   * Restore the focus after the focused button was removed. Focus its replacement, the first button, the sentence or
   * the search field, whichever of these exists first.
   */
  #keepFocus(name) {
    const buttons = [...this.element.querySelectorAll("button")];
    const next = buttons.find(({ dataset }) => dataset.back === name) ?? buttons[0] ?? this.element.querySelector("p") ?? this.#drawer.field;
    if (next?.localName === "p") next.tabIndex = -1;
    next?.focus();
  }

  end() {
    this.#unlisten();
  }
}
