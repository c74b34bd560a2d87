"""Root mean square normalization (Zhang & Sennrich 2019)."""

from __future__ import annotations

from typing import ClassVar

from bnviz.norms.base import Initial
from bnviz.norms.layer import LayerNorm


class RMSNorm(LayerNorm):
    """Division of each example by its RMS: y = γ x / √(mean x² + ε), without mean or shift."""

    name = "rms"
    initial_parameters: ClassVar[Initial] = {"gamma": 1.0}
    centres = False
