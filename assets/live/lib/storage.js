// Values stored in the browser, per tab or permanently. A page in a sandboxed frame has no storage; there, a tab's
// values last until the page is left.

const PREFIX = "bnviz-shown-";
const unstored = new Map(); // this page's values if the browser has no storage

/** Value stored in this tab, or null. */
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

/** Value stored permanently in this browser, or null if there is no value or no storage. */
export function readForGood(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch {
    return null;
  }
}

/** Store a value permanently in this browser, as JSON. Without storage, the value is lost. */
export function storeForGood(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // No storage.
  }
}

/**
 * Return whether this browser shows something for the first time, and remember that it has been shown. Without storage,
 * always return false, because a hint that appears every time is worse than none.
 */
export function firstTime(name) {
  const first = readForGood(PREFIX + name) === null;
  if (first) storeForGood(PREFIX + name, 1);
  return first && readForGood(PREFIX + name) !== null;
}
