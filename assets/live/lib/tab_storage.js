// What a tab keeps over a reload. Without storage it lasts as long as the page.

const unstored = new Map();

/** What was kept under a key; null where there is nothing. */
export function readKept(key) {
  try {
    return JSON.parse(sessionStorage.getItem(key));
  } catch {
    return unstored.get(key) ?? null;
  }
}

/** Keep a value, or null: nothing. */
export function keep(key, value) {
  unstored.set(key, value);
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // A page in a closed-off frame has no storage.
  }
}
