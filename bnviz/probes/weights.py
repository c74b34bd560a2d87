"""How large each layer's weights and biases are, and how fast the weights turn."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from torch import Tensor

from bnviz.config import RunConfig
from bnviz.networks.base import Network
from bnviz.probes.context import Memory, ProbeContext, as_floats
from bnviz.records import ProbeValues

# The angle's root mean square is that of the newest so many steps that were measured.
TURNS = 100
# A layer has another size if its norm has changed by more than this share since it was measured.
ANOTHER_SIZE = 0.1
STEPS, SQUARES, SIZES, RULE = (
    f"weights.turn_{name}" for name in ("steps", "squares", "norm", "by")
)


def measure(context: ProbeContext) -> ProbeValues:
    """The norm of each layer's weights, its effective learning rate, and its next update.

    The effective rate is that of gradient descent, η/((1 − β)‖W‖²) with heavy-ball momentum β:
    where a norm makes a layer's output independent of the scale of its weights, they turn at this
    rate, and it falls by itself as they grow (van Laarhoven 2017; in the long run each gradient
    moves the weights 1/(1 − β) times). Adam's steps keep their length when gradients shrink, so it
    has no such rate: there weights twice as large turn half as far, which the update ratio says.

    The angle per step varies much from step to step; theory gives its mean square. Where a norm
    follows a layer, the gradient is orthogonal to the weights: it lengthens them, and decay
    shortens them. Where both balance, the root mean square of the angle is about √(2ηλ/(1 + β)) for
    all gradients (Wan et al. 2021; without momentum van Laarhoven 2017 has the balance). Derivation
    for w′ = w + d, d = βd₋ − η(g + λw) and g·w = 0, with D and W the means of ‖d‖² and ‖w‖²: a
    constant W means w·d = −D/2, so w·d₋ = D/2, so −D/2 = βD/2 − ηλW, so D/W = 2ηλ/(1 + β).

    The angle is measured between the weights before and after the next step, which is not taken.
    Its root mean square is that of the newest hundred measured steps, as long as rates, momentum,
    decay and batch size are unchanged. It starts anew where a layer's norm changes by more than a
    tenth between two measurements, because the weights were multiplied.

    The rate is that of the row's weights: the learning rate times the factor of their group.

    The output layer stands last. A recurrent network's time steps share their weights, W_h and W_x,
    and every row shows both together.

    Returns:
        `norm` float32 [L + 1]: ‖W‖_F;
        `effective_rate` float32 [L + 1]: learning rate ÷ (1 − β) ÷ ‖W‖_F²; NaN for Adam;
        `update_ratio` float32 [L + 1]: ‖ΔW‖_F ÷ ‖W‖_F of the next update, momentum and weight
        decay included; 0 where the network takes no step;
        `turned` float32 [L + 1]: root mean square of the angle per step, radians; NaN where the
        network takes no step;
        `settled` float32 [L + 1]: √(2ηλ/(1 + β)); NaN for the output, for Adam, and without
        decay, where nothing balances;
        `bias` float32 [L + 1]: ‖b‖₂, 0 for layers without a bias.
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
    """The rate of each row's weights, float64 [L + 1]."""
    found = np.full(rows, context.learning_rate)
    found[:-1] *= context.factors["weights"]
    found[-1] *= context.factors["output"]
    return found


def _settled(config: RunConfig, rates: np.ndarray) -> np.ndarray:
    """√(2ηλ/(1 + β)) of each hidden layer, float64 [L + 1]; NaN where these weights do not turn."""
    found = np.full(len(rates), np.nan)
    if config.optimizer == "sgd" and config.weight_decay and rates[0]:
        found[:-1] = np.sqrt(2 * rates[:-1] * config.weight_decay / (1 + config.momentum))
    return found


def _over_steps(context: ProbeContext, angles: np.ndarray, norms: np.ndarray) -> np.ndarray:
    """The root mean square of each row's angle over the last measured steps, float64 [L + 1].

    Args:
        context: its memory has the earlier ones.
        angles: of the next step [L + 1].
        norms: of the weights [L + 1].
    """
    memory, config = context.memory, context.config
    rule = np.array([
        context.learning_rate, *config.rate_factors, config.momentum, config.weight_decay,
        config.batch_size,
    ])  # fmt: skip
    steps, squares = _recall(memory, rule, len(norms))
    earlier = steps < context.step  # a step may be measured again after a change
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
    """Steps [K] and squared angles [K, L + 1] of before; none where they were of another rule."""
    if RULE not in memory or not np.array_equal(memory[RULE], rule):
        return np.empty(0, dtype=np.int64), np.empty((0, rows))
    return memory[STEPS], memory[SQUARES].copy()


def _angles(
    rows: list[tuple[str, ...]], before: Mapping[str, Tensor], after: Mapping[str, Tensor]
) -> np.ndarray:
    """The angle between each row's weights before and after a step, radians, float64 [L + 1]."""
    found = {}
    for row in dict.fromkeys(rows):
        old = torch.cat([before[name].reshape(-1).double() for name in row])
        new = torch.cat([after[name].reshape(-1).double() for name in row])
        unit, other = old / old.norm(), new / new.norm()
        # By the half angle: the arc cosine of a number near 1 has half of its digits.
        found[row] = 2 * torch.atan2((unit - other).norm(), (unit + other).norm())
    return np.asarray(torch.stack([found[row] for row in rows]).cpu().numpy())


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
