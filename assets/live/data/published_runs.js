// Registry of the runs that the views of the page show. Other parts of the page use it to find the same run. Examples
// are knobs in the sidebar, and views that have a chart of the run but no connection of their own.

import { Emitter } from "../lib/emitter.js";

const published = new Map(); // parts that each run's view has published, by run
const changes = new Emitter(); // by run

/** Publish a run to the rest of the page: {link: KnobLink, edges: StabilityEdges, store: Store, time: TimeCursor}. */
export function publishRun(run, parts) {
  published.set(run, parts);
  changes.emit(run, parts);
}

/**
 * Withdraw a run that the view no longer shows. Do nothing if another view has published the same run in the meantime.
 */
export function withdrawRun(run, parts) {
  if (published.get(run) !== parts) return;
  published.delete(run);
  changes.emit(run, null);
}

/**
 * Follow a run, no matter whether its view is mounted earlier or later.
 *
 * @param listener called at once and at each change, with the published parts, or with null if no view shows the run
 * @returns function that stops following
 */
export function followRun(run, listener) {
  listener(published.get(run) ?? null);
  return changes.on(run, listener);
}
