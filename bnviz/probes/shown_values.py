"""Values of one unit of each layer for the eight images that pages show."""

from __future__ import annotations

from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues

# The unit whose values are shown, from 0.
UNIT = 0


def measure(context: ProbeContext) -> ProbeValues:
    """Input of the nonlinearity of the first unit of each layer, for the images `Data.shown`.

    The values are part of the layer's histogram: they come from the same pass, in training mode, so
    batch normalization has used the histogram's own batch statistics.

    Returns:
        `value` float32 [L, 8]. Nothing where the data are no images, and of a convolution, whose
        units have a value at every place of an image.
    """
    shown, values = context.data.shown, context.nonlinearity_inputs  # values [L, P, H]
    examples = len(context.probe_inputs)
    if not len(shown) or values.shape[1] != examples or shown.max() >= examples:
        return {}
    return {"value": as_float32(values[:, shown, UNIT])}
