"""The factors a layer that calculations say for E6, without a network."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor

# torch's own, not the engine's, which is what is tested.
PHI: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu, "gelu": torch.nn.functional.gelu, "tanh": torch.tanh,
    "sigmoid": torch.sigmoid, "linear": torch.clone,
}  # fmt: skip


def growth_of(activation: str) -> float:
    """√(E[φ′(z)²] ÷ Var[φ(z)]), z ~ N(0, 1): the factor a layer of wide layers and large batches.

    By the trapezoidal rule, which forgives the kink of ReLU.
    """
    z = torch.linspace(-12, 12, 240_001, dtype=torch.float64, requires_grad=True)
    with torch.enable_grad():
        value = PHI[activation](z)
        (slope,) = torch.autograd.grad(value.sum(), z)
    weight = torch.exp(-(z.detach() ** 2) / 2)
    weight, value = weight / weight.sum(), value.detach()
    variance = weight @ (value * value) - (weight @ value) ** 2
    return math.sqrt(float(weight @ (slope * slope) / variance))


def growth_by_batch(size: int) -> float:
    """√((m − 2)/(m − 3)): the factor a linear layer in small batches.

    Of m Gaussian values E[1/σ²] = m/(m − 3), and the projection leaves (m − 2)/m of a gradient.
    """
    return math.sqrt((size - 2) / (size - 3))
