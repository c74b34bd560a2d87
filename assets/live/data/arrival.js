// Where in its time a run is looked at first: at the step that the address names, or where the tab looked
// at it before it went to the stage or came back from there.

import { keep, readKept } from "../lib/tab_storage.js";

const KEPT = "bnviz-looks-at";

/** The page is about to be loaded anew: it is to look at the same moment of the run. */
export function keepMoment(run, { mode, frame, wanted, centre }) {
  keep(KEPT, mode === "live" ? null : { run, step: wanted ?? frame?.step, centre: mode === "playing" ? centre : null });
}

export class Arrival {
  #view;
  #went = null; // the address that led to a step, and the run

  constructor(view) {
    this.#view = view;
  }

  /** Show that step, once. */
  go() {
    const { data, store, time } = this.#view;
    if (!store.history.length) return;
    const stamp = `${store.run} ${data.read}`;
    const kept = readKept(KEPT);
    if (kept?.run === store.run) {
      keep(KEPT, null);
      this.#went = stamp;
      if (kept.centre === null) time.pin(kept.step);
      else time.playAround(kept.centre, kept.step);
    }
    if (data.at == null || this.#went === stamp) return;
    this.#went = stamp;
    time.pin(data.at);
  }
}
