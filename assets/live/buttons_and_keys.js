// Actions of the live view's buttons and keys, by name. The browser does the actions in `HERE`. All other actions are
// commands to the Streamlit script.

import { saveShownStep } from "./data/time_cursor.js";
import { openKeys } from "./dialogs/dialog.js";
import { openExport } from "./dialogs/export.js";
import { openGallery } from "./dialogs/gallery.js";
import { openReport } from "./dialogs/report.js";
import { openPicture } from "./dialogs/picture.js";
import { openShare } from "./dialogs/share.js";
import { openShareBreak } from "./dialogs/share_break.js";
import { listenForKeys } from "./lib/keyboard_focus.js";
import { present } from "./lib/screen.js";

const HERE = {
  ask: ({ question }) => question.begin(), export: openExport, gallery: openGallery, keys: (view) => openKeys(view),
  picture: openPicture, present: toggleStage, report: openReport, share: openShare, share_break: openShareBreak,
};
// After these commands, the view returns to the newest frame, because their effect is visible there.
const GO_LIVE = new Set(["play", "reset", "restore", "step", "fork", "copy", "station", "advance"]);

/**
 * Do the action of a button or a key.
 *
 * @returns false if the action needs control of the run and this reader does not have it
 */
export function act(view, name, values = {}) {
  if (HERE[name]) HERE[name](view, values);
  else if (name !== "copy" && !view.data.can_control) return false;
  else if (!view.scriptConnection?.away || view.store.connected) sendCommand(view, name, values);
  return true;
}

/**
 * Switch between the presentation view and the normal page. The page is loaded again and shows the same step of the
 * run.
 */
function toggleStage({ data, time }) {
  saveShownStep(data.run, time);
  present(!data.present);
}

/** Send a command to the Streamlit script. @param stayRewound whether the view keeps showing its past step */
function sendCommand(view, name, { stayRewound = false, ...values }) {
  const { transport } = view;
  if (name === "play" || name === "pause") {
    name = transport.playing ? "pause" : "play";
    transport.expect({ playing: name === "play" });
    if (name === "play") view.link.hold(false); // so that knobs that were set during the pause take effect
  } else if (name === "pace") transport.expect(values);
  if (name === "fork") values = { step: view.scene()?.step ?? 0, ...values };
  if (GO_LIVE.has(name) && !stayRewound) view.time.live();
  view.script.send(name, values, view.scriptConnection?.away);
}

/** Listen for keys until the view ends. On a page with other content, the view reacts only while it has the focus. */
export function listenToKeys(view) {
  listenForKeys((key, target) => (!view.pageLayout || view.root.contains(target)) && press(view, key), view.signal);
}

/** Action of each key. An action returns whether it did something. */
const KEYS = {
  " ": (view) => view.question.play() || view.time.hold() || view.act(view.transport.playing ? "pause" : "play"),
  s: (view) => view.act("step"),
  0: (view) => !view.pageLayout && !view.data.hide.includes("preset") && view.act("restore"),
  a: (view) => view.act("ask"),
  "?": (view) => view.act("keys"),
  Escape: leave,
  p: (view) => !view.pageLayout && view.act("present"),
};

/** Do the action of a key. @returns whether the key did something */
function press(view, key) {
  if (/^[1-9]$/.test(key)) return (view.stage ?? view.charts).pick(Number(key));
  return KEYS[key]?.(view);
}

/** Close the large chart, or else return to the newest frame. @returns whether one of these was possible */
function leave(view) {
  if (view.stage?.alone) {
    view.stage.setAlone(false);
    return true;
  }
  if (view.charts.closeLarge()) return true;
  if (!view.time.rewound) return false;
  view.time.live();
  return true;
}
