"""Group normalization (Wu & He 2018)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Unpack

import torch
from torch import Tensor

from bnviz.norms.axes import scale_and_shift
from bnviz.norms.base import SCALE_AND_SHIFT, Norm, Settings


@dataclass(frozen=True)
class GroupCache:
    """x̂, the shape of x; 1/σ of each group of each example [N, G, 1]."""

    normalized: Tensor
    inverse_std: Tensor


class GroupNorm(Norm):
    """Each example is normalized within groups of units; the same in training and inference mode.

    y = γ (x − μ) / √(σ² + ε) + β, with μ and the biased σ² over the neighbouring units (or feature
    maps and all their positions) of one group in one example; γ and β are one a unit or map. One
    group is layer normalization; as many groups as feature maps is instance normalization.

    Attributes:
        centres: whether μ is subtracted and σ² measured around it; otherwise both are taken
            around 0.
    """

    name = "group"
    initial_parameters = SCALE_AND_SHIFT
    centres: ClassVar[bool] = True

    def __init__(self, width: int, *, groups: int = 4, **settings: Unpack[Settings]) -> None:
        """Set up for `groups` groups, a divisor of the units; the rest as in `Norm`.

        `bnviz.checks` refuses groups of a single value, which have no spread.
        """
        super().__init__(width, **settings)
        self.groups = groups

    def forward(self, x: Tensor, *, training: bool) -> tuple[Tensor, GroupCache]:
        """Normalize each group of each example."""
        rows, inverse_std = self._normalized(self._rows(x))
        normalized = rows.reshape(x.shape)
        return self._scale_and_shift(normalized), GroupCache(normalized, inverse_std)

    def backward(self, dy: Tensor, cache: GroupCache) -> Tensor:
        """dx = (g − mean g − x̂ · mean(g · x̂)) / σ with g = γ dy, means over each group."""
        self._parameter_gradients(dy, cache.normalized)
        g = self._rows(scale_and_shift(dy, self.gamma, None))
        normalized = self._rows(cache.normalized)
        mean_product = (g * normalized).mean(2, keepdim=True)
        centred = g - g.mean(2, keepdim=True) if self.centres else g
        return ((centred - normalized * mean_product) * cache.inverse_std).reshape(dy.shape)

    def inference_jacobian(self, x_row: Tensor) -> Tensor:
        """γ_i (δ_ij − 1/k − x̂_i x̂_j / k) / σ within each group of k units, 0 between them."""
        rows = x_row.reshape(1, self.groups, -1)
        normalized, inverse_std = (of_one[0] for of_one in self._normalized(rows))
        size = normalized.shape[1]
        identity = torch.eye(size, dtype=x_row.dtype, device=x_row.device)
        outer = normalized[:, :, None] * normalized[:, None, :]
        blocks = (identity - (self.centres + outer) / size) * inverse_std[:, :, None]
        jacobian = torch.block_diag(*blocks)
        return jacobian if self.gamma is None else jacobian * self.gamma[:, None]

    def _normalized(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """x̂ of each group of each example [N, G, k], and its 1/σ [N, G, 1]."""
        centred = rows - rows.mean(2, keepdim=True) if self.centres else rows
        inverse_std = ((centred * centred).mean(2, keepdim=True) + self.eps).rsqrt()
        return centred * inverse_std, inverse_std

    def _rows(self, x: Tensor) -> Tensor:
        return x.reshape(len(x), self.groups, -1)
