// The actions of the map page, by name, and their keys. The keys that act on the plane are in explorer.js.

import { openKeys } from "../live/dialogs/dialog.js";
import { listenForKeys } from "../live/lib/keyboard_focus.js";
import { present } from "../live/lib/screen.js";
import { openExport, openShare } from "./dialogs.js";

const LISTED = ["space", "a", "arrows", "enter", "z", "p", "question"];

const KEYS = { " ": "draw", a: "ask", "?": "keys" };

const DOES = {
  ask: ({ question }) => question.begin(),
  // Start or stop drawing, unless the map is complete or the page follows a class's teacher.
  draw: (view) => !view.data.follows && !view.nothingLeft && view.want(!view.wanted),
  export: openExport,
  keys: (view) => openKeys(view, LISTED),
  present: ({ data }) => present(!data.present),
  share: openShare,
};

/** Perform the action of a button or key, unless the page is in a frame. @returns whether there was anything to do */
export function act(view, name) {
  return !view.data.framed && DOES[name](view) !== false;
}

/**
 * Listen for keys on the document until `signal` aborts: Space starts or stops drawing, "a" asks the class a question,
 * and "?" lists the keys.
 */
export function listenToKeys(view, signal) {
  const isForMap = (key, target) => key !== " " || !target.closest("input, .bnviz-block");
  listenForKeys((key, target) => key in KEYS && isForMap(key, target) && view.act(KEYS[key]), signal);
}
