// What a browser is shown once. Without storage it is not shown: better never than each time.

const PREFIX = "bnviz-shown-";

/** Whether this is the first time, in this browser, that something is about to be shown. */
export function firstTime(name) {
  try {
    if (localStorage.getItem(PREFIX + name) !== null) return false;
    localStorage.setItem(PREFIX + name, "1");
    return true;
  } catch {
    return false;
  }
}
