"""How large each layer's weights and biases are, and how fast the weights turn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from bnviz.networks.base import Network
from bnviz.probes.context import ProbeContext, as_float32
from bnviz.records import ProbeValues


def measure(context: ProbeContext) -> ProbeValues:
    """The norm of each layer's weights, its effective learning rate, and its next update.

    The effective rate is that of gradient descent, η/((1 − β)‖W‖²) with heavy-ball momentum β:
    where a norm makes a layer's output independent of the scale of its weights, they turn at this
    rate, and it falls by itself as they grow (van Laarhoven 2017; in the long run each gradient
    moves the weights 1/(1 − β) times). Adam's steps keep their length when gradients shrink, so it
    has no such rate: there weights twice as large turn half as far, which the update ratio says.
    The output layer stands last. A recurrent network's time steps share their weights, W_h and W_x,
    and every row shows both together.

    Returns:
        `norm` float32 [L + 1]: ‖W‖_F;
        `effective_rate` float32 [L + 1]: learning rate ÷ (1 − β) ÷ ‖W‖_F²; NaN for Adam;
        `update_ratio` float32 [L + 1]: ‖ΔW‖_F ÷ ‖W‖_F of the next update, momentum and weight
        decay included; 0 where the network takes no step;
        `bias` float32 [L + 1]: ‖b‖₂, 0 for layers without a bias.
    """
    network = context.network
    rows, present = weight_names(network), network.parameters()
    norms, change = _norms(rows, present), np.zeros(len(rows))
    if context.next_flat is not None:
        after = network.views(context.next_flat - network.flat)
        change = _norms(rows, after)
    config = context.config
    lasting = 1 / (1 - config.momentum) if config.optimizer == "sgd" else np.nan
    with np.errstate(all="ignore"):
        return {
            "norm": as_float32(norms),
            "effective_rate": as_float32(lasting * context.learning_rate / norms**2),
            "update_ratio": as_float32(change / norms),
            "bias": as_float32(_biases(network)),
        }


def weight_names(network: Network) -> list[tuple[str, ...]]:
    """The names of every layer's weight matrices, then of the output's; [L + 1] of them."""
    *groups, output = network.names
    names = [f"{group}.weight" for group in groups]
    shared = tuple(groups) != network.layer_names
    rows = [tuple(names)] * len(network.layer_names) if shared else [(name,) for name in names]
    return [*rows, (f"{output}.weight",)]


def _biases(network: Network) -> np.ndarray:
    """Euclidean norm of each layer's bias, then of the output's, float64 [L + 1]."""
    present = network.parameters()
    *groups, output = network.names
    own = tuple(groups) == network.layer_names
    names = [f"{name}.bias" if own else "bias" for name in network.layer_names]
    found = [present.get(name) for name in (*names, f"{output}.bias")]
    return np.array([0.0 if bias is None else float(bias.double().norm()) for bias in found])


def _norms(rows: list[tuple[str, ...]], views: Mapping[str, Tensor]) -> np.ndarray:
    """Euclidean norm of each row's matrices together, float64 [L + 1]."""
    norms = {
        name: torch.linalg.vector_norm(views[name], dtype=torch.float64)
        for name in {name for row in rows for name in row}
    }
    totals = [torch.stack([norms[name] for name in row]).norm() for row in rows]
    return np.asarray(torch.stack(totals).cpu().numpy())
