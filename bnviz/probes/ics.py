"""Probe of internal covariate shift, defined by gradients (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.layered import Layered
from bnviz.networks.trace import LayerTrace
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# Maximum number of multiplications (half a second on one core). Large networks skip some layers.
AFFORDABLE = 7.5e9


def measure(context: ProbeContext) -> ProbeValues:
    """Measure how the update of the layers below changes each layer's gradient.

    Definition 2.1 of Santurkar et al. 2018: G is the gradient of a layer's weights on the next
    mini-batch in training mode. G′ is this gradient after the next update of the layers below and
    their norms only. The output layer is last. The result is empty for recurrent networks.

    Returns:
        `change`, `relative`: [L + 1], ‖G − G′‖₂ and ‖G − G′‖₂ ÷ ‖G‖₂; 0 in layer 1.
        `cosine`, `angle`: [L + 1], between G and G′; `angle` in degrees. All are NaN if a gradient
            is zero, and in layers that are skipped in large networks.
    """
    network, batch = context.network, context.batch
    if not isinstance(network, Layered):
        return {}
    updated = network.twin(context.next_flat).forward(batch[0], training=True).layers
    before = context.gradients.weights
    found = np.full((3, len(before)), np.nan)
    for index in _layers(context):
        moved = _gradient(network, batch, updated[:index]) if index else before[0]
        found[:, index] = compare(before[index], moved)
    change, relative, cosine = found
    angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
    return as_floats(change=change, relative=relative, cosine=cosine, angle=angle)


def compare(before: Tensor, after: Tensor) -> tuple[float, float, float]:
    """Return ‖G − G′‖₂, ‖G − G′‖₂ ÷ ‖G‖₂ and the cosine between G and G′, in float64."""
    before, after = before.double().flatten(), after.double().flatten()
    change, norm = (before - after).norm(), before.norm()
    product = torch.dot(before, after) / (norm * after.norm())
    return float(change), float(change / norm), float(product)


def _gradient(
    network: Layered, batch: tuple[Tensor, Tensor], below: Sequence[LayerTrace]
) -> Tensor:
    """Return the weight gradient of the layer directly above the layers `below`."""
    trace = network.forward(batch[0], training=True, known=below)
    return network.backward(trace, batch[1], lowest=len(below))[1].weights[0]


def _layers(context: ProbeContext) -> list[int]:
    """Return evenly spaced layers to measure, as many as `AFFORDABLE` allows."""
    config = context.config
    count = config.layer_count + 1
    # A forward and backward pass takes three multiplications per weight. The average layer needs
    # half a pass.
    cost = 1.5 * context.products * config.batch_size
    affordable = int(np.clip(AFFORDABLE // cost, 2, count))
    return sorted({round(place) for place in np.linspace(0, count - 1, affordable)})
