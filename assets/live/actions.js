// What buttons and keys do, by name: what the browser can settle is settled here, the rest goes to the
// page's script.

import { keepMoment } from "./data/arrival.js";
import { openExport } from "./dialogs/export.js";
import { openGallery } from "./dialogs/gallery.js";
import { openKeys } from "./dialogs/keys.js";
import { openShare } from "./dialogs/share.js";
import { openShareBreak } from "./dialogs/share_break.js";
import { present } from "./lib/presenting.js";

const HERE = { ask: ({ question }) => question.begin(), export: openExport, gallery: openGallery, keys: (view) => openKeys(view), present: lookLarge, share: openShare, share_break: openShareBreak };
// What they do is seen in the newest frame.
const GO_LIVE = new Set(["play", "reset", "restore", "step", "fork", "copy", "station", "advance"]);

/** The stage, or back from it: the run is looked at where it was. */
function lookLarge({ data, time }) {
  keepMoment(data.run, time);
  present(!data.present);
}

/** @returns whether there was anything to do for this reader */
export function act(view, name, values = {}) {
  if (HERE[name]) HERE[name](view);
  else if (name === "copy" || view.data.can_control) command(view, name, values);
  else return false;
  return true;
}

/** @param values of the command; with `looks: "back"` the page goes on to show a past step */
function command(view, name, { looks, ...values }) {
  const { transport } = view;
  if (name === "play" || name === "pause") {
    name = transport.playing ? "pause" : "play";
    transport.expect({ playing: name === "play" });
    if (name === "play") view.link.hold(false); // what was moved while it stood acts from here on
  } else if (name === "pace") transport.expect(values);
  if (name === "fork") values = { step: view.scene()?.step ?? 0, ...values };
  if (GO_LIVE.has(name) && looks !== "back") view.time.live();
  view.script.send(name, values);
}
