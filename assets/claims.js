// Entry of the page of the claims, whose HTML the server made once: search, filters and links to
// rows, all of them kept in the address. Streamlit calls `mount` again on every rerun.

import { loadTemplates } from "./live/data/templates.js";
import { fill, h, setHidden, setText } from "./live/lib/dom.js";
import { translator } from "./live/lib/texts.js";

const LONGEST = 200; // characters searched for
const WRITE_AFTER = 250; // ms: a browser takes a new address a few times a second at most

const shown = new WeakMap(); // by place: which page stands there

/**
 * @param parentElement where to draw
 * @param data see bnviz/ui/claims/mounting.py
 */
export default function mount({ parentElement, data }) {
  if (shown.get(parentElement) === data.page) return;
  shown.set(parentElement, data.page);
  const t = translator(data.texts);
  loadTemplates(data.base, data.page).then(
    ({ html }) => {
      parentElement.innerHTML = html; // escaped where it was made
      new ClaimsPage(parentElement.querySelector(".claims"), t);
    },
    () => {
      shown.delete(parentElement);
      fill(parentElement, h("p", { role: "alert" }, t("not_loaded")));
    },
  );
}

class ClaimsPage {
  #root;
  #t;
  #rows;
  #chips = new Map(); // by field: its buttons by value
  #chosen = new Map(); // by field: the values that are wanted; none: all
  #field;
  #timer = null;

  constructor(root, t) {
    this.#root = root;
    this.#t = t;
    this.#rows = [...root.querySelectorAll(".claims-row")].map((element) => ({ element, text: textOf(element) }));
    this.#field = root.querySelector("input[name=q]");
    for (const group of root.querySelectorAll("[data-field]")) {
      const buttons = [...group.querySelectorAll("button")];
      this.#chips.set(group.dataset.field, new Map(buttons.map((button) => [button.dataset.value, button])));
      this.#chosen.set(group.dataset.field, new Set());
    }
    this.#listen();
    this.#open();
  }

