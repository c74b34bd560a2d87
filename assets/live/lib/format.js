// Functions that format numbers as people write them: 6e-8 instead of 0, 0.21, 95.5 %, 12 340. Another function limits
// a number to bounds.

import { withPercent } from "./joining.js";

const THIN = "\u202f"; // narrow no-break space, which separates groups of three digits
const MINUS = "\u2212";
// maximum number of digits that JavaScript writes; a number exactly halfway between two decimals needs fewer
const EXACT = 100;

/**
 * Format a number with `digits` significant digits. Write it with an exponent if it is at least 10,000 or below 0.001
 * in magnitude. An integer below 10,000 is written exactly.
 */
export function formatNumber(value, digits = 2) {
  const x = Number(value);
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : `${MINUS}∞`;
  if (x === 0) return "0";
  const sign = x < 0 ? MINUS : "";
  const [mantissa, power] = exponential(Math.abs(x), digits - 1);
  if (power <= -4 || power >= 4) return `${sign}${Number(mantissa)}e${power}`;
  return sign + (power >= digits ? fixed(Math.abs(x), 0) : String(Number(`${mantissa}e${power}`)));
}

/**
 * Format a number as `toFixed` does, except that a number exactly halfway between two decimals is rounded to the even
 * one, as in Python.
 */
function fixed(x, places) {
  return x < 1e20 ? (halfDown(x.toFixed(EXACT), places) ?? x.toFixed(places)) : String(x);
}

/** Split a number into [mantissa with `places` decimals, power of ten], as [text, number]. */
function exponential(x, places) {
  const [digits, exact] = x.toExponential(EXACT).split("e");
  const down = halfDown(digits, places);
  if (down !== null) return [down, Number(exact)];
  const [mantissa, power] = x.toExponential(places).split("e");
  return [mantissa, Number(power)];
}

/**
 * If a decimal is exactly halfway between two neighbours with `places` decimals and the lower neighbour is even, return
 * the lower neighbour. Otherwise return null.
 */
function halfDown(digits, places) {
  const cut = digits.indexOf(".") + 1 + places;
  const kept = digits.slice(0, places ? cut : cut - 1);
  return /^50*$/.test(digits.slice(cut)) && "02468".includes(kept.at(-1)) ? kept : null;
}

/**
 * Format a number for sentences. An integer below a million is written with all its digits, and any other number is
 * formatted by `formatNumber`.
 */
export function plain(value) {
  const x = Number(value);
  return Number.isInteger(x) && Math.abs(x) < 1e6 ? count(x) : formatNumber(x);
}

function group(whole) {
  const text = String(whole);
  return text.length < 5 ? text : text.replace(/\B(?=(\d{3})+$)/g, THIN);
}

/** Format an integer with its digits in groups of three. */
export function count(value) {
  const x = Number(value);
  return Number.isFinite(x) ? (x < 0 ? MINUS : "") + group(fixed(Math.abs(x), 0)) : formatNumber(x);
}

/** Format a share (0 to 1) as a percentage. Even if `digits` is 0, values below 1 % and above 99 % have one decimal. */
export function percent(value, digits = 0) {
  const x = Number(value);
  if (!Number.isFinite(x)) return formatNumber(x);
  if (x === 0 || x === 1) return withPercent(`${100 * x}`);
  const scaled = 100 * x;
  if (scaled > 0 && scaled < 0.1) return withPercent("<0.1");
  if (scaled < 100 && scaled > 99.9) return withPercent(">99.9");
  const near = (scaled > 0 && scaled < 1) || (scaled > 99 && scaled < 100);
  const text = fixed(scaled, near ? Math.max(1, digits) : digits);
  return withPercent(digits ? text : text.replace(/\.0$/, ""));
}

const FORMATS = {
  number: formatNumber, number3: (value) => formatNumber(value, 3),
  plain, count, percent, percent0: percent, percent1: (value) => percent(value, 1),
};

/** Return a value in a named format. Strings are returned unchanged, and an unknown format counts as `number`. */
export function format(value, name = "number") {
  if (value === null || value === undefined) return "";
  if (typeof value === "string" && !["NaN", "Infinity", "-Infinity"].includes(value)) return value;
  return (FORMATS[name] ?? formatNumber)(value);
}

/** Return a knob's value as a person would write it, with up to six significant digits: 0.1, 60, 3e-5. */
export function written(value) {
  if (value === null || value === undefined) return "";
  const exact = Number(Number(value).toPrecision(6));
  return exact === 0 || Math.abs(exact) >= 1e-3 ? String(exact) : exact.toExponential();
}

/**
 * Return the number that a reader has typed, or NaN if the text is not a number. A comma counts as a decimal point, and
 * − as a minus sign.
 */
export function typed(text) {
  const plain = text.trim().replace(",", ".").replace(MINUS, "-");
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain) ? Number(plain) : NaN;
}

/** Limit a value to bounds. */
export function within(value, low, high) {
  return Math.min(high, Math.max(low, value));
}
