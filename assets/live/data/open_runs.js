// What the live view of a run shares with controls elsewhere in the page: one socket serves them all.

const shared = new Map(); // run → parts
const followers = new Map(); // run → listeners

/** Let others in the page have parts of a run's live view. */
export function share(run, parts) {
  shared.set(run, parts);
  for (const listener of followers.get(run) ?? []) listener(parts);
}

/** The view shows this run no longer. Does nothing when another view has taken its place. */
export function unshare(run, parts) {
  if (shared.get(run) !== parts) return;
  shared.delete(run);
  for (const listener of followers.get(run) ?? []) listener(null);
}

/** Hear of the parts of a run, at once and whenever they come or go; returns what ends it. */
export function follow(run, listener) {
  if (!followers.has(run)) followers.set(run, new Set());
  const listeners = followers.get(run);
  listeners.add(listener);
  listener(shared.get(run) ?? null);
  return () => {
    listeners.delete(listener);
    if (!listeners.size) followers.delete(run);
  };
}
