"""Values of units for the eight images that pages show: of one unit, and how far all are apart."""

from __future__ import annotations

import numpy as np

from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

# The unit whose values are shown, from 0.
UNIT = 0


def measure(context: ProbeContext) -> ProbeValues:
    """Input of the nonlinearity of the first unit of each layer, for the images `Data.shown`.

    The values are part of the layer's histogram: they come from the same pass, in training mode, so
    batch normalization has used the histogram's own batch statistics.

    Returns:
        `value` float32 [L, 8];
        `spread` float32 [L]: how far the eight values of a unit are apart, as a share of the
        largest magnitude among them: the largest share of all units.
        Nothing where the data are no images, and of a convolution, whose units have a value at
        every place of an image.
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
