"""Probe of saturated values and dead units."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.trace import unit_rows
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the share of saturated values and of dead units, on the probe set in training mode.

    Returns:
        `saturated`: [L], share of values: sigmoid below .05 or above .95, tanh beyond ±.9, ReLU 0.
        `dead`: [L], share of ReLU units whose output is 0 for the whole probe set.
    """
    layers, phi = context.probe_training.layers, context.network.activation
    saturated = [phi.saturated(layer.nonlinearity_input, layer.activation) for layer in layers]
    dead = [~unit_rows(layer.activation).any(dim=0) for layer in layers] if phi.can_die else []
    return as_floats(
        saturated=_shares(saturated), dead=_shares(dead) if dead else [0.0] * len(layers)
    )


def _shares(masks: list[Tensor]) -> np.ndarray:
    if masks[0].device.type == "cpu":
        counts = np.array([np.count_nonzero(mask.numpy()) for mask in masks])
    else:
        counts = torch.stack([mask.sum() for mask in masks]).cpu().numpy()
    return np.asarray(counts / masks[0].numel())
