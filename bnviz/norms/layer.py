"""Layer normalization (Ba, Kiros & Hinton 2016)."""

from __future__ import annotations

from typing import Unpack

from bnviz.norms.base import NormLayers, NormOptions
from bnviz.norms.group import GroupNorm
from bnviz.norms.kernels import Kernels
from bnviz.norms.row_kernels import RowKernels


class LayerNorm(GroupNorm):
    """Normalization of each example over its units; group normalization with one group."""

    name = "layer"
    stackable = True

    def __init__(self, width: int, **settings: Unpack[NormOptions]) -> None:
        super().__init__(width, groups=1, **settings)

    @classmethod
    def kernels(cls, layers: NormLayers) -> Kernels:
        return RowKernels(layers, centre=cls.centres)
