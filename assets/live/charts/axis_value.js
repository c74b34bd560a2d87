// A measured number on its axis.

/** Scaled, shifted and, where the chart asks for it, the asinh of that. */
export function onAxis(value, { scale = 1, offset = 0, transform = null }) {
  const x = value * scale + offset;
  return transform === "asinh" ? Math.asinh(x) : x;
}

/** As it is drawn: clipped; `last` stands in where a non-finite one has no bound to lie on. */
export function drawnValue(value, binding, last = null) {
  const [low, high] = binding.clip ?? [null, null];
  const x = onAxis(value, binding);
  if (Number.isFinite(x)) {
    if (low !== null && x < low) return low;
    return high !== null && x > high ? high : x;
  }
  if (x === Infinity && high !== null) return high;
  if (x === -Infinity && low !== null) return low;
  return last;
}
