// Keeps the page's address in sync with the page. The query comes from the script (Python) and contains the present
// values of the live knobs.
//
// When a run starts over, the browser's history gets a new entry. When a knob changes, the present entry is replaced.
// An address that this page has not written, as after Back and Forward, is a command to the script, and nothing is
// written until the script has run for it.

import { sameValue } from "../lib/live_actions.js";

const AFTER = 250; // delay in ms after a knob was set; browsers allow only a few new addresses per second
const FOREIGN = ["embed", "embed_options"]; // parameters that belong to the frame around the page

/**
 * Query of an address, with the present values of the live knobs.
 *
 * @param query names and values, from the script
 * @param knobs {values: live knobs when the script ran, unsaid: values that an address omits}
 * @param now present live knobs, or null if they have not changed since the script ran
 * @returns URLSearchParams
 */
export function liveQuery(query, { values, unsaid }, now) {
  const changed = new URLSearchParams(query ?? {});
  for (const [name, value] of Object.entries(now ?? {})) {
    if (sameValue(value, values[name])) continue; // the script's query already has it
    if (sameValue(value, unsaid[name])) changed.delete(name);
    else changed.set(name, text(value));
  }
  return changed;
}

/** Address with the harmless characters of its query unescaped, so that it is easier to read. */
export function readable({ href }) {
  return href.replace(/%(?:3A|2C|7E|40|3D)/g, (code) => decodeURIComponent(code));
}

// The address that the page has written, or for which its script has run. It outlives the views.
let own = null;

export class AddressWriter {
  #query;
  #visit;
  #timer = null;
  #entry = null; // number of times that runs have started over, or null before the first update
  #push = false; // whether the next address is a new entry in the browser's history

  /**
   * @param query returns the query to write, or null to leave the address alone
   * @param visit called with a query for which the script has to run again
   */
  constructor(query, visit) {
    this.#query = query;
    this.#visit = visit;
  }

  /**
   * Update the state after a run of the script.
   *
   * @param heard query with which the script ran
   * @param read query that the script last took as a command
   * @param entry number of times that a run has started over at the visitor's request
   */
  update({ browser_query: browserQuery, read, entry }) {
    const now = location.search.slice(1);
    if (read === now) own = here();
    // Streamlit runs the script after Back, but the script cannot recognize Back if another event came at the same
    // time.
    else if (browserQuery === now && here() !== own && this.#query()) this.#visit(now);
    this.#push ||= this.#entry !== null && entry > this.#entry;
    this.#entry = entry;
  }

  /** Write the address after a delay, which each further call restarts. */
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
