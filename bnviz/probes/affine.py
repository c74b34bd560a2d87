"""Probe of the learned scale γ and shift β of each layer."""

from __future__ import annotations

import numpy as np

from bnviz.norms import NORMS
from bnviz.norms.base import SCALE_AND_SHIFT
from bnviz.probes.axis import units
from bnviz.probes.context import ProbeContext, as_float32, stack
from bnviz.probes.sorting import sorted_quantiles
from bnviz.records import ProbeValues

PERCENTILES = (10, 50, 90)
LEVELS = np.array(PERCENTILES) / 100


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the scale γ and shift β of each layer's units. A missing γ is 1, a missing β is 0.

    The result is empty for norms without γ and β, and for recurrent networks, whose norms share γ.

    Returns:
        `gamma`, `beta`: [L, 3], 10th, 50th and 90th percentiles over units; NaN if not finite.
        `gamma_unit`, `beta_unit`: [L, 8], values of the units `axis.units`.
    """
    if not NORMS[context.norm].affine or context.config.network == "recurrent":
        return {}
    found = {}
    for name in SCALE_AND_SHIFT:
        rows = stack([norm.scale_or_shift(name).double() for norm in context.network.norms])
        ordered = np.sort(np.where(np.isfinite(rows), rows, np.nan), axis=1)
        found[name] = as_float32(sorted_quantiles(ordered, LEVELS))
        found[f"{name}_unit"] = as_float32(rows[:, units(rows.shape[1])])
    return found
