// The page's address says what is shown: what the page's script knows, and live knobs as they are now.
//
// What starts over is a step to go back from; what merely moves is not. An address that the page did
// not write, as Back and Forward bring, is a command to its script: it is left alone until the script
// has heard it.

const AFTER = 250; // ms after a knob came to rest
const KEPT = ["embed", "embed_options"]; // said by who put the page into a frame, not by the page

/**
 * A query whose live knobs say what the run has.
 *
 * @param query of the script: names and values
 * @param knobs {values, unsaid}: live knobs as the script knew them; those an address need not say
 * @param now live knobs as they are; null: as the script knew them
 */
export function liveQuery(query, { values, unsaid }, now) {
  const said = new URLSearchParams(query ?? {});
  for (const [name, value] of Object.entries(now ?? {})) {
    if (same(value, values[name])) continue; // it stands there in the script's own words
    if (same(value, unsaid[name])) said.delete(name);
    else said.set(name, text(value));
  }
  return said;
}

// The address that is the page's own: written by a view, or heard by its script. It outlives the views.
let own = null;

/** Keeps the browser's address at what the page shows. */
export class AddressWriter {
  #query;
  #timer = null;
  #entry = null;
  #step = false;

  #visit;

  /**
   * @param query called for what the address is to say; null: nothing is to be said
   * @param visit called with a query that the script has to be told of once more
   */
  constructor(query, visit) {
    this.#query = query;
    this.#visit = visit;
  }

  /**
   * The script has run again.
   *
   * @param heard the query that it ran for
   * @param read the query that it last took for a command
   * @param entry how often something started over at the visitor's wish
   */
  hear({ heard, read, entry }) {
    const now = location.search.slice(1);
    if (read === now) own = place();
    // Streamlit runs it for Back, but does not say so where something else was on its way to it.
    else if (heard === now && place() !== own && this.#query()) this.#visit(now);
    this.#step ||= this.#entry !== null && entry > this.#entry;
    this.#entry = entry;
  }

  /** Write it soon: a browser takes a new address a few times a second at most. */
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.write(), AFTER);
  }

  write() {
    const query = this.#query();
    const step = this.#step;
    this.#step = false;
    if (!query || place() !== own) return;
    const here = new URL(location.href);
    for (const name of KEPT) if (here.searchParams.has(name)) query.set(name, here.searchParams.get(name));
    here.search = query;
    if (here.href !== location.href) {
      if (step) history.pushState({}, "", here);
      else history.replaceState(history.state, "", here);
    }
    own = place();
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

function place() {
  return location.pathname + location.search;
}

function same(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function text(value) {
  if (value === null) return "";
  return Array.isArray(value) ? value.map(text).join(",") : String(value);
}
