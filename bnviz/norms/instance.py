"""Instance normalization (Ulyanov, Vedaldi & Lempitsky 2016)."""

from __future__ import annotations

from typing import Unpack

from bnviz.norms.base import Settings
from bnviz.norms.group import GroupNorm


class InstanceNorm(GroupNorm):
    """Each feature map of each example is normalized over its positions, in either mode.

    y = γ (x − μ) / √(σ² + ε) + β, with μ and the biased σ² over the H·W positions of one feature
    map [N, C, H, W] in one example: group normalization with as many groups as maps. Undefined for
    units [N, D] and for maps of a single position, which have no spread of their own.
    """

    name = "instance"

    def __init__(self, width: int, **settings: Unpack[Settings]) -> None:
        """Set up for `width` feature maps; the rest as in `Norm`."""
        super().__init__(width, groups=width, **settings)
