"""Where a nonlinearity no longer passes a gradient on."""

from __future__ import annotations

import numpy as np
import torch

from bnviz.probes.context import ProbeContext, stack
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The share of units and examples in the flat part of the nonlinearity, and of dead units.

    Over the probe set, in training mode. Flat: sigmoid below .05 or above .95, tanh beyond ±.9,
    ReLU at zero. Dead: a ReLU unit that is zero on the whole probe set.

    Returns:
        `saturated` float32 [L]: share of units × examples;
        `dead` float32 [L]: share of units.
    """
    layers = context.probe_training.layers
    flat = [
        context.activation.saturated(layer.nonlinearity_input, layer.activation) for layer in layers
    ]
    if context.activation.can_die:
        dead = (stack([layer.activation for layer in layers]) == 0).all(axis=1).mean(axis=1)
    else:
        dead = np.zeros(len(layers))
    saturated = torch.stack([mask.mean(dtype=torch.float32) for mask in flat]).cpu().numpy()
    return {"saturated": saturated, "dead": dead.astype(np.float32)}
