"""E11, second part: divided by the root of the mean square (p = 2), which is BN."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.claims.runs import normal, random_numbers
from bnviz.claims.statement import Statement, at_most
from bnviz.norms.axes import batch_axes, by_feature, values_per_feature
from bnviz.norms.base import Norm
from bnviz.norms.batch import BatchNorm
from bnviz.norms.lp import LpNorm

EXAMPLES, UNITS = 60, 20
SETTING = f"float64, random x and g, {EXAMPLES}×{UNITS}; an ℓ2 norm written for this row"
NO_NETWORK = "Arithmetic in float64, without a network."

STATEMENTS = (
    Statement(
        key="l2",
        text="Divided by the root of the mean square (p = 2), the output is that of BN.",
        setting=SETTING,
        quantity="largest difference ÷ largest output",
        expected=at_most(1e-12),
        source="calculation",
        watch=NO_NETWORK,
    ),
    Statement(
        key="l2-gradient",
        text="Divided by the root of the mean square, the gradient is that of BN.",
        setting=SETTING,
        quantity="largest difference ÷ largest gradient",
        expected=at_most(1e-12),
        source="calculation",
        watch=NO_NETWORK,
    ),
)


class _L2Norm(LpNorm):
    """p = 2, for comparison alone: nobody would choose it beside batch normalization."""

    name = label = "ℓ2"

    def _length(self, size: Tensor) -> Tensor:
        return size.square().mean(batch_axes(size)).sqrt()

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return size / by_feature(length, size) / values_per_feature(size)


def measure(seed: int) -> dict[str, float]:
    """How far p = 2 is from BN: outputs and gradients."""
    generator = random_numbers(seed, 11)
    x, g = (normal(generator, EXAMPLES, UNITS) for _ in range(2))
    outcomes: list[tuple[Tensor, Tensor]] = []
    norms: tuple[Norm, ...] = (
        _L2Norm(UNITS, dtype=torch.float64), BatchNorm(UNITS, dtype=torch.float64),
    )  # fmt: skip
    for norm in norms:
        y, cache = norm.forward(x, training=True)
        outcomes.append((y, norm.backward(g, cache)))
    (y, dx), (batch_y, batch_dx) = outcomes
    return {
        "l2": float((y - batch_y).abs().max() / batch_y.abs().max()),
        "l2-gradient": float((dx - batch_dx).abs().max() / batch_dx.abs().max()),
    }
