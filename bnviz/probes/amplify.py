"""Probe of how a small change of the weights of layer 1 grows from layer to layer."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.layered import Layered
from bnviz.networks.trace import Trace, unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.context import PROBE_STREAM, ProbeContext, as_floats
from bnviz.records import ProbeValues

# Length of the weight change, relative to the length of the weights.
SHARE = 0.01
# Number of the random stream for the direction of the change, within `PROBE_STREAM`.
DIRECTION = 12


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """Measure how a small random change of layer 1's weights grows from layer to layer.

    W becomes W + ΔW with ‖ΔW‖ = .01 ‖W‖ (Frobenius), in the same random direction at every step and
    in every network with W of this shape. Let v be a layer's nonlinearity input on the probe set in
    training mode, minus each unit's mean. The change of the layer is ‖v′ − v‖ ÷ ‖v‖. Normalization
    was said to prevent the growth of small changes (Ioffe & Szegedy 2015, §1). The result is empty
    for recurrent networks.

    Returns:
        `change`: [L], change of each layer; NaN if not finite.
        `amplified`: [L], change of each layer ÷ change of layer 1.
    """
    network = context.network
    if not isinstance(network, Layered):
        return {}
    before: Trace = yield from context.compute_pass("probe_training")
    changed = network.twin(changed_weights(network, context.config.seed))
    after = yield from changed.forward_in_pieces(context.probe_inputs, training=True)
    changes = []
    for one, other in zip(before.layers, after.layers, strict=True):
        changes.append(_change(one.nonlinearity_input, other.nonlinearity_input))
        yield
    found = np.array(changes)
    with np.errstate(all="ignore"):
        return as_floats(change=found, amplified=found / found[0])


def changed_weights(network: Layered, seed: int) -> Tensor:
    """Return a copy of the network's `flat` with changed weights in layer 1."""
    flat = network.flat.clone()
    weight = network.views(flat)[f"{network.layer_names[0]}.weight"]
    generator = np.random.default_rng([seed, PROBE_STREAM, DIRECTION])
    direction = torch.from_numpy(generator.standard_normal(tuple(weight.shape))).to(weight)
    length = torch.linalg.vector_norm(weight, dtype=torch.float64)
    weight.add_(direction, alpha=float(SHARE * length / torch.linalg.vector_norm(direction)))
    return flat


def _change(before: Tensor, after: Tensor) -> float:
    """Return ‖v′ − v‖ ÷ ‖v‖ of the deviations from each unit's mean, or NaN if not finite."""
    one, other = (_deviations(values) for values in (before, after))
    found = float(torch.linalg.vector_norm(other - one) / torch.linalg.vector_norm(one))
    return found if np.isfinite(found) else np.nan


def _deviations(values: Tensor) -> Tensor:
    rows = unit_rows(values).double()
    return rows - rows.mean(dim=0)
