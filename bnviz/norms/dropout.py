"""Dropout (Srivastava et al. 2014): no normalization, but the regularizer BN is compared with."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import Norm, Settings


def check_rate(rate: float) -> float:
    """The probability with which values are dropped, if something is left.

    Raises:
        ValueError: nothing would be left, or the rate is no probability.
    """
    if not 0 <= rate < 1:
        raise ValueError(f"`rate` must be at least 0 and below 1, got {rate}.")
    return rate


def draw_mask(generator: np.random.Generator, rate: float, x: Tensor) -> Tensor:
    """What values of the shape of x are multiplied by: 0 with a probability p, else 1/(1 − p)."""
    kept = generator.random(tuple(x.shape), dtype=np.float32) >= rate
    return torch.from_numpy(kept).to(dtype=x.dtype, device=x.device) / (1 - rate)


class Dropout(Norm):
    """Each value is set to 0 with a probability p in training mode, the others divided by 1 − p.

    The identity in inference mode. The same step drops the same values, however often it is asked
    for. In feature maps each position is dropped for itself.
    """

    name = "dropout"

    def __init__(self, width: int, *, rate: float = 0.2, **settings: Unpack[Settings]) -> None:
        """Set up for a drop probability `rate`; the rest as in `Norm`.

        Raises:
            ValueError: nothing would be left, or the rate is no probability.
        """
        super().__init__(width, **settings)
        self.rate = check_rate(rate)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Tensor | None]:
        """Drop values (training), or leave all as they are (inference)."""
        if not training or self.rate == 0:
            return x, None
        mask = draw_mask(self.random(), self.rate, x)
        return x * mask, mask

    def backward(self, dy: Tensor, cache: Tensor | None) -> Tensor:
        """dy, 0 where x was dropped and divided by 1 − p elsewhere."""
        return dy if cache is None else dy * cache

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """Ones [D]."""
        return torch.ones_like(x_row)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        """Ones and zeros."""
        ones = torch.ones(self.width, dtype=self.dtype, device=self.device)
        return ones, torch.zeros_like(ones)
