"""What each norm has learned: its scales γ and its shifts β."""

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
    """The scale γ and the shift β of each layer's units, as they are learned.

    One that a norm does not learn is 1 or 0. Nothing in a network whose norm ends with neither, and
    in a recurrent one, whose two norms at every time step share their γ. A feature map is a unit.

    Returns:
        `gamma`, `beta` float32 [L, 3]: the 10th, 50th and 90th percentile of all units,
        interpolated linearly, NaN where one is not finite;
        `gamma_unit`, `beta_unit` float32 [L, 8]: of the units `axis.units`.
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
