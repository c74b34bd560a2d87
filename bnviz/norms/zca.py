"""ZCA whitening over the mini-batch (Huang et al. 2018: decorrelated batch normalization)."""

from __future__ import annotations

from typing import Generic, NamedTuple

from bnviz.norms.inverse_root import inverse_root, inverse_root_gradient
from bnviz.norms.whitening import Array, WhiteningNorm

# Smallest share by which a covariance is shrunk towards its average variance, so that rounding
# cannot give it negative eigenvalues. For K units and M values, the share is (K/M)³, which was
# found by experiment. Without shrinking, directions without variance in a small mini-batch are
# stretched without bound, and tanh networks of 6×100 diverge at M ≤ 16. For K = 15 the share is 1.6
# % at M = 60, and 100 % at M ≤ K.
LEAST_SHARE = 1e-4


class Root(NamedTuple, Generic[Array]):
    """Result of `inverse_root`, and the share by which the covariance was shrunk."""

    matrix: Array
    vectors: Array
    values: Array
    share: float


class ZCANorm(WhiteningNorm):
    """Multiplication by the inverse square root of the batch's covariance.

    W = ((1 − s) Σ + s v + ε)^(−1/2), where v is the average variance of a group of K units and s =
    (K/M)³ (0.0001 to 1) for M values per unit. For large M, W is Σ^(−1/2), the symmetric whitening
    matrix, which rotates the axes least. At M ≤ K the covariance cannot be estimated, and W only
    divides by √(v + ε).
    """

    name = "zca"

    def whiten(self, covariance: Array, count: int) -> tuple[Array, Root[Array]]:
        units, identity, sizes = self.constants(covariance)
        share = min(max((self.size / count) ** 3, LEAST_SHARE), 1.0)
        average = (covariance * units).sum((1, 2))[:, None, None] / sizes
        moved = (
            (1 - share) * covariance
            + (share * average + self.eps) * units
            + (average + self.eps) * (identity - units)
        )
        matrix, vectors, values = inverse_root(moved)
        return matrix, Root(matrix, vectors, values, share)

    def whiten_gradient(self, dwhitening: Array, memory: Root[Array]) -> Array:
        """Backpropagate through the root and through the average variance."""
        units, _, sizes = self.constants(dwhitening)
        share = memory.share
        dmoved = inverse_root_gradient(dwhitening, memory.matrix, memory.vectors, memory.values)
        daverage = share * (dmoved * units).sum((1, 2))[:, None, None] / sizes
        return (1 - share) * dmoved + daverage * units
