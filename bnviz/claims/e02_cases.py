"""Norms with numbers for them, and what each way of the engine makes of these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bnviz.claims.runs import normal, random_numbers
from bnviz.norms import NORMS
from bnviz.norms.axes import batch_axes, by_feature
from bnviz.norms.base import Norm
from bnviz.norms.kernels import share

UNITS, GROUPS = 20, 4  # five units in each of four groups: no size is the number of another
SHAPES: tuple[tuple[int, ...], ...] = ((60, UNITS), (6, UNITS, 5, 4))


class Pass(NamedTuple):
    """What one way of the engine gives: y, and the gradients of x and of the parameters."""

    y: Tensor
    dx: Tensor
    gradients: Mapping[str, Tensor]


class Case(NamedTuple):
    """A norm with random γ and β, and numbers of one shape for it."""

    norm: Norm
    x: Tensor
    g: Tensor

    def passes(self) -> list[Pass]:
        """The plain functions in training mode; of units alone also what trains networks."""
        norm, x = self.norm, self.x
        y, cache = norm.forward(x, training=True)
        found = [Pass(y, norm.backward(self.g, cache), dict(norm.gradients))]
        if x.ndim == 2:
            gradients = {name: torch.zeros_like(value) for name, value in norm.parameters.items()}
            buffers = {name: value[None] for name, value in norm.buffers.items()}
            kernels = type(norm).kernels([norm], len(x), [gradients], buffers)
            assert kernels is not None
            y, dx = torch.empty_like(x), torch.empty_like(x)
            kernels.forward(0, share(x), share(y))
            kernels.backward(0, share(self.g), share(dx))
            found.append(Pass(y, dx, gradients))
        return found

    def normalized(self) -> list[Tensor]:
        """(y − β) ÷ γ of each way."""
        gamma, beta = (self.norm.parameters.get(name) for name in ("gamma", "beta"))
        scale = torch.ones(UNITS) if gamma is None else gamma
        shift = torch.zeros(UNITS) if beta is None else beta
        return [
            (each.y - by_feature(shift, self.x)) / by_feature(scale, self.x)
            for each in self.passes()
        ]

    def far_from(self, form: Tensor) -> float:
        """How far the normalized values of each way are from these."""
        return max(off(found, form) for found in self.normalized())

    @property
    def moments(self) -> tuple[Tensor, Tensor]:
        """Mean and biased standard deviation of each unit of x."""
        mean = self.x.mean(batch_axes(self.x))
        centred = self.x - by_feature(mean, self.x)
        return mean, (centred * centred).mean(batch_axes(self.x)).sqrt()

    @property
    def standardized(self) -> Tensor:
        """x less its mean by its deviation, each unit for itself."""
        mean, std = self.moments
        return (self.x - by_feature(mean, self.x)) / by_feature(std, self.x)


def cases(
    seed: int, name: str, shapes: Iterable[tuple[int, ...]] = SHAPES, **options: Any
) -> list[Case]:
    """A norm with ε = 0, one of each shape; the same numbers for every norm."""
    generator, found = random_numbers(seed, 2), []
    for shape in shapes:
        settings = {"eps": 0.0, "dtype": torch.float64, "seed": seed, **options}
        norm: Norm = NORMS[name].resolve()(UNITS, **settings)
        for value in norm.parameters.values():
            value.copy_(normal(generator, UNITS))
        x, g = (normal(generator, *shape) for _ in range(2))
        # Units that are alike in part, of unlike means and sizes.
        x = x + 0.5 * x.roll(1, 1)
        scale, shift = (by_feature(normal(generator, UNITS), x) for _ in range(2))
        found.append(Case(norm, x * scale.exp() + shift, g))
    return found


def off(found: Tensor, expected: Tensor) -> float:
    """The largest difference by the largest expected value."""
    return far(found - expected) / far(expected)


def far(values: Tensor) -> float:
    """How far from 0 the furthest of these is."""
    return float(values.abs().max())
