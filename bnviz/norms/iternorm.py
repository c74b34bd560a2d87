"""IterNorm (Huang et al. 2019): whitening by Newton's iteration, without eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from bnviz.norms.whitening import Array, WhiteningNorm

# Iterations of Newton's method, as in the paper.
ITERATIONS = 5


@dataclass(frozen=True)
class Iteration(Generic[Array]):
    """What the derivative of the iteration needs, [G, K, K] each but for the trace.

    Attributes:
        scaled: S, the covariances divided by their trace.
        trace: [G, 1, 1].
        powers: P_1 … P_T.
        squares: P_k², of all but the last.
        products: P_k S, of all but the last.
    """

    scaled: Array
    trace: Array
    powers: list[Array]
    squares: list[Array]
    products: list[Array]


class IterNorm(WhiteningNorm):
    """Values are whitened by five steps of Newton's method towards Σ^(−1/2).

    With Σ the batch's covariance plus ε on its diagonal: P_0 = 1, P_k = (3 P − P³ Σ/tr Σ)/2 and
    W = P_5/√(tr Σ). Five steps whiten directions of large variance; those of small variance (below
    about a fiftieth of the trace) are only stretched by 1.5⁵/√(tr Σ). So it is defined for
    mini-batches of 2 too, whose covariance has a single direction.
    """

    name = "iternorm"

    def whiten(self, covariance: Array, count: int) -> tuple[Array, Iteration[Array]]:
        """P_5/√(tr Σ); see `WhiteningNorm.whiten`."""
        constants = self.constants(covariance)
        memory = iterate(covariance + self.eps * constants.units, constants.identity)
        return memory.powers[-1] / memory.trace**0.5, memory

    def whiten_gradient(self, dwhitening: Array, memory: Iteration[Array]) -> Array:
        """Back through the iteration, and through both uses of the trace."""
        trace, units = memory.trace, self.constants(dwhitening).units
        root = trace**0.5
        # Divided one after the other: the product may be too large for a float32.
        dtrace = _inner(dwhitening, memory.powers[-1]) / trace / root * -0.5
        dscaled = iterate_gradient(dwhitening / root, memory)
        dtrace = dtrace - _inner(dscaled, memory.scaled) / trace
        dcovariance = dscaled / trace + dtrace * units
        return (dcovariance + dcovariance.mT) / 2


def iterate(covariance: Array, identity: Array) -> Iteration[Array]:
    """Newton's iteration for the inverse square roots of covariances [G, K, K] over their trace."""
    trace = _inner(covariance, identity)
    scaled = covariance / trace
    powers, squares, products = [1.5 * identity - 0.5 * scaled], [], []
    for _ in range(ITERATIONS - 1):
        power = powers[-1]
        squares.append(power @ power)
        products.append(power @ scaled)
        powers.append(1.5 * power - 0.5 * (squares[-1] @ products[-1]))
    return Iteration(scaled, trace, powers, squares, products)


def iterate_gradient(dpower: Array, memory: Iteration[Array]) -> Array:
    """Gradient of the scaled covariances from that of P_T.

    Every matrix but the gradients is a polynomial of S, so that they are symmetric and commute.
    """
    scaled, dscaled = memory.scaled, 0.0 * dpower
    for step in reversed(range(ITERATIONS - 1)):
        power, square, product = memory.powers[step], memory.squares[step], memory.products[step]
        inner = square @ dpower
        dscaled = dscaled - 0.5 * (power @ inner)
        through = dpower @ (power @ product) + power @ dpower @ product + inner @ scaled
        dpower = 1.5 * dpower - 0.5 * through
    return dscaled - 0.5 * dpower


def _inner(first: Array, second: Array) -> Array:
    return (first * second).sum((1, 2))[:, None, None]
