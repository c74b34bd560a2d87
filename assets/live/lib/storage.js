// Values stored in the browser: per tab until it is closed, or for good. A page in a sandboxed frame has no
// storage: then a tab's values last until the page is left.

const PREFIX = "bnviz-shown-";
const unstored = new Map(); // this page's values, where the browser has no storage

/** A value stored in this tab; null where there is none. */
export function readFromTab(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return unstored.get(key) ?? null;
  }
}

/** Store a value in this tab, as JSON; null removes it. The value survives a reload. */
export function storeInTab(key, value) {
  unstored.set(key, value);
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // No storage.
  }
}

/** A value stored in this browser for good; null where there is none, or no storage. */
export function readForGood(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/** Store a value in this browser for good, as JSON; without storage it is lost. */
export function storeForGood(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // No storage.
  }
}

/**
 * Whether this browser is about to show something for the first time; the next call returns false. Without
 * storage always false: a hint that appears every time is worse than none.
 */
export function firstTime(name) {
  const first = readForGood(PREFIX + name) === null;
  if (first) storeForGood(PREFIX + name, 1);
  return first && readForGood(PREFIX + name) !== null;
}
