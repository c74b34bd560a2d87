"""Internal covariate shift as Santurkar et al. 2018 define it: by gradients."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.layered import Layered
from bnviz.networks.trace import LayerTrace
from bnviz.probes.context import ProbeContext, as_floats
from bnviz.records import ProbeValues

# A measurement may take this many multiplications; networks too large for it are measured at fewer
# layers (half a second on one core).
AFFORDABLE = 7.5e9


def measure(context: ProbeContext) -> ProbeValues:
    """How the update of the layers below changes each layer's gradient (Santurkar et al. 2018).

    Definition 2.1: G is the gradient by a layer's weights on the mini-batch about to be used, in
    training mode; G′ the same after the layers below, norms included, have been given the
    optimizer's next update while this layer and those above have not. The output layer stands last.

    Returns:
        float32 [L + 1] each: `change`, ‖G − G′‖₂; `relative`, that ÷ ‖G‖₂; `cosine`, of the angle
        between G and G′; `angle`, in degrees. In layer 1, below which there is nothing, 0, 0, 1
        and 0. NaN where a gradient
        is zero, and in large networks in the layers that were left out. Nothing for a recurrent
        network, whose time steps share their weights.
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
    """‖G − G′‖₂, that relative to ‖G‖₂, and the cosine between both, in float64."""
    before, after = before.double().flatten(), after.double().flatten()
    change, norm = (before - after).norm(), before.norm()
    product = torch.dot(before, after) / (norm * after.norm())
    return float(change), float(change / norm), float(product)


def _gradient(
    network: Layered, batch: tuple[Tensor, Tensor], below: Sequence[LayerTrace]
) -> Tensor:
    """The gradient by the weights of the layer above those whose values are given."""
    trace = network.forward(batch[0], training=True, known=below)
    return network.backward(trace, batch[1], lowest=len(below))[1].weights[0]


def _layers(context: ProbeContext) -> list[int]:
    """The layers that are measured: all that can be afforded, evenly spaced."""
    config = context.config
    count = config.layer_count + 1
    # A pass costs three multiplications a weight; the mean layer needs half a pass.
    cost = 1.5 * context.products * config.batch_size
    affordable = int(np.clip(AFFORDABLE // cost, 2, count))
    return sorted({round(place) for place in np.linspace(0, count - 1, affordable)})
