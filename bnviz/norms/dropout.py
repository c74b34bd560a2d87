"""Dropout (Srivastava et al. 2014), a regularizer for comparison with BN."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import Norm, NormOptions
from bnviz.norms.kernels import on_device


class DroppingNorm(Norm):
    """Norm that drops values with probability p. The same step always drops the same values."""

    def __init__(self, width: int, *, rate: float = 0.2, **settings: Unpack[NormOptions]) -> None:
        """Set up the norm with drop probability `rate` below 1; for other settings see `Norm`."""
        super().__init__(width, **settings)
        self.rate = rate

    def draw_mask(self, x: Tensor) -> Tensor:
        """Return a mask with the shape of x: 0 for dropped values, otherwise 1/(1 − p)."""
        kept = self.random().random(tuple(x.shape), dtype=np.float32) >= self.rate
        return on_device(kept, x.device, x.dtype) / (1 - self.rate)


class Dropout(DroppingNorm):
    """Dropout, independent at every position; kept values are scaled by 1/(1 − p)."""

    name = "dropout"

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Tensor | None]:
        if not training or self.rate == 0:
            return x, None
        mask = self.draw_mask(x)
        return x * mask, mask

    def backward(self, dy: Tensor, cache: Tensor | None) -> Tensor:
        return dy if cache is None else dy * cache

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        return torch.ones_like(x_row)

    def inference_affine(self) -> tuple[Tensor, Tensor]:
        ones = torch.ones(self.width, dtype=self.dtype, device=self.device)
        return ones, torch.zeros_like(ones)
