// Entry of the page of the claims, whose HTML the server made once: search, filters and links to
// rows, all of them kept in the address. Streamlit calls `mount` again on every rerun.

import { Filters } from "./claims/filters.js";
import { loadTemplates } from "./live/charts/loading.js";
import { fill, h, setHidden, setText } from "./live/lib/dom.js";
import { translator } from "./live/lib/texts.js";

const ANY_PAGE = ["lang", "embed", "embed_options"]; // what every page's address may say
const WRITE_AFTER = 250; // ms: a browser takes a new address a few times a second at most

const shown = new WeakMap(); // by place: which page stands there

/**
 * @param parentElement where to draw
 * @param data see bnviz/ui/claims/page.py
 */
export default function mount({ parentElement, data }) {
  if (shown.get(parentElement) === data.page) return;
  shown.set(parentElement, data.page);
  document.documentElement.lang = data.language;
  const t = translator(data.texts);
  loadTemplates(data.base, data.page).then(
    ({ html }) => {
      parentElement.innerHTML = html; // escaped where it was made
      new ClaimsPage(parentElement.querySelector(".claims"), t, data.foreign);
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
  #foreign;
  #filters;
  #timer = null;
  #followed = null; // the link that led to a row

  /** @param foreign {names, prefixes} that other sites put into addresses: nothing is said of them */
  constructor(root, t, foreign) {
    this.#root = root;
    this.#t = t;
    this.#foreign = foreign;
    this.#filters = new Filters(root, () => this.#changed());
    this.#filters.search.addEventListener("input", () => this.#bringIntoSight());
    this.#part("clear").addEventListener("click", () => {
      this.#filters.clear();
      this.#changed();
      this.#filters.search.focus();
    });
    root.addEventListener("click", (event) => this.#follow(event));
    const moved = () => {
      if (!root.isConnected) window.removeEventListener("hashchange", moved);
      else if (named()) this.#say(this.#goTo(named()));
      else this.#followed?.scrollIntoView({ block: "center" });
    };
    window.addEventListener("hashchange", moved);
    this.#open();
  }

  #part(name) {
    return this.#root.querySelector(`.claims-${name}`);
  }

  /** Do what the address asks for; what it says wrongly is answered and left out. */
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
    this.#say(problems);
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

  /** Somebody types: what is found is to be seen. */
  #bringIntoSight() {
    const { top } = this.#part("search").getBoundingClientRect();
    if (top > innerHeight / 2) this.#part("search").scrollIntoView();
  }

  #changed() {
    this.#say([]);
    this.#update();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#write(), WRITE_AFTER);
  }

  #update() {
    const left = this.#filters.apply();
    setText(this.#part("shown"), this.#t("shown", { shown: left, total: this.#filters.total }));
    setHidden(this.#part("nothing"), left > 0);
    setHidden(this.#part("clear"), !this.#filters.any);
  }

  /** A link to a row leads to it, whatever the filters leave out. */
  #follow(event) {
    const link = event.target.closest("a[href^='#']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    this.#followed = link;
    history.pushState(history.state, "", link.hash); // Back leads to where the link stands
    this.#say(this.#goTo(link.hash.slice(1)));
  }

  /**
   * Show a row, by its number or its name.
   *
   * @returns sentences about what was wrong, or had to be changed
   */
  #goTo(name) {
    if (!name) return [];
    const rows = [...this.#root.querySelectorAll(".claims-row")];
    const row = rows.find(({ id, dataset }) => [id, dataset.name].some((each) => each.toLowerCase() === name.toLowerCase()));
    if (!row) {
      this.#write("");
      return [this.#problem("row", name, "a_row", rows[0]?.id)];
    }
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

  #say(sentences) {
    fill(this.#part("problems"), ...sentences.map((sentence) => h("p", {}, sentence)));
  }

  /** The address says what is shown. Choosing is no step to go back from. */
  #write(row = null) {
    const here = new URL(location.href);
    const kept = [...here.searchParams].filter(([name]) => ANY_PAGE.includes(name));
    here.search = [new URLSearchParams(kept), this.#filters.query].filter(String).join("&");
    if (row !== null) here.hash = row;
    if (here.href !== location.href) history.replaceState(history.state, "", here);
  }
}

/** The row that the address names behind its #; "" where it names none. */
function named() {
  return location.hash.slice(1);
}
