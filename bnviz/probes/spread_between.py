"""How much what a layer gives out differs from one example to the next."""

from __future__ import annotations

import numpy as np

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """How much each layer's outputs differ between examples.

    On the probe set, in training mode; in a convolution every place of every example is a sample.

    Returns:
        `spread` float32 [L]: the standard deviation of a unit's outputs, the median of all units.
    """
    outputs = (unit_rows(layer.output).cpu().numpy() for layer in context.probe_training.layers)
    with np.errstate(all="ignore"):
        return {"spread": as_float32([np.median(rows.std(axis=0)) for rows in outputs])}
