// Numbers at the nodes of a drawing: three decimals, so that sums can be followed by eye.

import { count, number } from "../../live/lib/format.js";

const MINUS = "\u2212";
const LARGE = 1e5; // from here on decimals only take room
const HUGE = 1e7;
const ROUNDING = 1e-12; // of the largest term of a sum: what rounding leaves of a zero

/**
 * A number with three decimals; one too large or too small for that as a person writes it.
 *
 * @param size of the terms that the value is a sum of: a rest of rounding is then written as 0
 */
export function three(value, size = 0) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "?" : number(value);
  if (Math.abs(value) <= ROUNDING * size) return "0.000";
  const length = Math.abs(value);
  if (length >= LARGE) return length < HUGE ? count(value) : number(value);
  if (value !== 0 && length < 0.0005) return number(value);
  return value.toFixed(3).replace("-", MINUS);
}

/** A value that a person set, with no more decimals than it has. */
export function short(value) {
  return String(Number(value.toFixed(6))).replace("-", MINUS);
}

/** What a person typed as a number; NaN where it is none. A comma is a point, − is -. */
export function typed(text) {
  const plain = text.trim().replace(",", ".").replace(MINUS, "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/** A lowered number: x₁. */
export function lowered(place) {
  return [...String(place)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");
}
