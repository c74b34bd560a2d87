"""Probe of unit values for the eight images that pages show."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

# Index of the unit whose values are shown in each layer.
UNIT = 0


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the nonlinearity input of each layer's first unit for the images `Data.shown`.

    The values are from the same forward pass as the histogram, with its batch statistics. The
    result is empty if the data are not images, and for convolutions, whose units have a value at
    each position.

    Returns:
        `value`: [L, 8].
        `spread`: [L], range of a unit's eight values ÷ their largest magnitude; maximum over units.
    """
    shown, values = context.data.shown, context.nonlinearity_inputs  # values [L, P, H]
    examples = len(context.probe_inputs)
    if not len(shown) or values.shape[1] != examples or shown.max() >= examples:
        return {}
    chosen = values[:, shown]  # [L, 8, H]
    with np.errstate(all="ignore"):
        shares = np.ptp(chosen, axis=1) / np.abs(chosen).max(axis=1)
    spread = np.where(np.isnan(shares), 0, shares).max(axis=1)
    spread[~np.isfinite(chosen).all(axis=(1, 2))] = np.nan
    return {"value": as_float32(chosen[:, :, UNIT]), "spread": as_float32(spread)}
