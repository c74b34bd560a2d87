"""Probe of the size of each layer's weights and biases, and of the rotation of weights per step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.base import Network
from bnviz.probes.context import Memory, ProbeContext, as_floats
from bnviz.records import ProbeValues

# Maximum number of measured steps over which the root mean square of the angle is computed.
TURNS = 100
# Relative change of a layer's weight norm above which the layer's earlier angles are dropped.
ANOTHER_SIZE = 0.1
STEPS, SQUARES, SIZES, RULE = (
    f"weights.turn_{name}" for name in ("steps", "squares", "norm", "by")
)


def measure(context: ProbeContext) -> ProbeValues:
    """Measure the norm of each layer's weights, its effective learning rate, and its next update.

    The effective rate is η/((1 − β)‖W‖²) for gradient descent with heavy-ball momentum β. If a norm
    makes a layer's output independent of the scale of its weights, they rotate at this rate, which
    falls as they grow (van Laarhoven 2017). Adam has no such rate, because its steps stay equally
    long when gradients shrink.

    If a norm follows a layer, the gradient is orthogonal to the weights and lengthens them, while
    decay shortens them. In equilibrium the root mean square of the angle per step is about √(2ηλ/(1
    + β)) (Wan et al. 2021). Derivation for w′ = w + d, d = βd₋ − η(g + λw), previous update d₋, and
    g·w = 0, with D and W the means of ‖d‖² and ‖w‖²: a constant W means w·d = −D/2, so w·d₋ = D/2,
    so −D/2 = βD/2 − ηλW, so D/W = 2ηλ/(1 + β).

    The root mean square is over the last hundred measured steps with the same rates, momentum,
    decay and batch size. It begins again after the weights of a layer were multiplied.

    Rates include the factor of the parameter group. The output layer is last. In a recurrent
    network every row is the shared weights W_h and W_x together.

    Returns:
        `norm`, `bias`: [L + 1], ‖W‖_F, and ‖b‖₂ (0 without a bias).
        `effective_rate`: [L + 1], learning rate ÷ (1 − β) ÷ ‖W‖_F²; NaN for Adam.
        `update_ratio`: [L + 1], ‖ΔW‖_F ÷ ‖W‖_F of the next update; 0 if no step is taken.
        `turned`: [L + 1], root mean square angle per step in radians; NaN if no step is taken.
        `settled`: [L + 1], √(2ηλ/(1 + β)); NaN for the output, for Adam and without decay.
    """
    network = context.network
    rows, present = weight_names(network), network.parameters()
    norms, change = _norms(rows, present), np.zeros(len(rows))
    turned = np.full(len(rows), np.nan)
    if context.takes_step:
        after = network.views(context.next_flat - network.flat)
        change = _norms(rows, after)
        angles = _angles(rows, present, network.views(context.next_flat))
        turned = _over_steps(context, angles, norms)
    config = context.config
    lasting = 1 / (1 - config.momentum) if config.optimizer == "sgd" else np.nan
    rates = _rates(context, len(rows))
    with np.errstate(all="ignore"):
        return as_floats(
            norm=norms,
            effective_rate=lasting * rates / norms**2,
            update_ratio=change / norms,
            turned=turned,
            settled=_settled(config, rates),
            bias=_biases(network),
        )


def _rates(context: ProbeContext, rows: int) -> np.ndarray:
    found = np.full(rows, context.learning_rate)
    found[:-1] *= context.factors["weights"]
    found[-1] *= context.factors["output"]
    return found


def _settled(config: RunConfig, rates: np.ndarray) -> np.ndarray:
    """Return √(2ηλ/(1 + β)) per hidden layer, float64 [L + 1]; NaN without an equilibrium."""
    found = np.full(len(rates), np.nan)
    if config.optimizer == "sgd" and config.weight_decay and rates[0]:
        found[:-1] = np.sqrt(2 * rates[:-1] * config.weight_decay / (1 + config.momentum))
    return found


def _over_steps(context: ProbeContext, angles: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """Add the angles to the memory. Return their root mean square per row, float64 [L + 1]."""
    memory, config = context.memory, context.config
    rule = np.array([
        context.learning_rate, *config.rate_factors, config.momentum, config.weight_decay,
        config.batch_size,
    ])  # fmt: skip
    steps, squares = _recall(memory, rule, len(norms))
    earlier = steps < context.step  # exclude this step, which may be measured again after a change
    steps, squares = steps[earlier][1 - TURNS :], squares[earlier][1 - TURNS :]
    with np.errstate(all="ignore"):
        ratio = norms / memory.get(SIZES, norms)
        squares[:, ~(np.abs(np.log(ratio)) <= np.log1p(ANOTHER_SIZE))] = np.nan
    memory[STEPS] = np.append(steps, context.step)
    memory[SQUARES] = squares = np.vstack([squares, angles**2])
    memory[SIZES], memory[RULE] = norms, rule
    known = np.isfinite(squares)
    with np.errstate(all="ignore"):
        found = np.sqrt(np.where(known, squares, 0).sum(0) / known.sum(0))
    return np.asarray(np.where(np.isfinite(angles), found, np.nan))


def _recall(memory: Memory, rule: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Return earlier steps [K] and squared angles [K, L + 1], or none if `rule` has changed."""
    if RULE not in memory or not np.array_equal(memory[RULE], rule):
        return np.empty(0, dtype=np.int64), np.empty((0, rows))
    return memory[STEPS], memory[SQUARES].copy()


def _angles(
    rows: list[tuple[str, ...]], before: Mapping[str, Tensor], after: Mapping[str, Tensor]
) -> np.ndarray:
    """Return the angle in radians between each row's weights before and after a step, [L + 1]."""
    found = {}
    for row in dict.fromkeys(rows):
        old = torch.cat([before[name].reshape(-1).double() for name in row])
        new = torch.cat([after[name].reshape(-1).double() for name in row])
        unit, other = old / old.norm(), new / new.norm()
        # Compute the angle from its half, because the arc cosine of a number near 1 loses half of
        # its digits.
        found[row] = 2 * torch.atan2((unit - other).norm(), (unit + other).norm())
    return np.asarray(torch.stack([found[row] for row in rows]).cpu().numpy())


def weight_names(network: Network) -> list[tuple[str, ...]]:
    """Return the names of each layer's weight matrices, L + 1 tuples, the output layer last."""
    *groups, output = network.names
    names = [f"{group}.weight" for group in groups]
    shared = tuple(groups) != network.layer_names
    rows = [tuple(names)] * len(network.layer_names) if shared else [(name,) for name in names]
    return [*rows, (f"{output}.weight",)]


def _biases(network: Network) -> np.ndarray:
    """Return the norm ‖b‖₂ of each layer's bias, float64 [L + 1], the output layer last."""
    present = network.parameters()
    *groups, output = network.names
    own = tuple(groups) == network.layer_names
    names = [f"{name}.bias" if own else "bias" for name in network.layer_names]
    found = [present.get(name) for name in (*names, f"{output}.bias")]
    return np.array([0.0 if bias is None else float(bias.double().norm()) for bias in found])


def _norms(rows: list[tuple[str, ...]], views: Mapping[str, Tensor]) -> np.ndarray:
    """Return the Euclidean norm of all matrices of each row together, float64 [L + 1]."""
    norms = {
        name: torch.linalg.vector_norm(views[name], dtype=torch.float64)
        for name in {name for row in rows for name in row}
    }
    totals = [torch.stack([norms[name] for name in row]).norm() for row in rows]
    return np.asarray(torch.stack(totals).cpu().numpy())
