"""Probe of the 15th, 50th and 85th percentiles (Ioffe & Szegedy 2015, Fig. 1)."""

from __future__ import annotations

import numpy as np

from bnviz.probes.axis import PERCENTILES, units
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.probes.sorting import sorted_quantiles
from bnviz.records import ProbeValues

LEVELS = np.array(PERCENTILES) / 100


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the 15th, 50th and 85th percentiles of nonlinearity inputs, by unit and by layer.

    The probe set is used in training mode. Percentiles are NaN if an input is NaN.

    Returns:
        `unit`: [L, 8, 3], for the units `axis.units`. `layer`: [L, 3], over all units.
    """
    inputs = context.nonlinearity_inputs
    chosen = np.sort(inputs[:, :, units(inputs.shape[2])], axis=1).transpose(0, 2, 1)
    return as_floats(
        unit=sorted_quantiles(chosen, LEVELS), layer=context.distribution_after.quantiles(LEVELS)
    )
