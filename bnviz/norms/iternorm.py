"""IterNorm (Huang et al. 2019): whitening by Newton's iteration, without eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from bnviz.norms.whitening import WhiteningNorm

# Iterations of Newton's method, as in the paper.
ITERATIONS = 5


@dataclass(frozen=True)
class Iteration:
    """What the derivative of the iteration needs.

    Attributes:
        scaled: covariances divided by their trace [G, K, K].
        trace: [G, 1, 1].
        powers: P_0 … P_T [G, K, K].
    """

    scaled: Tensor
    trace: Tensor
    powers: list[Tensor]


class IterNorm(WhiteningNorm):
    """Values are whitened by five steps of Newton's method towards Σ^(−1/2).

    With Σ the batch's covariance plus ε on its diagonal: P_0 = 1, P_k = (3 P − P³ Σ/tr Σ)/2 and
    W = P_5/√(tr Σ). Five steps whiten directions of large variance; those of small variance (below
    about a fiftieth of the trace) are only stretched by 1.5⁵/√(tr Σ). So it is defined for
    mini-batches of 2 too, whose covariance has a single direction.
    """

    name = "iternorm"

    def _whiten(self, covariance: Tensor, count: int) -> tuple[Tensor, Iteration]:
        covariance = covariance + self.eps * self.units
        trace = covariance.diagonal(dim1=1, dim2=2).sum(1)[:, None, None]
        scaled = covariance / trace
        powers = [self.units + self.fillers]
        for _ in range(ITERATIONS):
            last = powers[-1]
            powers.append(1.5 * last - 0.5 * (last @ last @ (last @ scaled)))
        return powers[-1] / trace.sqrt(), Iteration(scaled, trace, powers)

    def _whiten_gradient(self, dwhitening: Tensor, memory: Iteration) -> Tensor:
        """Back through the iteration; every matrix but the gradients is a polynomial of Σ.

        So they commute and are symmetric. d tr Σ comes from W's scale and from Σ/tr Σ.
        """
        scaled, trace, powers = memory.scaled, memory.trace, memory.powers
        root = trace.sqrt()
        dpower = dwhitening / root
        dtrace = -0.5 * _inner(dwhitening, powers[-1]) / trace / root
        dscaled = torch.zeros_like(scaled)
        for power in reversed(powers[:-1]):
            square, next_power = power @ power, power @ scaled
            dscaled = dscaled - 0.5 * (square @ power) @ dpower
            dpower = 1.5 * dpower - 0.5 * (
                dpower @ (square @ scaled) + power @ dpower @ next_power + square @ dpower @ scaled
            )
        dtrace = dtrace - _inner(dscaled, scaled) / trace
        dcovariance = dscaled / trace + dtrace * self.units
        return (dcovariance + dcovariance.mT) / 2


def _inner(first: Tensor, second: Tensor) -> Tensor:
    return (first * second).sum((1, 2), keepdim=True)
