"""How even the loss is along the gradient."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.config import UNIT_FACTORS
from bnviz.networks.base import Network
from bnviz.probes.context import ProbeContext, as_floats, flatten
from bnviz.records import ProbeValues

# Steps of ½ to 4 times the learning rate, as in Santurkar et al. 2018, Fig. 4; a factor √2 apart.
MULTIPLES: np.ndarray = np.geomspace(0.5, 4, 7)


def measure(context: ProbeContext) -> ProbeValues:
    """How the loss and its gradient change along the gradient (Santurkar et al. 2018, Fig. 4).

    On the mini-batch about to be used, in training mode, at the parameters minus ½ to 4 learning
    rates times the gradient g of the loss, whatever the optimizer does with it. Where groups of
    parameters have rates of their own, these parts of g are multiplied with the factors of the
    groups.

    Returns:
        `multiples` float32 [7]: of the learning rate;
        `loss` float32 [7]: there;
        `loss_low`, `loss_high` float32 scalars: the range of those;
        `predictiveness` float32 scalar: the largest ‖∇L − g‖₂, small where the gradient goes on to
        say what comes;
        `beta` float32 scalar: the largest ‖∇L − g‖₂ ÷ distance, the effective β-smoothness. NaN
        where the gradient is zero.
    """
    gradient, batch = context.flat_gradient, context.batch
    direction = _direction(context)
    steps = MULTIPLES * context.learning_rate
    there = [_at(context.network, context.network.flat - step * direction, batch) for step in steps]
    losses = np.array([loss for loss, _ in there])
    with np.errstate(all="ignore"):
        changes = np.array([_norm(found - gradient) for _, found in there])
        return as_floats(
            multiples=MULTIPLES, loss=losses, loss_low=losses.min(), loss_high=losses.max(),
            predictiveness=changes.max(), beta=(changes / (steps * _norm(direction))).max(),
        )  # fmt: skip


def _direction(context: ProbeContext) -> Tensor:
    """What a step of gradient descent takes away, divided by the learning rate."""
    factors, gradient = context.config.rate_factors, context.flat_gradient
    if factors == UNIT_FACTORS:
        return gradient
    return context.network.rate_groups.expand(factors, gradient) * gradient


def _at(network: Network, flat: Tensor, batch: tuple[Tensor, Tensor]) -> tuple[float, Tensor]:
    """Loss and flat gradient at other parameters."""
    twin = network.twin(flat)
    loss, gradients = twin.backward(twin.forward(batch[0], training=True), batch[1])
    return float(loss), flatten(twin, gradients)


def _norm(values: Tensor) -> float:
    return float(values.double().norm())
