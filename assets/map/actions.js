// What buttons and keys of the map do, by name.

import { present } from "../live/lib/screen.js";
import { openExport } from "./export.js";
import { showKeys } from "./keyboard.js";
import { openShare } from "./share.js";

const DOES = {
  ask: ({ question }) => question.begin(),
  // Go on, or stop: unless nothing is left to be drawn, or it is another's to say.
  draw: (view) => !view.data.follows && !view.nothingLeft && view.want(!view.wanted),
  export: openExport,
  keys: showKeys,
  present: ({ data }) => present(!data.present),
  share: openShare,
};

/** A page in a frame is to be watched. @returns whether there was anything to do */
export function act(view, name) {
  return !view.data.framed && DOES[name](view) !== false;
}
