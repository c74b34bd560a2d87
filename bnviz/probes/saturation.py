"""Where a nonlinearity no longer passes a gradient on."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The share of units and examples in the flat part of the nonlinearity, and of dead units.

    Over the probe set (of a convolution, with all places), in training mode. Flat: sigmoid below
    .05 or above .95, tanh beyond ±.9, ReLU at zero. Dead: a ReLU unit, or feature map, that is zero
    on the whole probe set.

    Returns:
        `saturated` float32 [L]: share of units × examples;
        `dead` float32 [L]: share of units.
    """
    layers, phi = context.probe_training.layers, context.network.activation
    saturated = [
        _share(phi.saturated(layer.nonlinearity_input, layer.activation)) for layer in layers
    ]
    if phi.can_die:
        dead = [_share(~unit_rows(layer.activation).any(dim=0)) for layer in layers]
    else:
        dead = [0.0] * len(layers)
    return as_floats(saturated=saturated, dead=dead)


def _share(mask: Tensor) -> float:
    return np.count_nonzero(mask.cpu().numpy()) / mask.numel()
