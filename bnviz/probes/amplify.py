"""What becomes of a small change of the lowest weights on its way up."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.layered import Layered
from bnviz.networks.trace import Trace, unit_rows
from bnviz.pieces import Pieces
from bnviz.probes.context import PROBE_STREAM, ProbeContext, as_floats
from bnviz.records import ProbeValues

# The length of the change, by that of the weights.
SHARE = 0.01
# Among the probes' choices, the direction of the change.
DIRECTION = 12


def measure(context: ProbeContext) -> Pieces[ProbeValues]:
    """How a small random change of layer 1's weights grows from layer to layer.

    W becomes W + ΔW, where ‖ΔW‖ = .01 ‖W‖ (Frobenius), in a random direction that is the same at
    every step and, for weights of one shape, in every network of a run. Both networks pass the
    probe set in training mode. v is what the nonlinearity of a layer gets, less each unit's mean
    over the examples (and places): the change of a layer is ‖v′ − v‖ ÷ ‖v‖ over all examples and
    units. Whether small changes grow is what normalization was said to prevent (Ioffe & Szegedy
    2015, §1). Nothing in a recurrent network, which has one matrix for all time steps.

    Returns:
        `change` float32 [L]: that change of each layer;
        `amplified` float32 [L]: the same ÷ that of layer 1. NaN where it is not finite.
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
    """The network's parameters, laid out as its `flat`, with those of layer 1 changed."""
    flat = network.flat.clone()
    weight = network.views(flat)[f"{network.layer_names[0]}.weight"]
    generator = np.random.default_rng([seed, PROBE_STREAM, DIRECTION])
    direction = torch.from_numpy(generator.standard_normal(tuple(weight.shape))).to(weight)
    length = torch.linalg.vector_norm(weight, dtype=torch.float64)
    weight.add_(direction, alpha=float(SHARE * length / torch.linalg.vector_norm(direction)))
    return flat


def _change(before: Tensor, after: Tensor) -> float:
    """‖v′ − v‖ ÷ ‖v‖ of what deviates from each unit's mean; NaN where it is not finite."""
    one, other = (_deviations(values) for values in (before, after))
    found = float(torch.linalg.vector_norm(other - one) / torch.linalg.vector_norm(one))
    return found if np.isfinite(found) else np.nan


def _deviations(values: Tensor) -> Tensor:
    """Values less each unit's mean, float64 [n, H]."""
    rows = unit_rows(values).double()
    return rows - rows.mean(dim=0)
