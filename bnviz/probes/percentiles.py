"""The 15th, 50th and 85th percentile, as in Ioffe & Szegedy 2015, Fig. 1."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import PERCENTILES, units
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import sorted_quantiles
from bnviz.records import ProbeValues

LEVELS = np.array(PERCENTILES) / 100


def measure(context: ProbeContext) -> ProbeValues:
    """The 15th, 50th and 85th percentile of the nonlinearity's input, by unit and layer.

    In training mode, interpolated linearly. NaN where an input is NaN. Of a convolution a feature
    map is a unit, with all its places; in a recurrent network every time step is a layer.

    Returns:
        `unit` float32 [L, 8, 3]: of the units `axis.units` of each layer, over the probe set;
        `layer` float32 [L, 3]: of all units together.
    """
    inputs = context.nonlinearity_inputs
    chosen = np.sort(inputs[:, :, units(inputs.shape[2])], axis=1).transpose(0, 2, 1)
    return as_floats(
        unit=sorted_quantiles(chosen, LEVELS), layer=context.distribution_after.quantiles(LEVELS)
    )
