// Keep the page's address in sync with the page. The query comes from the script (Python), and the present values of
// the live knobs are added to it. When a run starts over, the browser's history gets a new entry. When a knob changes,
// the present entry is replaced. If the address was not written by this page, as after Back and Forward, it is a
// command to the script, and nothing is written until the script has run for this address.

import { sameValue } from "../lib/live_actions.js";

// delay in ms before the address is written after a knob was set; browsers allow only a few new addresses per second
const AFTER = 250;
// names of parameters that belong to the frame in which the page is embedded
const FOREIGN = ["embed", "embed_options"];

/**
 * Return the query of an address, with the present values of the live knobs.
 *
 * @param query names and values, from the script
 * @param knobs {values: values of the live knobs when the script ran, unsaid: values that an address omits}
 * @param now present values of the live knobs, or null if they have not changed since the script ran
 * @returns URLSearchParams
 */
export function liveQuery(query, { values, unsaid }, now) {
  const changed = new URLSearchParams(query ?? {});
  for (const [name, value] of Object.entries(now ?? {})) {
    if (sameValue(value, values[name])) continue; // the script's query already has this value
    if (sameValue(value, unsaid[name])) changed.delete(name);
    else changed.set(name, text(value));
  }
  return changed;
}

/** Return an address in which the harmless characters of the query are not escaped, so that it is easier to read. */
export function readable({ href }) {
  return href.replace(/%(?:3A|2C|7E|40|3D)/g, (code) => decodeURIComponent(code));
}

// The address that the page has written, or for which its script has run. It is kept when the views are replaced.
let own = null;

export class AddressWriter {
  #query;
  #visit;
  #timer = null;
  #entry = null; // number of times that runs have started over, or null before the first update
  #push = false; // whether the next address is a new entry in the browser's history

  /**
   * @param query returns the query to write, or null if the address must not change
   * @param visit called with a query for which the script has to run again
   */
  constructor(query, visit) {
    this.#query = query;
    this.#visit = visit;
  }

  /**
   * Update the state after a run of the script.
   *
   * @param browser_query query with which the script ran
   * @param read query that the script last treated as a command
   * @param entry number of times that a run has started over at the visitor's request
   */
  update({ browser_query: browserQuery, read, entry }) {
    const now = location.search.slice(1);
    if (read === now) own = here();
    // Streamlit runs the script after Back. If another event arrived at the same time, the script cannot recognize
    // Back, so it has to run again.
    else if (browserQuery === now && here() !== own && this.#query()) this.#visit(now);
    this.#push ||= this.#entry !== null && entry > this.#entry;
    this.#entry = entry;
  }

  /** Write the address after a delay. Each further call restarts the delay. */
  writeSoon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.write(), AFTER);
  }

  /** Write the address, unless the present address is a command that the script has not seen yet. */
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
