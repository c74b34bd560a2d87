"""Instance normalization (Ulyanov, Vedaldi & Lempitsky 2016)."""

from __future__ import annotations

from typing import Unpack

from bnviz.norms.base import NormOptions
from bnviz.norms.group import GroupNorm


class InstanceNorm(GroupNorm):
    """Normalization of each feature map of each example over its H·W positions.

    It is group normalization with one group per map. It is undefined for [N, D], and if H·W is 1.
    """

    name = "instance"

    def __init__(self, width: int, **settings: Unpack[NormOptions]) -> None:
        super().__init__(width, groups=width, **settings)
