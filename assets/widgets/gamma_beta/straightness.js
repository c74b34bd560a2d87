// The straightness of a nonlinearity for normally distributed inputs, in float64: the best straight line, the fraction
// of the curve's variance that this line explains, and the fraction of the inputs in the flat zones. A test compares
// the results with a computation in Python.

// the integration ends this many standard deviations from 0; a normal value is beyond with a probability below 10^−18
const REACH = 9;
// Step size of the numerical integration. Because the curves are smooth, the error falls faster than any power of the
// step size
const STEP = 1 / 32;
// for x below this value, erf is computed from a series; above it, erfc is computed from a continued fraction
const FEW = 2.5;
const TERMS = 80;

const sigmoid = (y) => (y >= 0 ? 1 / (1 + Math.exp(-y)) : 1 - 1 / (1 + Math.exp(y)));

/**
 * Curves by name. `of`: the function. `flat`: distance of the flat zones from 0 (there, the sigmoid is below .05 or
 * above .95, and tanh is below −.9 or above .9). `low`, `high`: range of the function.
 */
export const CURVES = {
  sigmoid: { of: sigmoid, flat: Math.log(19), low: 0, high: 1 },
  tanh: { of: Math.tanh, flat: Math.atanh(0.9), low: -1, high: 1 },
};

/** Nodes of the numerical integration: [z, weight of z under the standard normal distribution]. */
const NODES = nodes();

function nodes() {
  const found = [];
  for (let place = -REACH / STEP; place <= REACH / STEP; place++) found.push(place * STEP);
  return found.map((z) => [z, (STEP * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)]);
}

/**
 * Return the best straight line (least squares) through a curve, for y = γz + β with standard normal z.
 *
 * @param name of a curve
 * @param gamma γ ≥ 0
 * @returns {slope, at: height of the line at y = β, explained: fraction of the curve's variance (R²)}; slope and
 *   explained are null if γ = 0, because a single point does not define a line
 */
export function bestLine(name, { gamma, beta }) {
  const { of } = CURVES[name];
  if (!(gamma > 0)) return { slope: null, at: of(beta), explained: null };
  const middle = of(beta); // subtracted from the values so that no digits are lost
  const found = NODES.map(([z, weight]) => [z, weight, of(gamma * z + beta) - middle]);
  const total = (part) => found.reduce((sum, node) => sum + node[1] * part(node), 0);
  const mean = total(([, , value]) => value);
  const along = total(([z, , value]) => (value - mean) * z);
  const variance = total(([, , value]) => (value - mean) ** 2);
  // Rounding errors may make the fraction slightly larger than 1.
  return { slope: along / gamma, at: middle + mean, explained: Math.min(1, (along * along) / variance) };
}

/**
 * Return the fraction of inputs in the flat zones of a curve, for normally distributed inputs with mean β and standard
 * deviation γ.
 */
export function shareInFlatZones(name, { gamma, beta }) {
  const { flat } = CURVES[name];
  if (!(gamma > 0)) return Math.abs(beta) > flat ? 1 : 0;
  return upper((flat - beta) / gamma) + upper((flat + beta) / gamma);
}

/** Return the fraction of standard normal values above z. */
export function upper(z) {
  if (z < 0) return 1 - upper(-z);
  const x = z / Math.SQRT2;
  return x < FEW ? 0.5 - 0.5 * erf(x) : 0.5 * erfc(x);
}

/** Return erf(x) for 0 ≤ x ≤ 2.5, from a series whose terms are all positive. */
function erf(x) {
  let term = x;
  let sum = x;
  for (let n = 1; n < TERMS; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** Return erfc(x) for x ≥ 2.5, from a continued fraction evaluated backwards. */
function erfc(x) {
  let rest = x;
  for (let n = TERMS; n > 0; n--) rest = x + n / 2 / rest;
  return Math.exp(-x * x) / (Math.sqrt(Math.PI) * rest);
}
