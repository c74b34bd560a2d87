// Which rows are wanted: words that are searched for, and choices of some fields.

import { setHidden, setText } from "../live/lib/dom.js";
import { Closest } from "./closest.js";
import { holdsPhrase, matcher, plain } from "./words.js";

const LONGEST = 200; // characters searched for

export class Filters {
  #root;
  #rows; // [{element, text, statement}]
  #closest;
  #chips = new Map(); // by field: its buttons by value
  #chosen = new Map(); // by field: the values that are wanted; none: all

  /**
   * @param root the page
   * @param changed called when a reader has searched or chosen
   */
  constructor(root, changed) {
    this.#root = root;
    this.#rows = [...root.querySelectorAll(".claims-row")].map((element) => ({
      element, text: textOf(element), statement: plain(statementOf(element)),
    }));
    this.#closest = new Closest(root, this.#rows.map(({ element }) => element));
    this.search = root.querySelector("input[name=q]");
    this.search.addEventListener("input", changed);
    for (const group of root.querySelectorAll("[data-field]")) {
      const { field } = group.dataset;
      const chosen = new Set();
      const buttons = [...group.querySelectorAll("button")];
      for (const button of buttons) {
        button.addEventListener("click", () => {
          if (!chosen.delete(button.dataset.value)) chosen.add(button.dataset.value);
          changed();
        });
      }
      this.#chips.set(field, new Map(buttons.map((button) => [button.dataset.value, button])));
      this.#chosen.set(field, chosen);
    }
  }

  get fields() {
    return [...this.#chips.keys(), "q"];
  }

  get total() {
    return this.#rows.length;
  }

  /** Whether anything is left out. */
  get any() {
    return this.search.value.trim() !== "" || [...this.#chosen.values()].some(({ size }) => size);
  }

  /** Take a field's value from an address. @returns null, or [what it must be, the values allowed] */
  read(field, value) {
    if (field === "q") {
      if (value.length > LONGEST) return ["long", LONGEST];
      this.search.value = value.trim();
      return null;
    }
    const names = new Map([...this.#chips.get(field).keys()].map((name) => [name.toLowerCase(), name]));
    for (const each of value.toLowerCase().split(",").filter(Boolean)) {
      if (names.has(each)) this.#chosen.get(field).add(names.get(each));
      else return ["one_of", [...names.values()].join(", ")];
    }
    return null;
  }

  /** As an address says it. */
  get query() {
    const query = new URLSearchParams();
    for (const [field, chosen] of this.#chosen) if (chosen.size) query.set(field, [...chosen].join(","));
    if (this.search.value.trim()) query.set("q", this.search.value.trim());
    return query.toString().replaceAll("%2C", ",");
  }

  clear() {
    this.search.value = "";
    for (const chosen of this.#chosen.values()) chosen.clear();
  }

  /**
   * Show the rows that are wanted, and nothing of an experiment that has none.
   *
   * @returns how many there are
   */
  apply() {
    const typed = plain(this.search.value).split(/\s+/).filter(Boolean);
    const words = typed.map(matcher);
    const counts = new Map(); // by chip
    let shown = 0;
    for (const { element, text } of this.#rows) {
      const found = words.every((matches) => matches(text, element.id.toLowerCase()));
      const against = this.fields.filter((field) => this.#leavesOut(field, element));
      setHidden(element, !found || against.length > 0);
      shown += !element.hidden;
      if (found) this.#count(element, against, counts);
    }
    this.#drawChips(counts);
    this.#closest.show(this.search.value.trim(), typed.length > 1 ? this.#ranked(typed) : []);
    for (const group of this.#root.querySelectorAll(".claims-group, .claims-experiment")) {
      setHidden(group, !group.querySelector(".claims-row:not([hidden])"));
    }
    return shown;
  }

  /**
   * The rows that are shown and come close to several words: first those that state them as a phrase, then those
   * that have it elsewhere, then those that state every word but short ones.
   */
  #ranked(typed) {
    const phrase = holdsPhrase(typed);
    const words = typed.filter(({ length }) => length > 2).map((word) => holdsPhrase([word]));
    const near = ({ text, statement }) => {
      if (phrase(statement)) return 0;
      if (phrase(text)) return 1;
      return words.length && words.every((holds) => holds(statement)) ? 2 : 3;
    };
    const shown = this.#rows.filter(({ element }) => !element.hidden).map((row) => [near(row), row.element]);
    return shown.filter(([rank]) => rank < 3).sort(([one], [other]) => one - other).map(([, element]) => element);
  }

  #leavesOut(field, { dataset }) {
    const chosen = this.#chosen.get(field);
    return Boolean(chosen?.size) && !chosen.has(dataset[field]);
  }

  /** A chip stands for the rows that it would leave beside the choices of the other fields. */
  #count({ dataset }, against, counts) {
    for (const [field, chips] of this.#chips) {
      if (against.some((other) => other !== field)) continue;
      const chip = chips.get(dataset[field]);
      counts.set(chip, (counts.get(chip) ?? 0) + 1);
    }
  }

  #drawChips(counts) {
    for (const [field, chips] of this.#chips) {
      for (const [value, chip] of chips) {
        setText(chip.querySelector("small"), String(counts.get(chip) ?? 0));
        chip.setAttribute("aria-pressed", String(this.#chosen.get(field).has(value)));
        chip.classList.toggle("claims-none", !counts.has(chip));
      }
    }
  }
}

/** What a row states, also in the words of the short list. */
function statementOf(row) {
  return `${row.querySelector("h4").textContent} ${row.dataset.lead ?? ""}`;
}

/** What is searched of a row: what is said of it, and what its experiment is called. */
function textOf(row) {
  const experiment = row.closest(".claims-experiment");
  const parts = [row.dataset.name, statementOf(row), ...experiment.querySelectorAll(":scope > h2, :scope > .claims-about"),
    ...row.querySelectorAll(".claims-place, dd, .claims-badge")];
  return plain(parts.map((part) => part.textContent ?? part).join(" "));
}
