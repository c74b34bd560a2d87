// Which run each view of the page shows, for whatever else on the page is about the same run: knobs in the sidebar, and
// views that have a chart of it and no connection of their own.

import { Emitter } from "../lib/emitter.js";

const published = new Map(); // run → what its view has published
const changes = new Emitter(); // by run

/** Let the rest of the page use a run: {link: KnobLink, edges: StabilityEdges, store: Store, time: TimeCursor}. */
export function publishRun(run, parts) {
  published.set(run, parts);
  changes.emit(run, parts);
}

/** The view no longer shows this run. Does nothing when another view has published the same run since. */
export function withdrawRun(run, parts) {
  if (published.get(run) !== parts) return;
  published.delete(run);
  changes.emit(run, null);
}

/**
 * Follow a run, whether its view is mounted before or after.
 *
 * @param listener called at once and at each change with what was published; null: no view shows the run
 * @returns function that stops it
 */
export function followRun(run, listener) {
  listener(published.get(run) ?? null);
  return changes.on(run, listener);
}
