// The page of claims: search, filters and links to rows in the HTML that the server has rendered. The whole state of
// the page is in its address.

import { RowFilters } from "./claims/filters.js";
import { loadTemplates } from "./live/charts/loading.js";
import { differsAt, fill, h, setHidden, setText } from "./live/lib/dom.js";
import { translator } from "./live/lib/texts.js";

const ANY_PAGE = ["lang", "embed", "embed_options"]; // names of the parameters that the address of any page may have
const WRITE_AFTER = 250; // delay in ms before the address is updated; browsers allow only a few changes per second

/**
 * Draw the page. Streamlit calls this at each rerun.
 *
 * @param parentElement where to draw
 * @param data see bnviz/ui/claims/page.py
 */
export default function mount({ parentElement, data }) {
  if (!differsAt(parentElement, data.page)) return;
  document.documentElement.lang = data.language;
  const t = translator(data.texts);
  loadTemplates(data.base, data.page).then(
    ({ html }) => {
      parentElement.innerHTML = html; // the server has escaped the HTML
      new ClaimsPage(parentElement.querySelector(".claims"), t, data.foreign);
    },
    () => {
      differsAt(parentElement, null); // forget the page, so that the next rerun loads the templates again
      fill(parentElement, h("p", { role: "alert" }, t("not_loaded")));
    },
  );
}

class ClaimsPage {
  #root;
  #t;
  #foreign;
  #filters;
  #timer = null;
  #followed = null; // the last link to a row that the reader followed
  #listed = false; // whether the list of statements is open; it opens with the first filter or the first link to a row

  /** @param foreign {names, prefixes} of parameters that other sites add to addresses; these parameters are ignored */
  constructor(root, t, foreign) {
    this.#root = root;
    this.#t = t;
    this.#foreign = foreign;
    this.#filters = new RowFilters(root, () => this.#changed());
    this.#filters.search.addEventListener("input", () => this.#bringIntoSight());
    this.#part("clear").addEventListener("click", () => {
      this.#listed = true;
      this.#filters.clear();
      this.#changed();
      this.#filters.search.focus();
    });
    root.addEventListener("click", (event) => this.#follow(event));
    const moved = () => {
      if (!root.isConnected) window.removeEventListener("hashchange", moved);
      else if (named()) this.#showMessages(this.#goTo(named()));
      else this.#followed?.scrollIntoView({ block: "center" });
    };
    window.addEventListener("hashchange", moved);
    this.#open();
  }

  #part(name) {
    return this.#root.querySelector(`.claims-${name}`);
  }

  /** Apply the parameters of the address. Remove an invalid parameter, and show a message that explains why. */
  #open() {
    const problems = [];
    const query = new URLSearchParams(location.search);
    const fields = [...this.#filters.fields, "row"];
    for (const [field, value] of query) {
      if (field === "row" || ANY_PAGE.includes(field) || this.#isForeign(field)) continue;
      const wrong = fields.includes(field) ? this.#filters.read(field, value) : ["unknown", fields.join(", ")];
      if (wrong) problems.push(this.#problem(field, value, ...wrong));
    }
    this.#update();
    const row = query.get("row") || named();
    if (this.#filters.any && !row) this.#part("search").scrollIntoView();
    problems.push(...this.#goTo(row));
    this.#showMessages(problems);
    this.#write();
  }

  #isForeign(field) {
    const [{ names, prefixes }, small] = [this.#foreign, field.toLowerCase()];
    return names.includes(small) || prefixes.some((prefix) => small.startsWith(prefix));
  }

  #problem(field, value, reason, allowed) {
    const given = JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
    return this.#t("problem", { field, value: given, allowed: this.#t(reason, { allowed }) });
  }

  /** Scroll the search field to the top while somebody types, so that the results below it are visible. */
  #bringIntoSight() {
    const { top } = this.#part("search").getBoundingClientRect();
    if (top > innerHeight / 2) this.#part("search").scrollIntoView();
  }

  #changed() {
    this.#showMessages([]);
    this.#update();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), WRITE_AFTER);
  }

  #update() {
    const left = this.#filters.apply();
    setText(this.#part("shown"), this.#t("shown", { shown: left, total: this.#filters.total }));
    setHidden(this.#part("nothing"), left > 0);
    this.#listed ||= this.#filters.any;
    setHidden(this.#part("list"), !this.#listed);
    setHidden(this.#part("clear"), this.#listed && !this.#filters.any);
  }

  /** Follow a link to a row, even if the row is hidden. */
  #follow(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#followed = link;
    history.pushState(history.state, "", link.hash); // so that the browser's Back button returns to the link
    this.#showMessages(this.#goTo(link.hash.slice(1)));
  }

  /**
   * Scroll to a row by its number or name. If the row is hidden, clear all filters.
   *
   * @returns messages, if the row does not exist or the filters were cleared
   */
  #goTo(name) {
    if (!name) return [];
    const rows = [...this.#root.querySelectorAll(".claims-row")];
    const row = rows.find(({ id, dataset }) => [id, dataset.name].some((each) => each.toLowerCase() === name.toLowerCase()));
    if (!row) {
      this.#write("");
      return [this.#problem("row", name, "a_row", rows[0]?.id)];
    }
    this.#listed = true;
    setHidden(this.#part("list"), false);
    const left = row.hidden;
    if (left) {
      this.#filters.clear();
      this.#update();
    }
    this.#part("target")?.classList.remove("claims-target");
    row.classList.add("claims-target");
    row.scrollIntoView({ block: "center" });
    row.focus({ preventScroll: true });
    this.#write(row.id);
    return left ? [this.#t("cleared", { row: row.id })] : [];
  }

  #showMessages(sentences) {
    fill(this.#part("problems"), sentences.map((sentence) => h("p", sentence)));
  }

  /** Write the state into the address without adding an entry to the browser's history. */
  #write(row = null) {
    const here = new URL(location.href);
    const kept = [...here.searchParams].filter(([name]) => ANY_PAGE.includes(name));
    here.search = [new URLSearchParams(kept), this.#filters.query].filter(String).join("&");
    if (row !== null) here.hash = row;
    if (here.href !== location.href) history.replaceState(history.state, "", here);
  }
}

/** Return the number or name of a row that follows # in the address, or "" if there is none. */
function named() {
  return location.hash.slice(1);
}
