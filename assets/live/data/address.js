// Keeps the page's address at what the page shows: the query that the script (Python) gives, with the live
// knobs as they are now.
//
// When a run starts over, the browser's history gets a new entry; when a knob moves, the present entry is
// replaced. An address that this page has not written, as after Back and Forward, is a command to the script,
// and nothing is written until the script has run for it.

import { sameValue } from "../lib/live_actions.js";

const AFTER = 250; // ms after a knob was set; browsers allow only a few new addresses a second
const FOREIGN = ["embed", "embed_options"]; // parameters that belong to the frame around the page

/**
 * The query of an address with the live knobs as they are now.
 *
 * @param query names and values, from the script
 * @param knobs {values: live knobs when the script ran, unsaid: the values that an address leaves out}
 * @param now live knobs as they are now; null: as when the script ran
 * @returns URLSearchParams
 */
export function liveQuery(query, { values, unsaid }, now) {
  const changed = new URLSearchParams(query ?? {});
  for (const [name, value] of Object.entries(now ?? {})) {
    if (sameValue(value, values[name])) continue; // the script's query has it
    if (sameValue(value, unsaid[name])) changed.delete(name);
    else changed.set(name, text(value));
  }
  return changed;
}

/** An address as a person reads it: what its query may have unescaped is so. */
export function readable({ href }) {
  return href.replace(/%(?:3A|2C|7E|40|3D)/g, (code) => decodeURIComponent(code));
}

// The address that the page has written, or for which its script has run. It outlives the views.
let own = null;

export class AddressWriter {
  #query;
  #visit;
  #timer = null;
  #entry = null; // how often runs have started over
  #push = false; // whether the next address is a new entry in the browser's history

  /**
   * @param query returns the query to write; null: the address is left alone
   * @param visit called with a query for which the script has to run again
   */
  constructor(query, visit) {
    this.#query = query;
    this.#visit = visit;
  }

  /**
   * The script has run.
   *
   * @param heard the query with which it ran
   * @param read the query that it last took as a command
   * @param entry how often a run has started over at the visitor's wish
   */
  update({ heard, read, entry }) {
    const now = location.search.slice(1);
    if (read === now) own = here();
    // Streamlit runs the script after Back, but the script cannot tell that when another event came at the
    // same time.
    else if (heard === now && here() !== own && this.#query()) this.#visit(now);
    this.#push ||= this.#entry !== null && entry > this.#entry;
    this.#entry = entry;
  }

  /** Write the address soon; repeated calls put it off. */
  writeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.write(), AFTER);
  }

  /** Write the address, unless it is a command that the script has not seen yet. */
  write() {
    const query = this.#query();
    const push = this.#push;
    this.#push = false;
    if (!query || here() !== own) return;
    const url = new URL(location.href);
    for (const name of FOREIGN) if (url.searchParams.has(name)) query.set(name, url.searchParams.get(name));
    url.search = query;
    if (url.href !== location.href) {
      if (push) history.pushState({}, "", url);
      else history.replaceState(history.state, "", url);
    }
    own = here();
  }

  destroy() {
    clearTimeout(this.#timer);
  }
}

function here() {
  return location.pathname + location.search;
}


function text(value) {
  if (value === null) return "";
  return Array.isArray(value) ? value.map(text).join(",") : String(value);
}
