// The formatting of numbers in widgets.

import { count, formatNumber } from "../../live/lib/format.js";

const MINUS = "\u2212";
const LARGE = 1e5; // smallest absolute value that is written without decimals
const HUGE = 1e7; // smallest absolute value that is written with an exponent
const ROUNDING = 1e-12; // a sum counts as rounding error if its ratio to the size of its terms is below this

/**
 * Format a number with three decimals, so that readers can check sums. Very large and very small numbers are formatted
 * as they are elsewhere in the app.
 * @param size size of the terms if the value is a sum; a sum that is only rounding error is then shown as 0
 */
export function three(value, size = 0) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "?" : formatNumber(value);
  if (Math.abs(value) <= ROUNDING * size) return "0.000";
  const length = Math.abs(value);
  if (length >= LARGE) return length < HUGE ? count(value) : formatNumber(value);
  if (value !== 0 && length < 0.0005) return formatNumber(value);
  return value.toFixed(3).replace("-", MINUS);
}

/** Format a value that a reader has set, without trailing zeros. */
export function short(value) {
  return String(Number(value.toFixed(6))).replace("-", MINUS);
}

/** Return a number as a subscript, as in x₁. */
export function lowered(place) {
  return [...String(place)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");
}
