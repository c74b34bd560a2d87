"""Layer normalization (Ba, Kiros & Hinton 2016)."""

from __future__ import annotations

from typing import Unpack

from bnviz.norms.base import NormLayers, Settings
from bnviz.norms.group import GroupNorm
from bnviz.norms.kernels import Kernels
from bnviz.norms.row_kernels import RowKernels


class LayerNorm(GroupNorm):
    """Each example is normalized over its units; the same in training and inference mode.

    y = γ (x − μ) / √(σ² + ε) + β, with μ and the biased σ² over the D units of one example, or
    over all of its feature maps and their positions: group normalization with one group.
    """

    name = "layer"
    stackable = True

    def __init__(self, width: int, **settings: Unpack[Settings]) -> None:
        """Set up for `width` units; the rest as in `Norm`."""
        super().__init__(width, groups=1, **settings)

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        """The fast training pass."""
        return RowKernels(layers, centre=cls.centres)
