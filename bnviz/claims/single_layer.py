"""Constants of the single layer of E3. Pages use this module without torch.

x̂ = u + b − E[u + b] with a fixed readout and cross-entropy. Only b is trained.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnviz.claims.random_numbers import random_numbers

EXAMPLES, UNITS, CLASSES = 60, 20, 10
STEPS, RATE = 500, 0.1


class SingleLayer(NamedTuple):
    """Fixed inputs u [N, D], readout from x̂ to logits [D, C], and labels [N]."""

    inputs: np.ndarray
    readout: np.ndarray
    labels: np.ndarray


def single_layer(seed: int) -> SingleLayer:
    generator = random_numbers(seed, 3)
    inputs = generator.standard_normal((EXAMPLES, UNITS))
    readout = generator.standard_normal((UNITS, CLASSES))
    return SingleLayer(inputs, readout, generator.integers(CLASSES, size=EXAMPLES))
