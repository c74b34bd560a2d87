"""Root mean square normalization (Zhang & Sennrich 2019)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from bnviz.norms.axes import scale_and_shift
from bnviz.norms.base import Norm
from bnviz.norms.kernels import Kernels
from bnviz.norms.row_kernels import RowKernels


@dataclass(frozen=True)
class RMSCache:
    """x / RMS, the shape of x; 1/RMS of each example [N, 1]; γ [D]."""

    normalized: Tensor
    inverse_rms: Tensor
    gamma: Tensor | None


class RMSNorm(Norm):
    """Each example is divided by the root mean square of its units; no mean is taken out, no shift.

    y = γ x / √(mean x² + ε), the same in training and inference mode. In a convolutional network
    the mean is over all feature maps of an example and their positions.
    """

    name = "rms"
    initial_parameters: ClassVar[Mapping[str, float]] = {"gamma": 1.0}
    stackable = True

    @classmethod
    def kernels(
        cls,
        norms: Sequence[Norm],
        batch: int,
        gradients: Sequence[dict[str, Tensor]],
        buffers: Mapping[str, Tensor],
        members: tuple[int, ...] = (),
    ) -> Kernels:
        """The fast training pass."""
        return RowKernels(norms, batch, gradients, centre=False, members=members)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, RMSCache]:
        """Normalize each example."""
        rows = x.flatten(1)
        inverse_rms = ((rows * rows).mean(1, keepdim=True) + self.eps).rsqrt()
        normalized = (rows * inverse_rms).reshape(x.shape)
        return self._scale_and_shift(normalized), RMSCache(normalized, inverse_rms, self.gamma)

    def backward(self, dy: Tensor, cache: RMSCache) -> Tensor:
        """dx = (g − x̂ · mean(g · x̂)) / RMS with g = γ dy, the mean over the units."""
        self._parameter_gradients(dy, cache.normalized)
        g = scale_and_shift(dy, cache.gamma, None).flatten(1)
        normalized = cache.normalized.flatten(1)
        mean_product = (g * normalized).mean(1, keepdim=True)
        return ((g - normalized * mean_product) * cache.inverse_rms).reshape(dy.shape)

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """γ_i (δ_ij − x̂_i x̂_j / D) / RMS [D, D]."""
        inverse_rms = ((x_row * x_row).mean() + self.eps).rsqrt()
        normalized = x_row * inverse_rms
        identity = torch.eye(len(x_row), dtype=x_row.dtype, device=x_row.device)
        projection = identity - torch.outer(normalized, normalized) / len(x_row)
        jacobian = projection * inverse_rms
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]
