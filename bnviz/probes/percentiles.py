"""The 15th, 50th and 85th percentile, as in Ioffe & Szegedy 2015, Fig. 1."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import PERCENTILES, units
from bnviz.probes.context import ProbeContext
from bnviz.probes.order import quantiles
from bnviz.records import ProbeValues

LEVELS = np.array(PERCENTILES) / 100


def measure(context: ProbeContext) -> ProbeValues:
    """The 15th, 50th and 85th percentile of the nonlinearity's input, by unit and layer.

    Over the probe set, in training mode, interpolated linearly. NaN where an input is NaN.

    Returns:
        `unit` float32 [L, 8, 3]: of the units `axis.units` of each layer;
        `layer` float32 [L, 3]: of all units together.
    """
    inputs = context.nonlinearity_inputs
    layers, examples, width = inputs.shape
    chosen = inputs[:, :, units(width)].transpose(0, 2, 1).reshape(-1, examples)
    return {
        "unit": quantiles(chosen, LEVELS).reshape(layers, -1, len(LEVELS)).astype(np.float32),
        "layer": quantiles(inputs.reshape(layers, -1), LEVELS).astype(np.float32),
    }
