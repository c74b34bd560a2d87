"""Norms and values for tests: float64, with random parameters and running averages."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from bnviz.norms import NORMS
from bnviz.norms.base import Norm

WIDTH = 12
EPS = 1e-3
MAP = (2, 3)
# Step at which batch renormalization already applies its full correction.
STEP = 1000
TIGHT = {"rtol": 1e-11, "atol": 1e-12}
# Pairs of a norm and the shape of an example without its units: () for one value per unit, MAP for
# feature maps.
KINDS = [
    (name, positions)
    for name, entry in NORMS.items()
    for positions in ((), MAP)
    if positions or "mlp" in entry.networks
]


def make(name: str, *, width: int = WIDTH, seed: int = 0, **settings: Any) -> Norm:
    given = {"eps": EPS, "dtype": torch.float64} | settings
    norm: Norm = NORMS[name].resolve()(width, **given)
    norm.step = STEP
    generator = torch.Generator().manual_seed(seed)
    for value in norm.parameters.values():
        value.copy_(torch.rand(value.shape, generator=generator, dtype=torch.float64) + 0.5)
    for value in norm.buffers.values():
        value += 0.3 * torch.rand(value.shape, generator=generator, dtype=torch.float64)
    return norm


def values(
    batch: int, positions: tuple[int, ...] = (), *, width: int = WIDTH, seed: int = 1
) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    shape = (batch, width, *positions)
    return 2 * torch.randn(shape, generator=generator, dtype=torch.float64) + 0.7


def by_own_batch(name: str) -> bool:
    """Return whether a norm uses the statistics of the mini-batch that it normalizes."""
    return NORMS[name].minimum_batch > 1 and name != "moment_noise"


def defined(name: str, batch: int, positions: tuple[int, ...]) -> bool:
    """Return whether a norm has batch statistics in training for `batch` examples of this shape."""
    return NORMS[name].minimum_batch == 1 or batch > 1 or positions != ()
