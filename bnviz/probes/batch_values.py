"""What single units make of the examples of one mini-batch."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.axis import BATCH_VALUES, units
from bnviz.probes.context import ProbeContext, as_float32, stack
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """What eight units of each layer give their nonlinearity for the examples of one mini-batch.

    Of the mini-batch about to be used, in training mode: with batch normalization two examples come
    out at β ± γ, whatever went in. A smaller mini-batch is gone through again until there are 24
    values; of a larger one 24 are taken, evenly spaced. Of a convolution a feature map is a unit,
    and each of its places in each example a value.

    Returns:
        `values` float32 [L, 8, 24], of the units `axis.units`.
    """
    inputs = [layer.nonlinearity_input for layer in context.batch_trace.layers]
    return {"values": of_units(inputs, BATCH_VALUES)}


def of_units(layers: list[Tensor], most: int) -> np.ndarray:
    """The values of each layer's eight units: float32 [L, 8, most]."""
    values = stack([unit_rows(layer) for layer in layers])
    chosen = values[:, chosen_rows(values.shape[1], most)][:, :, units(values.shape[2])]
    return as_float32(chosen.transpose(0, 2, 1))


def chosen_rows(count: int, most: int = BATCH_VALUES) -> np.ndarray:
    """Which of so many values are given out, int64 [most]."""
    if count <= most:
        return np.arange(most) % count
    return np.linspace(0, count - 1, most).round().astype(np.int64)
