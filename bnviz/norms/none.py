"""No normalization: the plain network."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.norms.base import Norm, NormLayers


class NoNorm(Norm):
    """The identity."""

    name = "none"
    stackable = True

    @classmethod
    def kernels(cls, layers: NormLayers) -> None:
        """None: there is nothing to do."""
        return None

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, None]:
        """x itself."""
        return x, None

    def backward(self, dy: Tensor, cache: None) -> Tensor:
        """dy itself."""
        return dy

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """Ones [D]."""
        return torch.ones_like(x_row)
