// Which rows are wanted: words that are searched for, and choices of some fields.

import { setHidden, setText } from "../live/lib/dom.js";

const LONGEST = 200; // characters searched for

export class Filters {
  #root;
  #rows; // [{element, text}]
  #chips = new Map(); // by field: its buttons by value
  #chosen = new Map(); // by field: the values that are wanted; none: all

  /**
   * @param root the page
   * @param changed called when a reader has searched or chosen
   */
  constructor(root, changed) {
    this.#root = root;
    this.#rows = [...root.querySelectorAll(".claims-row")].map((element) => ({ element, text: textOf(element) }));
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
    const words = plain(this.search.value).split(/\s+/).filter(Boolean).map(matcher);
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
    for (const group of this.#root.querySelectorAll(".claims-group, .claims-experiment")) {
      setHidden(group, !group.querySelector(".claims-row:not([hidden])"));
    }
    return shown;
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

/** What is searched of a row: what is said of it, and what its experiment is called. */
function textOf(row) {
  const experiment = row.closest(".claims-experiment");
  const parts = [row.dataset.name, ...experiment.querySelectorAll(":scope > h2, :scope > .claims-about"),
    ...row.querySelectorAll(".claims-place, h4, dd, .claims-badge")];
  return plain(parts.map((part) => part.textContent ?? part).join(" "));
}

const GREEK = { beta: "β", gamma: "γ", epsilon: "ε", eta: "η", lambda: "λ", mu: "μ", sigma: "σ", phi: "φ" };
const PLACE = /^e\d+(\.\w+)?$/;

// People type digits where a sentence has a word.
const NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/**
 * Whether a word is in a row: the number of a row or an experiment as a whole, and so any other number, in digits or
 * as a word; others as a part.
 */
function matcher(word) {
  if (PLACE.test(word)) return (text, place) => place === word || place.startsWith(`${word}.`) || text.includes(` ${word} `);
  if (/^\d+$/.test(word)) {
    const whole = new RegExp(`(?<![\\d.,×e-])(?:${[word, NUMBERS[word]].filter(Boolean).join("|")})(?![\\d×]|[.,]\\d)`);
    return (text) => whole.test(text);
  }
  const letters = word.replace(/[a-z]+/g, (name) => GREEK[name] ?? name);
  return (text) => text.includes(word) || text.includes(letters);
}

/** As people type: no case, no accents, one kind of minus and of spelling. */
function plain(text) {
  const letters = text.normalize("NFKD").replace(/\p{M}/gu, "");
  return letters.replaceAll("−", "-").toLowerCase().replaceAll("normalis", "normaliz").replaceAll("regularis", "regulariz");
}
