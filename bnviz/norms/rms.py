"""Root mean square normalization (Zhang & Sennrich 2019)."""

from __future__ import annotations

from typing import ClassVar

from bnviz.norms.base import Initial
from bnviz.norms.layer import LayerNorm


class RMSNorm(LayerNorm):
    """Each example is divided by the root mean square of its units; no mean is taken out, no shift.

    y = γ x / √(mean x² + ε), the same in training and inference mode. In a convolutional network
    the mean is over all feature maps of an example and their positions.
    """

    name = "rms"
    initial_parameters: ClassVar[Initial] = {"gamma": 1.0}
    centres = False
