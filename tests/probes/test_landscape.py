"""Loss along the gradient, compared with autograd at every point and with a known curvature."""

import numpy as np
import pytest
import torch

from bnviz.probes import landscape
from tests.every_case import every_case
from tests.probes.contexts import (
    MLP_NORMS,
    OTHER_NETWORKS,
    context_of,
    make_context,
    make_experiment,
)


def at(context, flat):
    """Return the loss and its gradient at the parameters `flat`, computed by autograd."""
    with torch.enable_grad():
        flat = flat.clone().requires_grad_()
        twin = context.network.twin(flat)
        loss, _ = twin.loss(twin.forward(context.batch[0], training=True).logits, context.batch[1])
        (gradient,) = torch.autograd.grad(loss, flat)
    return float(loss), gradient.detach()


def scaled(context, gradient):
    """Multiply each parameter's gradient by the rate factor of its group."""
    result = gradient.clone()
    weights, norms, output = context.config.rate_factors
    for name, part in context.network.views(result).items():
        own = norms if name.endswith((".gamma", ".beta")) else weights
        part.mul_(output if name.startswith("output.") else own)
    return result


def compare(context):
    found = landscape.measure(context)
    _, gradient = at(context, context.network.flat)
    losses, changes, smoothness = [], [], []
    for multiple in [0.5, 0.5 * 2**0.5, 1, 2**0.5, 2, 2 * 2**0.5, 4]:
        step = multiple * context.learning_rate * scaled(context, gradient)
        loss, there = at(context, context.network.flat - step)
        losses.append(loss)
        changes.append(float((there - gradient).norm()))
        smoothness.append(changes[-1] / float(step.norm()))
    np.testing.assert_allclose(found["loss"], losses, rtol=1e-6)
    assert found["loss_low"] == pytest.approx(min(losses), rel=1e-6)
    assert found["loss_high"] == pytest.approx(max(losses), rel=1e-6)
    assert found["predictiveness"] == pytest.approx(max(changes), rel=1e-5)
    assert found["beta"] == pytest.approx(max(smoothness), rel=1e-5)


@every_case("norm", MLP_NORMS)
def test_values_are_those_of_autograd(norm):
    compare(make_context(norm))


@every_case("loss", ["cross_entropy", "squared"])
@every_case("network", OTHER_NETWORKS)
def test_values_of_other_networks_and_losses(network, loss):
    compare(make_context("batch", network=network, loss=loss))


def test_the_rate_is_the_networks_own():
    experiment = make_experiment("batch")
    experiment.update(learning_rates=(1.7,))
    compare(context_of(experiment, "batch"))


@every_case("network", ["mlp", *OTHER_NETWORKS])
def test_groups_go_by_their_own_rates(network):
    compare(make_context("batch", network=network, rate_factors=(3, 0.5, 0)))


def test_small_steps_find_the_curvature_along_the_gradient():
    """‖∇L(θ − ηg) − g‖/η‖g‖ goes to ‖Hg‖/‖g‖."""
    context = make_context("none", learning_rate=1e-5)
    gradient = at(context, context.network.flat)[1]
    h = 1e-6
    around = [at(context, context.network.flat + sign * h * gradient)[1] for sign in (1, -1)]
    curvature = float((around[0] - around[1]).norm() / (2 * h) / gradient.norm())
    assert landscape.measure(context)["beta"] == pytest.approx(curvature, rel=1e-3)