  #listen() {
    this.#field.addEventListener("input", () => this.#changed());
    for (const [field, buttons] of this.#chips) {
      for (const [value, button] of buttons) button.addEventListener("click", () => this.#toggle(field, value));
    }
    this.#root.querySelector(".claims-clear").addEventListener("click", () => {
      this.#clear();
      this.#changed();
      this.#field.focus();
    });
    this.#root.addEventListener("click", (event) => this.#follow(event));
    const moved = () => {
      if (!this.#root.isConnected) window.removeEventListener("hashchange", moved);
      else this.#goTo(named());
    };
    window.addEventListener("hashchange", moved);
  }

  /** Do what the address asks for; what it says wrongly is answered and left out. */
  #open() {
    const problems = [];
    const query = new URLSearchParams(location.search);
    const readers = { q: (value) => this.#readSearch(value), row: (value) => this.#readRow(value) };
    for (const field of this.#chips.keys()) readers[field] = (value) => this.#readChoice(field, value);
    for (const [field, value] of query) {
      const reader = Object.hasOwn(readers, field) ? readers[field] : () => ["unknown", Object.keys(readers).join(", ")];
      const [reason, allowed] = reader(value) ?? [];
      if (reason) problems.push(this.#t("problem", { field, value: JSON.stringify(value.slice(0, 60)), allowed: this.#t(reason, { allowed }) }));
    }
    this.#update();
    if (query.has("row")) this.#show(this.#rowOf(query.get("row")));
    else if (named()) problems.push(...this.#goTo(named()));
    this.#say(problems);
    this.#write();
  }

  #readSearch(value) {
    if (value.length > LONGEST) return ["long", LONGEST];
    this.#field.value = value;
    return null;
  }

  #readChoice(field, value) {
    const chips = this.#chips.get(field);
    const values = value.split(",").filter(Boolean);
    for (const each of values) if (chips.has(each)) this.#chosen.get(field).add(each);
    return values.every((each) => chips.has(each)) ? null : ["one_of", [...chips.keys()].join(", ")];
  }

  #readRow(value) {
    return this.#rowOf(value) ? null : ["a_row", this.#rows[0]?.element.id];
  }

  #rowOf(name) {
    return this.#rows.find(({ element }) => element.id === name || element.dataset.name === name);
  }

  #toggle(field, value) {
    const chosen = this.#chosen.get(field);
    if (!chosen.delete(value)) chosen.add(value);
    this.#changed();
  }

  #clear() {
    this.#field.value = "";
    for (const chosen of this.#chosen.values()) chosen.clear();
  }

  #changed() {
    this.#say([]);
    this.#update();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), WRITE_AFTER);
  }

  /** Show the rows that are wanted; each chip says how many it would leave beside the other choices. */
  #update() {
    const words = plain(this.#field.value).split(/\s+/).filter(Boolean);
    const counts = new Map();
    let left = 0;
    for (const { element, text } of this.#rows) {
      const found = words.every((word) => text.includes(word));
      const misses = [...this.#chosen].filter(([field, chosen]) => chosen.size && !chosen.has(element.dataset[field]));
      const wanted = found && !misses.length;
      setHidden(element, !wanted);
      left += wanted;
      for (const [field, buttons] of this.#chips) {
        if (!found || misses.some(([other]) => other !== field)) continue;
        const button = buttons.get(element.dataset[field]);
        counts.set(button, (counts.get(button) ?? 0) + 1);
      }
    }
    for (const [field, buttons] of this.#chips) {
      for (const [value, button] of buttons) {
        setText(button.querySelector("small"), String(counts.get(button) ?? 0));
        button.setAttribute("aria-pressed", String(this.#chosen.get(field).has(value)));
        button.classList.toggle("claims-none", !counts.has(button));
      }
    }
    for (const group of this.#root.querySelectorAll(".claims-group, .claims-experiment")) {
      setHidden(group, !group.querySelector(".claims-row:not([hidden])"));
    }
    setText(this.#root.querySelector(".claims-shown"), this.#t("shown", { shown: left, total: this.#rows.length }));
    setHidden(this.#root.querySelector(".claims-nothing"), left > 0);
    setHidden(this.#root.querySelector(".claims-clear"), !this.#filtered);
  }

  get #filtered() {
    return this.#field.value !== "" || [...this.#chosen.values()].some(({ size }) => size);
  }

  /** A link to a row leads to it, whatever the filters leave out. */
  #follow(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#goTo(link.hash.slice(1));
  }

  /** @returns what was wrong with the name of the row */
  #goTo(name) {
    const row = this.#rowOf(name);
    if (row) this.#show(row);
    if (row || !name) return [];
    return [this.#t("problem", { field: "#", value: JSON.stringify(name.slice(0, 60)), allowed: this.#t("a_row", { allowed: this.#rows[0]?.element.id }) })];
  }

  #show(row) {
    if (!row) return;
    const { element } = row;
    if (element.hidden) {
      this.#clear();
      this.#update();
      this.#say([this.#t("cleared", { row: element.id })]);
    }
    for (const other of this.#root.querySelectorAll(".claims-target")) other.classList.remove("claims-target");
    element.classList.add("claims-target");
    element.scrollIntoView({ block: "center" });
    element.focus({ preventScroll: true });
    this.#write(element.id);
  }

  #say(sentences) {
    fill(this.#root.querySelector(".claims-problems"), ...sentences.map((sentence) => h("p", {}, sentence)));
  }

  /** The address says what is shown. Choosing is no step to go back from. */
  #write(row = null) {
    const here = new URL(location.href);
    const query = new URLSearchParams();
    for (const [field, chosen] of this.#chosen) if (chosen.size) query.set(field, [...chosen].join(","));
    if (this.#field.value) query.set("q", this.#field.value);
    here.search = query.toString().replaceAll("%2C", ",");
    if (row) here.hash = row;
    if (here.href !== location.href) history.replaceState(history.state, "", here);
  }
}

/** The row that the address names behind its #; "" where it names none. */
function named() {
  return location.hash.slice(1);
}

/** What is searched of a row: what is said of it, and what its experiment is called. */
function textOf(row) {
  const experiment = row.closest(".claims-experiment");
  const parts = [...experiment.querySelectorAll(":scope > h2, :scope > .claims-about"),
    ...row.querySelectorAll(".claims-place, h4, dd, .claims-badge")];
  return plain(parts.map((part) => part.textContent).join(" "));
}

/** As people type: no case, one kind of minus, no special forms of characters. */
function plain(text) {
  return text.normalize("NFKC").replaceAll("−", "-").toLowerCase();
}
