// Places of values on a knob's ladder of rungs, and numbers that somebody typed.

/** Where a value stands, from 0 to the last rung, by ratio between two of them; beyond an end, at it. */
export function placeOf(rungs, value) {
  const last = rungs.length - 1;
  const above = rungs.findIndex((rung) => rung >= value);
  if (above < 0) return last;
  if (above === 0 || rungs[above] === value) return above;
  const [low, high] = [rungs[above - 1], rungs[above]];
  const part = low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return above - 1 + part;
}

/** Where a value stands, as a share of the ladder's length. */
export function placeOn(rungs, value) {
  return placeOf(rungs, value) / Math.max(1, rungs.length - 1);
}

/** The rung a key leads to from a value; null where the key leads nowhere. `page`: rungs a page. */
export function rungAfter(key, { rungs, page }, value) {
  const last = rungs.length - 1;
  const place = placeOf(rungs, value);
  const up = (count) => Math.floor(place) + count;
  const down = (count) => Math.ceil(place) - count;
  const targets = {
    ArrowRight: () => up(1), ArrowUp: () => up(1), ArrowLeft: () => down(1), ArrowDown: () => down(1),
    PageUp: () => up(page), PageDown: () => down(page), Home: () => 0, End: () => last,
  };
  if (!(key in targets)) return null;
  return rungs[Math.min(last, Math.max(0, targets[key]()))];
}

/** The number that somebody typed; null where it is none. A comma is read as a decimal point. */
export function typed(text) {
  const plain = text.trim().replace("\u2212", "-").replace(/^([^,]*),([^,]*)$/, "$1.$2");
  const value = plain === "" ? NaN : Number(plain);
  return Number.isFinite(value) ? value : null;
}
