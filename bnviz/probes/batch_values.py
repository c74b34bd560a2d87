"""Probe of the values of single units for the examples of one mini-batch."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.axis import BATCH_VALUES, units
from bnviz.probes.context import ProbeContext, as_float32, stack
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Return `values`, float32 [L, 8, 24]: nonlinearity inputs of the units `axis.units`.

    The values are from the next mini-batch in training mode. If it has fewer than 24 values, they
    are repeated. If it has more, 24 evenly spaced values are taken. With batch normalization, a
    mini-batch of two examples gives β ± γ, whatever the inputs.
    """
    inputs = [layer.nonlinearity_input for layer in context.batch_trace.layers]
    return {"values": of_units(inputs, BATCH_VALUES)}


def of_units(layers: list[Tensor], most: int) -> np.ndarray:
    """Return the values of eight units of each layer, float32 [L, 8, most]."""
    values = stack([unit_rows(layer) for layer in layers])
    chosen = values[:, chosen_rows(values.shape[1], most)][:, :, units(values.shape[2])]
    return as_float32(chosen.transpose(0, 2, 1))


def chosen_rows(count: int, most: int = BATCH_VALUES) -> np.ndarray:
    """Return the indices of the reported values, repeated or evenly spaced, int64 [most]."""
    if count <= most:
        return np.arange(most) % count
    return np.linspace(0, count - 1, most).round().astype(np.int64)
