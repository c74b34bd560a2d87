"""The single layer of E3: its fixed numbers. Imports no torch: a lesson's widget uses the same.

x̂ = u + b − E[u + b] under a fixed readout and cross-entropy; only b learns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnviz.claims.random_numbers import random_numbers

EXAMPLES, UNITS, CLASSES = 60, 20, 10
STEPS, RATE = 500, 0.1


class SingleLayer(NamedTuple):
    """The fixed numbers of the layer.

    Attributes:
        inputs: u [N, D].
        readout: by which the logits are made of x̂ [D, C].
        labels: the classes [N].
    """

    inputs: np.ndarray
    readout: np.ndarray
    labels: np.ndarray


def single_layer(seed: int) -> SingleLayer:
    """The fixed numbers under a seed: standard normal, float64."""
    generator = random_numbers(seed, 3)
    inputs = generator.standard_normal((EXAMPLES, UNITS))
    readout = generator.standard_normal((UNITS, CLASSES))
    return SingleLayer(inputs, readout, generator.integers(CLASSES, size=EXAMPLES))
