"""Probe of how smooth the loss is along the gradient."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from bnviz.config import UNIT_FACTORS
from bnviz.networks.base import Network
from bnviz.probes.context import ProbeContext, as_floats, flatten
from bnviz.records import ProbeValues

# Step lengths in learning rates: from ½ to 4 by factors of √2, as in Santurkar et al. 2018, Fig. 4.
MULTIPLES: np.ndarray = np.geomspace(0.5, 4, 7)


def measure(context: ProbeContext) -> ProbeValues:
    """Measure loss and gradient along the gradient direction (Santurkar et al. 2018, Fig. 4).

    The next mini-batch is used in training mode. The measured points are the parameters minus ½ to
    4 learning rates times the loss gradient g (times the rate factors of parameter groups).

    Returns:
        `multiples`, `loss`: [7], step lengths in learning rates, and the losses at these points.
        `loss_low`, `loss_high`: Scalars, smallest and largest `loss`.
        `predictiveness`: Scalar, largest ‖∇L − g‖₂; small if g predicts the gradients ahead.
        `beta`: Scalar, largest ‖∇L − g‖₂ ÷ distance (effective β-smoothness); NaN if g is zero.
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
    """Return the vector that gradient descent multiplies by the learning rate and subtracts."""
    factors, gradient = context.config.rate_factors, context.flat_gradient
    if factors == UNIT_FACTORS:
        return gradient
    return context.network.rate_groups.expand(factors, gradient) * gradient


def _at(network: Network, flat: Tensor, batch: tuple[Tensor, Tensor]) -> tuple[float, Tensor]:
    twin = network.twin(flat)
    loss, gradients = twin.backward(twin.forward(batch[0], training=True), batch[1])
    return float(loss), flatten(twin, gradients)


def _norm(values: Tensor) -> float:
    return float(values.double().norm())
