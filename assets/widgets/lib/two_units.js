// Two units over a mini-batch, [[x₁, x₂], …], in float64: their covariance, batch normalization and whitening. A test
// compares the results with the engine and with NumPy.

import { within } from "../../live/lib/format.js";
import { ellipseOf } from "./two_by_two.js";

// an eigenvalue counts as zero if it is below this share of the largest eigenvalue, as in bnviz/probes/axis.py
const ZERO = 1e-10;

/**
 * Return the values of two correlated units, computed from independent standard normal values [[z₁, z₂], …].
 * @param units {means, spreads: standard deviations}
 */
export function correlated(normals, correlation, { means, spreads }) {
  const rest = Math.sqrt(1 - correlation ** 2);
  return normals.map(([first, second]) => [
    means[0] + spreads[0] * first,
    means[1] + spreads[1] * (correlation * first + rest * second),
  ]);
}

/** Return the mean and the biased covariance of points. @returns {means: [μ₁, μ₂], covariance: [[σ₁², c], [c, σ₂²]]} */
export function statistics(points) {
  const means = [0, 1].map((unit) => mean(points.map((point) => point[unit])));
  const product = (i, j) => mean(points.map((point) => (point[i] - means[i]) * (point[j] - means[j])));
  const across = product(0, 1);
  return { means, covariance: [[product(0, 0), across], [across, product(1, 1)]] };
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Return the shape of the point cloud that a covariance describes.
 * @returns {correlation; long, short: half-axes of the ellipse, which are the square roots of the eigenvalues; angle:
 * direction of the long half-axis in radians; ratio: ratio of the half-axes; condition: ratio of the eigenvalues}. If
 * an eigenvalue is zero, `ratio` and `condition` are null
 */
export function shapeOf(covariance) {
  const [[first, across], [, second]] = covariance;
  const { long, short, angle } = ellipseOf(covariance);
  const flat = !(short > ZERO * long);
  const condition = flat ? null : long / short;
  return {
    correlation: within(across / Math.sqrt(first) / Math.sqrt(second), -1, 1),
    long: Math.sqrt(long), short: flat ? 0 : Math.sqrt(short), angle, condition, ratio: flat ? null : Math.sqrt(condition),
  };
}

/** Apply batch normalization with ε = 0, γ = 1 and β = 0 to each unit separately. */
export function normalized(points) {
  const { means, covariance } = statistics(points);
  return points.map((point) => point.map((value, unit) => (value - means[unit]) / Math.sqrt(covariance[unit][unit])));
}

/**
 * Apply ZCA whitening, Σ^(−1/2) (x − μ), to both units jointly. If an eigenvalue of the covariance is zero, return
 * null.
 */
export function whitened(points) {
  const { means, covariance } = statistics(points);
  const root = inverseRoot(covariance);
  if (!root) return null;
  return points.map((point) => {
    const [x, y] = [point[0] - means[0], point[1] - means[1]];
    return root.map(([a, b]) => a * x + b * y);
  });
}

/**
 * Return the symmetric matrix Σ^(−1/2), or null if it is undefined.
 * The Cayley–Hamilton theorem gives √Σ = (Σ + √det Σ) ÷ √(tr Σ + 2 √det Σ).
 */
export function inverseRoot(covariance) {
  const [[first, across], [, second]] = covariance;
  const { long, short } = ellipseOf(covariance);
  if (!(short > ZERO * long)) return null;
  const root = Math.sqrt(first * second - across ** 2);
  const scale = root * Math.sqrt(first + second + 2 * root);
  return [[(second + root) / scale, -across / scale], [-across / scale, (first + root) / scale]];
}
