"""Dropout (Srivastava et al. 2014): no normalization, but the regularizer BN is compared with."""

from __future__ import annotations

from typing import Unpack

import numpy as np
import torch
from torch import Tensor

from bnviz.norms.base import Norm, Settings
from bnviz.norms.kernels import on_device


class DroppingNorm(Norm):
    """A norm that drops values with a probability p, the same ones whenever a step asks."""

    def __init__(self, width: int, *, rate: float = 0.2, **settings: Unpack[Settings]) -> None:
        """Set up for a drop probability `rate` below 1; the rest as in `Norm`."""
        super().__init__(width, **settings)
        self.rate = rate

    def draw_mask(self, x: Tensor) -> Tensor:
        """Return a mask of the shape of x: 0 if dropped, else 1/(1 − p)."""
        kept = self.random().random(tuple(x.shape), dtype=np.float32) >= self.rate
        return on_device(kept, x.device, x.dtype) / (1 - self.rate)


class Dropout(DroppingNorm):
    """Each value is set to 0 with a probability p in training mode, the others divided by 1 − p.

    The identity in inference mode. The same step drops the same values, however often it is asked
    for. In feature maps each position is dropped for itself.
    """

    name = "dropout"

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, Tensor | None]:
        """Drop values (training), or leave all as they are (inference)."""
        if not training or self.rate == 0:
            return x, None
        mask = self.draw_mask(x)
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
