// What a reader can do with a map, by name, and the keys for it. The keys of a plane are in explorer.js.

import { openKeys } from "../live/dialogs/dialog.js";
import { modified } from "../live/lib/dom.js";
import { present } from "../live/lib/screen.js";
import { openExport, openShare } from "./dialogs.js";

const TYPING = "input:not([type=range]):not([type=radio]):not([type=checkbox]), textarea, select, [contenteditable=true], [role=combobox], dialog[open]";
const USES_SPACE = "button, summary, a, input, label, [role=application], .bnviz-block"; // elements for which space is a key of their own
const LISTED = ["space", "a", "arrows", "enter", "z", "p", "question"];

const DOES = {
  ask: ({ question }) => question.begin(),
  // Go on, or stop; not if nothing is left to be drawn, or if the page follows a class's teacher.
  draw: (view) => !view.data.follows && !view.nothingLeft && view.want(!view.wanted),
  export: openExport,
  keys: (view) => openKeys(view, LISTED),
  present: ({ data }) => present(!data.present),
  share: openShare,
};

/** Do what a button or a key stands for; in a frame nothing. @returns whether there was anything to do */
export function act(view, name) {
  return !view.data.framed && DOES[name](view) !== false;
}

/** Listen to keys on the document, until `signal`: space draws and stops, a asks the class, ? lists them. */
export function listenToKeys(view, signal) {
  const listener = (event) => {
    if (event.defaultPrevented || modified(event)) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest(TYPING)) return;
    const returned = target.closest("[data-returned]"); // a dialog gave the focus back, see returned_focus.js
    if (event.key === " " && !returned && target.closest(USES_SPACE)) return;
    if (press(view, event.key)) event.preventDefault();
  };
  // Some browsers press a button when the key is released.
  const released = (event) => event.key === " " && event.target.closest?.("[data-returned]") && event.preventDefault();
  document.addEventListener("keydown", listener, { signal });
  document.addEventListener("keyup", released, { signal });
}

function press(view, key) {
  if (key === " ") return view.act("draw");
  if (key === "a") return view.act("ask");
  return key === "?" && view.act("keys");
}
