// The page's address says what is shown: what the page's script knows, and live knobs as they are now.

const AFTER = 250; // ms after a knob came to rest

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

/** Keeps the browser's address at what the page shows. */
export class AddressWriter {
  #query;
  #timer = null;

  /** @param query called for what the address is to say; null: nothing is to be said */
  constructor(query) {
    this.#query = query;
  }

  /** Write it soon: a browser takes a new address a few times a second at most. */
  soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.write(), AFTER);
  }

  write() {
    const query = this.#query();
    if (query) replaceQuery(query);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

/** Moving a knob is no step to go back from. */
function replaceQuery(query) {
  const here = new URL(location.href);
  here.search = query;
  if (here.href !== location.href) history.replaceState(history.state, "", here);
}

function same(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}

function text(value) {
  if (value === null) return "";
  return Array.isArray(value) ? value.map(text).join(",") : String(value);
}
