"""IterNorm (Huang et al. 2019): whitening by Newton's iteration, without eigenvectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic

from bnviz.norms.whitening import Array, WhiteningNorm

# Number of Newton iterations, as in the paper.
ITERATIONS = 5


@dataclass(frozen=True)
class Iteration(Generic[Array]):
    """Iterates for the backward pass, [G, K, K] each except `trace` [G, 1, 1].

    Attributes:
        scaled: S, the covariances divided by their traces.
        powers: P_1 … P_T.
        squares: P_k² except the last.
        products: P_k S except the last.
    """

    scaled: Array
    trace: Array
    powers: list[Array]
    squares: list[Array]
    products: list[Array]


class IterNorm(WhiteningNorm):
    """Whitening by five Newton iterations towards Σ^(−1/2).

    Σ is the batch covariance plus ε on the diagonal. P_0 = 1, P_k = (3 P − P³ Σ/tr Σ)/2 and W =
    P_5/√(tr Σ). Five iterations whiten the directions of large variance. Directions with a variance
    below about a fiftieth of the trace are only scaled by 1.5⁵/√(tr Σ). So mini-batches of 2 work
    too, although their covariance has rank one.
    """

    name = "iternorm"

    def whiten(self, covariance: Array, count: int) -> tuple[Array, Iteration[Array]]:
        constants = self.constants(covariance)
        memory = iterate(covariance + self.eps * constants.units, constants.identity)
        return memory.powers[-1] / memory.trace**0.5, memory

    def whiten_gradient(self, dwhitening: Array, memory: Iteration[Array]) -> Array:
        """Backpropagate through the iteration and through both uses of the trace."""
        trace, units = memory.trace, self.constants(dwhitening).units
        root = trace**0.5
        # Divide in two steps, because trace · root may overflow in float32.
        dtrace = _inner(dwhitening, memory.powers[-1]) / trace / root * -0.5
        dscaled = iterate_gradient(dwhitening / root, memory)
        dtrace = dtrace - _inner(dscaled, memory.scaled) / trace
        dcovariance = dscaled / trace + dtrace * units
        return (dcovariance + dcovariance.mT) / 2


def iterate(covariance: Array, identity: Array) -> Iteration[Array]:
    """Iterate towards the inverse square roots of covariances [G, K, K] scaled by their traces."""
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
    """Return S's gradient from P_T's gradient, using the fact that polynomials in S commute."""
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
