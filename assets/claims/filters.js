// Search and filters on the page of claims. A row is shown if it contains all words of the search and has a chosen
// value in every filtered field.

import { setHidden, setText } from "../live/lib/dom.js";
import { holdsPhrase, matcher, plain } from "./matching.js";

const LONGEST = 200; // maximum length of a search, in characters

export class RowFilters {
  #root;
  #rows; // [{element, text, statement}]
  #closest;
  #chips = new Map(); // field → Map(value → button)
  #chosen = new Map(); // field → Set of chosen values; an empty set does not filter

  /**
   * @param root the page
   * @param changed called when a reader has typed or chosen something
   */
  constructor(root, changed) {
    this.#root = root;
    this.#rows = [...root.querySelectorAll(".claims-row")].map((element) => ({
      element, text: textOf(element), statement: plain(statementOf(element)),
    }));
    this.#closest = new ClosestRows(root, this.#rows.map(({ element }) => element));
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

  /** Return whether a search or a filter is active. */
  get any() {
    return this.search.value.trim() !== "" || [...this.#chosen.values()].some(({ size }) => size);
  }

  /** Apply one parameter of the page's address. @returns null, or [reason for the error, allowed values] */
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

  /** Search and chosen values as URL parameters. */
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
   * Show the rows that match, and hide experiments that have no matching rows.
   *
   * @returns the number of rows shown
   */
  apply() {
    const typed = plain(this.search.value).split(/\s+/).filter(Boolean);
    const words = typed.map(matcher);
    const counts = new Map(); // chip → number of rows
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
   * Return the rows shown that best match a search of several words. First come rows whose statement contains the words
   * as a phrase, then rows with the phrase elsewhere, then rows whose statement contains every word longer than two
   * letters.
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

  /**
   * Count a row for each chip that would show the row, given the choices in the other fields. `against` names the
   * fields whose choices exclude the row.
   */
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

/**
 * Return the text of a row's statement, followed by its sentence in the short list if the statement is in that list.
 */
function statementOf(row) {
  return `${row.querySelector("h4").textContent} ${row.dataset.lead ?? ""}`;
}

/** Searchable text of a row, including the name of its experiment. */
function textOf(row) {
  const experiment = row.closest(".claims-experiment");
  const parts = [row.dataset.name, statementOf(row), ...experiment.querySelectorAll(":scope > h2, :scope > .claims-about"),
    ...row.querySelectorAll(".claims-place, dd, .claims-badge")];
  return plain(parts.map((part) => part.textContent ?? part).join(" "));
}

/**
 * List of the best matches, shown above all other rows. When the search ends, each row moves back to the list from
 * which it was taken.
 */
class ClosestRows {
  #section;
  #homes; // [row, the list to which it belongs], in the order of the page

  /**
   * @param root the page
   * @param rows all rows, in the order of the page
   */
  constructor(root, rows) {
    this.#section = root.querySelector(".claims-closest");
    this.#homes = rows.map((row) => [row, row.parentElement]);
  }

  /**
   * Show the best matches of a search.
   * @param words text of the search
   * @param rows best matches, the closest first
   */
  show(words, rows) {
    const list = this.#section.querySelector("ol");
    const now = [...list.children];
    setHidden(this.#section, rows.length === 0);
    if (rows.length) this.#setTitle(words, rows);
    if (now.length === rows.length && now.every((row, i) => row === rows[i])) return;
    this.#takeBack(list);
    list.append(...rows);
  }

  #setTitle(words, rows) {
    const title = this.#section.querySelector("h3");
    title.dataset.text ??= title.textContent;
    setText(title, title.dataset.text.replace("{words}", () => words));
    const others = this.#homes.some(([row]) => !row.hidden && !rows.includes(row));
    setHidden(this.#section.querySelector(".claims-others"), !others);
  }

  /**
   * Move all rows back to the lists to which they belong. Start with the last row, so that each row can be inserted
   * before its successor.
   */
  #takeBack(list) {
    const next = new Map(); // list → row that was most recently put back into it
    for (const [row, home] of [...this.#homes].reverse()) {
      if (row.parentElement === list) home.insertBefore(row, next.get(home) ?? null);
      next.set(home, row);
    }
  }
}
