// Entry of the drawer of all knobs: a search, and what differs from the preset. The knobs themselves are
// Streamlit's, all of them in the page below; which of them are seen is a style, which no rerun of the
// script takes away. What is not seen is not displayed: no key and no screen reader comes to it.

import { follow } from "./live/data/open_runs.js";
import { WhatDiffers } from "./live/knobs/what_differs.js";
import { fill, h, setHidden, setText } from "./live/lib/dom.js";
import { linkStyles } from "./live/lib/preload.js";
import { standing } from "./live/lib/standing.js";
import { translator } from "./live/lib/texts.js";

const DRAWER = ".stApp .st-key-drawer";
const CONTROL = "input:not(:disabled, [hidden]), [role=radio][aria-checked=true]:not(:disabled)";

linkStyles(import.meta.url);

/** @param component with data, see bnviz/ui/sidebar.py */
export default standing(({ parentElement, data }) => new Drawer(parentElement, data));

class Drawer {
  #run = null;
  #open = false;
  #back = new Set(); // knobs on their way back
  #send = () => {};
  #leave = () => {};

  constructor(parent, data) {
    this.data = data;
    this.t = translator(data.texts);
    this.count = h("small", {});
    this.title = h("span", {});
    this.toggle = h("button", { type: "button", class: "bnviz-drawer-toggle", "aria-expanded": "false", onclick: () => this.#turn() },
      this.title, " ", this.count);
    this.field = h("input", { type: "search", autocomplete: "off", spellcheck: "false", oninput: () => this.#search(), onkeydown: (event) => this.#key(event) });
    this.found = h("p", { role: "status" });
    this.above = h("p", { class: "bnviz-drawer-open" });
    this.among = null;
    this.differs = new WhatDiffers(this);
    this.style = h("style", {});
    this.root = h("div", { class: "bnviz-sidebar bnviz-drawer" },
      this.toggle, this.field, this.found, this.above, this.differs.element, this.style);
    parent.append(this.root);
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.t = translator(data.texts);
    this.#send = setTriggerValue;
    this.#back.clear();
    this.root.dataset.theme = data.dark ? "dark" : "light";
    setText(this.title, this.t("drawer.title"));
    setText(this.count, String(data.knobs_in_all));
    this.field.placeholder = this.t("drawer.example");
    this.field.setAttribute("aria-label", this.t("drawer.search"));
    this.#show();
    if (this.#run === data.run) return;
    this.#leave();
    this.#run = data.run;
    this.#leave = follow(data.run, (parts) => this.differs.bind(parts?.link ?? null));
  }

  /** Ask the script to put a knob back, with those that it may not have heard of yet. */
  takeBack(name) {
    this.#back.add(name);
    this.#send("back", [...this.#back]);
  }

  #turn() {
    this.#open = !this.#open;
    this.field.value = "";
    this.#search();
  }

  /** Show the knobs that are looked for; all of them where the drawer is open and nothing is. */
  #show() {
    const query = this.field.value.trim();
    const { entries, knobs_in_all: count } = this.data;
    const found = query ? foundBy(entries, query) : entries.filter((entry) => this.#open && entry.applies);
    this.toggle.setAttribute("aria-expanded", String(this.#open || query !== ""));
    setText(this.style, stylesOf(entries, found.filter(({ group }) => group)));
    setHidden(this.found, !query);
    const shown = found.filter(({ knob }) => knob).length; // a measure is found as well, and is none
    setText(this.found, !query || (found.length && !shown) ? "" : this.t(shown ? "drawer.found" : "drawer.none", { shown, count, query }));
    this.among = query ? new Set(found.map(({ name }) => name)) : null;
    this.differs.update();
    this.#showAbove(query ? found.filter(({ at }) => at) : []);
  }

  /** Those that stand above the drawer, by name: to take hold of there. */
  #showAbove(found) {
    setHidden(this.above, !found.length);
    const ways = found.map(({ at, label }) => h("button", { type: "button", class: "bnviz-link", onclick: () => document.querySelector(at)?.focus() }, label));
    fill(this.above, this.t("drawer.open"), ...ways.flatMap((way) => [" ", way]));
  }

  #search() {
    this.#show();
    this.#shown()[0]?.scrollIntoView({ block: "nearest" });
  }

  /** The places of the knobs that are displayed now. */
  #shown() {
    const knobs = [...document.querySelectorAll(`${DRAWER}_knobs [class*=st-key-drawer_knob_]`)];
    return knobs.filter((knob) => knob.checkVisibility());
  }

  #key(event) {
    event.stopPropagation();
    if (event.key === "Escape" && this.field.value) {
      event.preventDefault();
      this.field.value = "";
      this.#show();
    } else if (event.key === "Enter") this.#reach();
  }

  /** Take hold of the first knob that was found. */
  #reach() {
    const controls = this.#shown().map((knob) => knob.querySelector(CONTROL));
    (controls.find(Boolean) ?? this.above.querySelector("button"))?.focus();
  }

  end() {
    this.#leave();
    this.differs.end();
    this.root.remove();
  }
}

/** What displays the found ones of the drawer's knobs and their groups, and no others. */
function stylesOf(entries, found) {
  if (!found.length) return "";
  const [names, groups] = [new Set(found.map(({ name }) => name)), new Set(found.map(({ group }) => group))];
  const gone = entries.filter(({ name, group }) => group && !names.has(name)).map(({ name }) => `_knob_${name}`);
  const empty = new Set(entries.filter(({ group }) => group && !groups.has(group)).map(({ group }) => `_group_${group}`));
  const hidden = [...gone, ...empty].map((part) => `${DRAWER} .st-key-drawer${part}`);
  return `${DRAWER} .st-key-drawer_knobs { display: flex; }${hidden.length ? `${hidden.join(", ")} { display: none; }` : ""}`;
}

/** A text as it is compared: small letters without accents. */
function plainly(text) {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
}

/**
 * The knobs that a person means: those that are called so; where none is, those of which it is said.
 *
 * @param entries [{names, help}]
 * @param query what was typed; every word of it is to be there
 */
function foundBy(entries, query) {
  const wanted = plainly(query).split(/\s+/).filter(Boolean);
  const has = (text) => wanted.every((word) => plainly(text).includes(word));
  const called = entries.filter(({ names }) => has(names));
  return called.length ? called : entries.filter(({ names, help }) => has(`${names} ${help}`));
}
