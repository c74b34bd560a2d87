"""ZCA whitening over the mini-batch: decorrelated batch normalization (Huang et al. 2018)."""

from __future__ import annotations

from typing import Generic, NamedTuple

from bnviz.norms.inverse_root import inverse_root, inverse_root_gradient
from bnviz.norms.whitening import Array, WhiteningNorm

# The covariance of K units in M values is moved towards its average variance by this share at
# least, so that rounding cannot make it negative, and by (K/M)³, chosen by trying: without it,
# directions in which a small mini-batch happens to have no variance are stretched without bound,
# and tanh networks of 6×100 diverge at M ≤ 16. For K = 15 that is 1.6 % at M = 60; at M ≤ K all of
# it.
LEAST_SHARE = 1e-4


class Root(NamedTuple, Generic[Array]):
    """What `inverse_root` gave, and the share by which the covariance was moved."""

    matrix: Array
    vectors: Array
    values: Array
    share: float


class ZCANorm(WhiteningNorm):
    """Values are multiplied by the inverse square root of the batch's covariance.

    W = ((1 − s) Σ + s v + ε)^(−1/2), where v is the average variance of a group of K units and
    s = (K/M)³, between 0.0001 and 1, for M values a unit. For large M this is Σ^(−1/2): of all
    matrices that whiten, the symmetric one, which turns the axes least. At M ≤ K, as in
    mini-batches of 2, no covariance can be told: a group is centred and divided by √(v + ε).
    """

    name = "zca"

    def whiten(self, covariance: Array, count: int) -> tuple[Array, Root[Array]]:
        """W; see `WhiteningNorm.whiten`."""
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
        """Through the root, and through the average variance."""
        units, _, sizes = self.constants(dwhitening)
        share = memory.share
        dmoved = inverse_root_gradient(dwhitening, memory.matrix, memory.vectors, memory.values)
        daverage = share * (dmoved * units).sum((1, 2))[:, None, None] / sizes
        return (1 - share) * dmoved + daverage * units
