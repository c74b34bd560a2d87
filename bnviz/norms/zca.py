"""ZCA whitening over the mini-batch: decorrelated batch normalization (Huang et al. 2018)."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from bnviz.norms.inverse_root import InverseRoot, inverse_root_gradient
from bnviz.norms.whitening import WhiteningNorm

# The covariance of K units in M values is moved towards its average variance by this share at
# least, so that rounding cannot make it negative, and by (K/M)³, chosen by trying: without it,
# directions in which a small mini-batch happens to have no variance are stretched without bound,
# and tanh networks of 6×100 diverge at M ≤ 16. For K = 15 that is 1.6 % at M = 60; at M ≤ K all of
# it.
LEAST_SHARE = 1e-4


class Root(NamedTuple):
    """What `InverseRoot` gave, and the share by which the covariance was moved."""

    matrix: Tensor
    vectors: Tensor
    values: Tensor
    share: float


class ZCANorm(WhiteningNorm):
    """Values are multiplied by the inverse square root of the batch's covariance.

    W = ((1 − s) Σ + s v + ε)^(−1/2), where v is the average variance of a group of K units and
    s = (K/M)³, between 0.0001 and 1, for M values a unit. For large M this is Σ^(−1/2): of all
    matrices that whiten, the symmetric one, which turns the axes least. At M ≤ K, as in
    mini-batches of 2, no covariance can be told: a group is centred and divided by √(v + ε).
    """

    name = "zca"

    def _whiten(self, covariance: Tensor, count: int) -> tuple[Tensor, Root]:
        share = min(max((self.size / count) ** 3, LEAST_SHARE), 1.0)
        average = (covariance.diagonal(dim1=1, dim2=2).sum(1) / self.sizes)[:, None, None]
        moved = (
            (1 - share) * covariance
            + (share * average + self.eps) * self.units
            + (average + self.eps) * self.fillers
        )
        matrix, vectors, values = InverseRoot.apply(moved)
        return matrix, Root(matrix, vectors, values, share)

    def _whiten_gradient(self, dwhitening: Tensor, memory: Root) -> Tensor:
        share = memory.share
        dmoved = inverse_root_gradient(dwhitening, *memory[:3])
        daverage = share * (dmoved * self.units).sum((1, 2)) / self.sizes
        return (1 - share) * dmoved + daverage[:, None, None] * self.units
