// Batch normalization of one unit: the values that a reader sets, and the results computed from them. The computation
// is in float64 and follows Ioffe & Szegedy 2015 (Alg. 1 and section 3). A test compares it with the engine. If ε = 0
// and all values are equal, as in a batch of one, x̂ is 0 ÷ 0 = NaN, as in the engine. The widget then shows "not
// defined".

export const MOST_POINTS = 8;
export const MOST_TYPED = 1e6; // largest value that can be typed; larger values cannot be shown with three decimals
export const EPSILONS = [0, 1e-5, 1e-3, 0.1];
export const RESULTS = 6; // number of results of the backward pass, which are revealed one by one

// Candidate values for added points. A new point gets the first candidate that no other point has
const FREE = [0, -2, 6, -5, 8, -7, 3, -9];

const sum = (values) => values.reduce((total, value) => total + value, 0);
// Divide each value before adding, because the sum of large values would overflow.
const mean = (values) => sum(values.map((value) => value / values.length));

/**
 * Compute the forward pass.
 * @param x the unit's values [m], m ≥ 1
 * @param settings {gamma, beta, eps}
 * @returns {x, gamma, eps, mean, centred [m], variance (biased), inverseStd, normalized [m], y [m]}
 */
export function batchNormForward(x, { gamma, beta, eps }) {
  const rough = mean(x);
  // Correct the rounding error of the mean. Otherwise three equal values would have a standard deviation of 1e-17 and
  // x̂ = ±1.
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
 * Compute the backward pass: the six results of the paper.
 * @param forward result of `batchNormForward`
 * @param g ∂ℓ/∂y [m]
 * @param paths {throughMean, throughVariance}; if one of them is false, that statistic is treated as a constant
 * @returns {normalized: ∂ℓ/∂x̂ [m], variance: ∂ℓ/∂σ², mean: ∂ℓ/∂μ, x: ∂ℓ/∂x [m], gamma: ∂ℓ/∂γ, beta: ∂ℓ/∂β, direct [m],
 * byVariance [m], byMean [m]: the three terms of ∂ℓ/∂x, where the term of an omitted path is 0}
 */
export function batchNormBackward(forward, g, { throughMean = true, throughVariance = true } = {}) {
  const { inverseStd, gamma } = forward;
  const m = g.length;
  // The paper's factor (x − μ)(σ² + ε)^(−3/2) is computed as x̂/(σ² + ε), because this form neither underflows nor
  // overflows.
  const along = (values) => sum(values.map((value, i) => value * forward.normalized[i]));
  const normalized = g.map((value) => gamma * value); // (1)
  const pull = along(normalized);
  const variance = -0.5 * inverseStd * inverseStd * pull; // (2)
  const stretch = throughVariance ? (-inverseStd * pull) / m : 0; // ∂ℓ/∂σ² · 2σ/m
  const mean = -inverseStd * sum(normalized) - stretch * sum(forward.normalized); // (3); the last sum is 0
  const direct = normalized.map((value) => value * inverseStd);
  const byVariance = forward.normalized.map((value) => stretch * value);
  const byMean = g.map(() => (throughMean ? mean / m : 0));
  const x = direct.map((value, i) => value + byVariance[i] + byMean[i]); // (4)
  return { normalized, variance, mean, x, gamma: along(g), beta: sum(g), direct, byVariance, byMean }; // (5), (6)
}

/** The values that a reader sets by hand. */
export class HandValues {
  #start;

  /** @param start {x, g, gamma, beta, eps}: the values after a reset */
  constructor(start) {
    this.#start = start;
    this.reset();
  }

  reset() {
    const { x, g, gamma, beta, eps } = this.#start;
    Object.assign(this, { x: [...x], g: [...g], gamma, beta, eps, revealed: 0 });
    this.paths = { throughMean: true, throughVariance: true };
    this.before = this.forward();
  }

  /** Add a point with a gradient of 0, at a value that no other point has. */
  add() {
    if (this.x.length < MOST_POINTS) {
      this.x.push(FREE.find((value) => !this.x.includes(value)));
      this.g.push(0);
    }
  }

  remove() {
    if (this.x.length > 1) {
      this.x.pop();
      this.g.pop();
    }
  }

  forward() {
    return batchNormForward(this.x, this);
  }

  backward(forward) {
    return batchNormBackward(forward, this.g, this.paths);
  }

  /**
   * Return whether a point has moved to the value of the task while everything else that affects x̂ is unchanged.
   * @param task {point: index of the point, value: its target}
   */
  onlyMoved({ point, value }) {
    const { x, eps } = this.#start;
    return this.eps === eps && this.x.length === x.length && this.x.every((now, i) => now === (i === point ? value : x[i]));
  }

  /** Whether any value that affects x̂ differs from its start value. */
  get changed() {
    return this.x.length !== this.#start.x.length || this.x.some((value, i) => value !== this.#start.x[i]) || this.eps !== this.#start.eps;
  }
}
