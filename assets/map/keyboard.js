// Keys of the map's page: space draws and stops, a asks the class, ? lists them. Those of a plane are its own.

import { openKeys } from "../live/dialogs/dialog.js";

const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], dialog[open]";
const OWN = "button, summary, a, input, label, [role=application], .bnviz-block"; // what does something with space itself
const LISTED = ["space", "a", "arrows", "enter", "z", "p", "question"];

/** Listen on the document; returns the function that ends it. */
export function listenToKeys(view) {
  const listener = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest(TYPING)) return;
    const returned = target.closest("[data-returned]"); // a dialog was closed, nothing was chosen since
    if (event.key === " " && !returned && target.closest(OWN)) return;
    if (act(view, event.key)) event.preventDefault();
  };
  // Where a browser presses a button when the key is let go.
  const released = (event) => event.key === " " && event.target.closest?.("[data-returned]") && event.preventDefault();
  document.addEventListener("keydown", listener);
  document.addEventListener("keyup", released);
  return () => {
    document.removeEventListener("keydown", listener);
    document.removeEventListener("keyup", released);
  };
}

function act(view, key) {
  if (key === " ") return view.act("draw");
  if (key === "a") return view.act("ask");
  return key === "?" && view.act("keys");
}

/** The keys and what they do. */
export function showKeys(view) {
  openKeys(view, LISTED);
}
