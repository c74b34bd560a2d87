// 2 × 2 matrices [[a, b], [c, d]], in float64. A test compares the results with NumPy.

/**
 * Return the ellipse to which a matrix maps the unit circle: J = U diag(σ₁, ±σ₂) Vᵀ, where U and V are rotations.
 * @returns {long, short: half-axes, which are the singular values σ₁ ≥ σ₂ ≥ 0; angle: direction of the long half-axis,
 * measured from x towards y; from: direction that is mapped to the long half-axis}, with angles in radians
 */
export function ellipseOf([[a, b], [c, d]]) {
  const [turnX, turnY] = [(a + d) / 2, (c - b) / 2];
  const [mirrorX, mirrorY] = [(a - d) / 2, (c + b) / 2];
  const [turn, mirror] = [Math.hypot(turnX, turnY), Math.hypot(mirrorX, mirrorY)];
  const [one, other] = [Math.atan2(mirrorY, mirrorX), Math.atan2(turnY, turnX)];
  return { long: turn + mirror, short: Math.abs(turn - mirror), angle: (one + other) / 2, from: (one - other) / 2 };
}

/** J Jᵀ. */
export function timesTransposed([[a, b], [c, d]]) {
  const across = a * c + b * d;
  return [[a * a + b * b, across], [across, c * c + d * d]];
}
