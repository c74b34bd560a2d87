"""Probe of how much each layer's outputs vary between examples."""

from __future__ import annotations

import numpy as np

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Return `spread` [L], the median standard deviation of a unit's outputs on the probe set."""
    outputs = (unit_rows(layer.output).cpu().numpy() for layer in context.probe_training.layers)
    with np.errstate(all="ignore"):
        return {"spread": as_float32([np.median(rows.std(axis=0)) for rows in outputs])}
