"""Layer normalization (Ba, Kiros & Hinton 2016)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from bnviz.norms.axes import scale_and_shift
from bnviz.norms.base import SCALE_AND_SHIFT, Norm
from bnviz.norms.kernels import Kernels
from bnviz.norms.row_kernels import RowKernels


@dataclass(frozen=True)
class LayerCache:
    """x̂, the shape of x; 1/σ of each example [N, 1]; γ [D]."""

    normalized: Tensor
    inverse_std: Tensor
    gamma: Tensor | None


class LayerNorm(Norm):
    """Each example is normalized over its units; the same in training and inference mode.

    y = γ (x − μ) / √(σ² + ε) + β, with μ and the biased σ² over the D units of one example, or
    over all of its feature maps and their positions; γ and β are one a unit or map.
    """

    name = "layer"
    initial_parameters = SCALE_AND_SHIFT
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
        return RowKernels(norms, batch, gradients, centre=True, members=members)

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, LayerCache]:
        """Normalize each example."""
        rows = x.flatten(1)
        centred = rows - rows.mean(1, keepdim=True)
        inverse_std = ((centred * centred).mean(1, keepdim=True) + self.eps).rsqrt()
        normalized = (centred * inverse_std).reshape(x.shape)
        cache = LayerCache(normalized, inverse_std, self.gamma)
        return self._scale_and_shift(normalized), cache

    def backward(self, dy: Tensor, cache: LayerCache) -> Tensor:
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy, means over the units."""
        self._parameter_gradients(dy, cache.normalized)
        g = scale_and_shift(dy, cache.gamma, None).flatten(1)
        normalized = cache.normalized.flatten(1)
        mean_product = (g * normalized).mean(1, keepdim=True)
        centred = g - g.mean(1, keepdim=True) - normalized * mean_product
        return (centred * cache.inverse_std).reshape(dy.shape)

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """γ_i (δ_ij − 1/D − x̂_i x̂_j / D) / σ [D, D]."""
        centred = x_row - x_row.mean()
        inverse_std = ((centred * centred).mean() + self.eps).rsqrt()
        normalized = centred * inverse_std
        identity = torch.eye(len(x_row), dtype=x_row.dtype, device=x_row.device)
        projection = identity - (1 + torch.outer(normalized, normalized)) / len(x_row)
        jacobian = projection * inverse_std
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]
