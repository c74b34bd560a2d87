// The runs that are open in this page, and the parts of their live views that controls elsewhere in
// it use: one socket serves them all.

const runs = new Map(); // id → parts
const followers = new Map(); // id → listeners

/** Let others in the page have parts of a run's live view. */
export function publish(run, parts) {
  runs.set(run, parts);
  for (const listener of followers.get(run) ?? []) listener(parts);
}

/** The view shows this run no longer. Does nothing when another view has taken its place. */
export function withdraw(run, parts) {
  if (runs.get(run) !== parts) return;
  runs.delete(run);
  for (const listener of followers.get(run) ?? []) listener(null);
}

/** Hear of the parts of a run, at once and whenever they come or go; returns what ends it. */
export function follow(run, listener) {
  if (!followers.has(run)) followers.set(run, new Set());
  const listeners = followers.get(run);
  listeners.add(listener);
  listener(runs.get(run) ?? null);
  return () => {
    listeners.delete(listener);
    if (!listeners.size) followers.delete(run);
  };
}
