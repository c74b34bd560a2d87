// How straight a nonlinearity is for normal values of some mean and spread, in float64: the best straight line, the share
// of the curve's spread that it explains, and the share of the values in the flat zones. A test compares it with Python.

const REACH = 9; // spreads: a normal value lies further out once in 10^18
const STEP = 1 / 32; // of the sum; the curves are smooth, so its error falls faster than any power of the step
const FEW = 2.5; // up to here the series for erf, beyond it the continued fraction for erfc
const TERMS = 80;

const sigmoid = (y) => (y >= 0 ? 1 / (1 + Math.exp(-y)) : 1 - 1 / (1 + Math.exp(y)));

/** The curves by name: their values, and how far from 0 the flat zones begin: beyond .05 or .95, and beyond ±.9. */
export const CURVES = {
  sigmoid: { of: sigmoid, flat: Math.log(19), low: 0, high: 1 },
  tanh: { of: Math.tanh, flat: Math.atanh(0.9), low: -1, high: 1 },
};

/** The points z of the sum, and the share of normal values that each stands for. */
const NODES = nodes();

function nodes() {
  const found = [];
  for (let place = -REACH / STEP; place <= REACH / STEP; place++) found.push(place * STEP);
  return found.map((z) => [z, (STEP * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)]);
}

/**
 * The best straight line (least squares) through a curve, for y = γz + β with normal z.
 *
 * @param name of a curve
 * @param gamma γ ≥ 0
 * @returns {slope, at: the line's height at y = β, explained: its share of the curve's variance (R²)}; with γ = 0 there is
 *   one value and no line: slope and explained are null
 */
export function bestLine(name, { gamma, beta }) {
  const { of } = CURVES[name];
  if (!(gamma > 0)) return { slope: null, at: of(beta), explained: null };
  const middle = of(beta); // values less this one lose no digits
  const found = NODES.map(([z, weight]) => [z, weight, of(gamma * z + beta) - middle]);
  const total = (part) => found.reduce((sum, node) => sum + node[1] * part(node), 0);
  const mean = total(([, , value]) => value);
  const along = total(([z, , value]) => (value - mean) * z);
  const variance = total(([, , value]) => (value - mean) ** 2);
  // Rounding may make a share a little more than all of it.
  return { slope: along / gamma, at: middle + mean, explained: Math.min(1, (along * along) / variance) };
}

/** The share of normal values of mean β and spread γ in the flat zones of a curve. */
export function shareInFlatZones(name, { gamma, beta }) {
  const { flat } = CURVES[name];
  if (!(gamma > 0)) return Math.abs(beta) > flat ? 1 : 0;
  return upper((flat - beta) / gamma) + upper((flat + beta) / gamma);
}

/** The share of standard normal values above z. */
export function upper(z) {
  if (z < 0) return 1 - upper(-z);
  const x = z / Math.SQRT2;
  return x < FEW ? 0.5 - 0.5 * erf(x) : 0.5 * erfc(x);
}

/** erf of 0 to 2.5, by a series whose terms are all positive. */
function erf(x) {
  let term = x;
  let sum = x;
  for (let n = 1; n < TERMS; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** erfc from 2.5 on, by a continued fraction, from its far end back. */
function erfc(x) {
  let rest = x;
  for (let n = TERMS; n > 0; n--) rest = x + n / 2 / rest;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * rest);
}
