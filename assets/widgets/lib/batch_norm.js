// Batch normalization of one unit, and its way back, in float64 and in the order of Ioffe & Szegedy
// 2015 (Alg. 1 and section 3). Plain arrays in, plain arrays out; a test holds it to the engine.
//
// With ε = 0 and equal values x̂ is 0 ÷ 0: NaN here as in the engine, which a widget words as "not
// defined". A batch of one is a batch of equal values.

const sum = (values) => values.reduce((total, value) => total + value, 0);
// Weights of 1/m rather than a sum divided by m: large values would overflow in the sum.
const mean = (values) => sum(values.map((value) => value / values.length));

/**
 * @param x the unit's values [m], m ≥ 1
 * @param settings {gamma, beta, eps}
 * @returns {x, gamma, eps, mean, centred [m], variance (biased), inverseStd, normalized [m], y [m]}
 */
export function batchNormForward(x, { gamma, beta, eps }) {
  const rough = mean(x);
  // What rounding left over: without it three equal values would have a spread of 1e-17, and x̂ = ±1.
  const rest = mean(x.map((value) => value - rough));
  const mu = Number.isFinite(rest) ? rough + rest : rough;
  const centred = x.map((value) => value - mu);
  const variance = mean(centred.map((value) => value * value));
  const inverseStd = 1 / Math.sqrt(variance + eps);
  const normalized = centred.map((value) => value * inverseStd);
  const y = normalized.map((value) => gamma * value + beta);
  return { x: [...x], gamma, eps, mean: mu, centred, variance, inverseStd, normalized, y };
}

/**
 * The six results, from the outputs back to the inputs.
 *
 * @param forward what `batchNormForward` gave
 * @param g ∂ℓ/∂y [m]
 * @param paths {throughMean, throughVariance}: false leaves a path out, as if its statistic were a constant
 * @returns {normalized: ∂ℓ/∂x̂ [m], variance: ∂ℓ/∂σ², mean: ∂ℓ/∂μ, x: ∂ℓ/∂x [m], gamma: ∂ℓ/∂γ, beta: ∂ℓ/∂β,
 *   direct [m], byVariance [m], byMean [m]: the three terms of ∂ℓ/∂x, 0 where a path is left out}
 */
export function batchNormBackward(forward, g, { throughMean = true, throughVariance = true } = {}) {
  const { inverseStd, gamma } = forward;
  const m = g.length;
  // The paper's (x − μ)(σ² + ε)^(−3/2) is x̂/(σ² + ε): the same, but its factors neither vanish nor overflow.
  const along = (values) => sum(values.map((value, i) => value * forward.normalized[i]));
  const normalized = g.map((value) => gamma * value); // (1)
  const pull = along(normalized);
  const variance = -0.5 * inverseStd * inverseStd * pull; // (2)
  const stretch = throughVariance ? (-inverseStd * pull) / m : 0; // ∂ℓ/∂σ² · 2σ/m
  const mean = -inverseStd * sum(normalized) - stretch * sum(forward.normalized); // (3), the last sum being 0
  const direct = normalized.map((value) => value * inverseStd);
  const byVariance = forward.normalized.map((value) => stretch * value);
  const byMean = g.map(() => (throughMean ? mean / m : 0));
  const x = direct.map((value, i) => value + byVariance[i] + byMean[i]); // (4)
  return { normalized, variance, mean, x, gamma: along(g), beta: sum(g), direct, byVariance, byMean }; // (5), (6)
}
