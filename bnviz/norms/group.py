"""Group normalization (Wu & He 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Unpack

import torch
from torch import Tensor

from bnviz.norms.axes import scale_and_shift
from bnviz.norms.base import SCALE_AND_SHIFT, Norm, NormOptions


@dataclass(frozen=True)
class GroupCache:
    """x̂ with the shape of x, and 1/σ per example and group [N, G, 1]."""

    normalized: Tensor
    inverse_std: Tensor


class GroupNorm(Norm):
    """Normalization of each example within groups of units, in training and inference alike.

    y = γ (x − μ) / √(σ² + ε) + β. Each group of neighbouring units (or feature maps with all their
    positions) has one μ and biased σ² per example. γ and β are per unit or map. One group gives
    layer normalization, and one group per feature map gives instance normalization.

    If `centres` is False, μ is 0 and σ² is the mean square.
    """

    name = "group"
    initial_parameters = SCALE_AND_SHIFT
    centres: ClassVar[bool] = True

    def __init__(self, width: int, *, groups: int = 4, **settings: Unpack[NormOptions]) -> None:
        """Set up for `groups` groups of equal size, with two or more values each."""
        super().__init__(width, **settings)
        self.groups = groups

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, GroupCache]:
        rows, inverse_std = self._normalized(self._rows(x))
        normalized = rows.reshape(x.shape)
        return self._scale_and_shift(normalized), GroupCache(normalized, inverse_std)

    def backward(self, dy: Tensor, cache: GroupCache) -> Tensor:
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy and means per group."""
        self._parameter_gradients(dy, cache.normalized)
        g = self._rows(scale_and_shift(dy, self.gamma, None))
        normalized = self._rows(cache.normalized)
        mean_product = (g * normalized).mean(2, keepdim=True)
        centred = g - g.mean(2, keepdim=True) if self.centres else g
        return ((centred - normalized * mean_product) * cache.inverse_std).reshape(dy.shape)

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """γ_i (δ_ij − 1/k − x̂_i x̂_j / k) / σ within a group of k units, and 0 between groups."""
        rows = x_row.reshape(1, self.groups, -1)
        normalized, inverse_std = (of_one[0] for of_one in self._normalized(rows))
        size = normalized.shape[1]
        identity = torch.eye(size, dtype=x_row.dtype, device=x_row.device)
        outer = normalized[:, :, None] * normalized[:, None, :]
        blocks = (identity - (self.centres + outer) / size) * inverse_std[:, :, None]
        jacobian = torch.block_diag(*blocks)
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]

    def _normalized(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """Return x̂ [N, G, k] and 1/σ [N, G, 1] per example and group."""
        centred = rows - rows.mean(2, keepdim=True) if self.centres else rows
        inverse_std = ((centred * centred).mean(2, keepdim=True) + self.eps).rsqrt()
        return centred * inverse_std, inverse_std

    def _rows(self, x: Tensor) -> Tensor:
        return x.reshape(len(x), self.groups, -1)
