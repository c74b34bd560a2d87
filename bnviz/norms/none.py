"""Identity in place of a norm, for the network without normalization."""

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
        return None

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, None]:
        return x, None

    def backward(self, dy: Tensor, cache: None) -> Tensor:
        return dy

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        return torch.ones_like(x_row)
