"""Sizes of gradients compared with autograd in float64."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy

from bnviz.probes import gradients
from tests.every_case import every_case
from tests.probes.contexts import SETTINGS, make_context


def by_autograd(context):
    """Return the norms of ∂loss/∂W and the RMS of ∂loss/∂pre-activation, output layer last."""
    network, (inputs, labels) = context.network, context.batch
    weights, outputs = [], []
    with torch.enable_grad():
        value = inputs
        for layer in network.layers:
            weights.append(layer.weight.clone().requires_grad_())
            pre_activation = value @ weights[-1].T
            if layer.bias is not None:
                pre_activation = pre_activation + layer.bias
            pre_activation.retain_grad()
            outputs.append(pre_activation)
            if network.norm_first:
                normalized, _ = layer.norm.forward(pre_activation, training=True)
                value = network.activation.forward(normalized)
            else:
                activation = network.activation.forward(pre_activation)
                value, _ = layer.norm.forward(activation, training=True)
            if layer.norm.drops:
                value = value * layer.norm.mask(value)
        weights.append(network.output_weight.clone().requires_grad_())
        logits = value @ weights[-1].T + network.output_bias
        logits.retain_grad()
        outputs.append(logits)
        cross_entropy(logits, labels).backward()
    norms = [float(weight.grad.norm()) for weight in weights]
    return norms, [float(output.grad.square().mean().sqrt()) for output in outputs]


@every_case(("norm", "position", "activation"), SETTINGS)
def test_sizes_are_those_of_autograd(norm, position, activation):
    context = make_context(norm, norm_position=position, activation=activation)
    values = gradients.measure(context)
    norms, rms = by_autograd(context)
    np.testing.assert_allclose(values["grad_weight_norm"], norms, rtol=1e-6)
    np.testing.assert_allclose(values["grad_pre_activation_rms"], rms, rtol=1e-6)
    np.testing.assert_allclose(values["growth"], np.divide(rms[:-1], rms[1:]), rtol=1e-6)


def test_vanishing_gradients_stay_above_zero():
    """Squares of gradients below 1e-23 are zero in float32; their norms are not."""
    context = make_context(
        "none", activation="sigmoid", depth=30, width=50, steps=0, dtype=torch.float32
    )
    values = gradients.measure(context)
    assert 0 < values["grad_weight_norm"][0] < 1e-14
    assert 0 < values["grad_pre_activation_rms"][0] < 1e-14


@every_case(
    ("norm", "activation", "init", "factor"),
    [("none", "relu", "he", 1.0), ("none", "sigmoid", "glorot", 0.24),
     ("batch", "tanh", "glorot", 1.085), ("batch", "relu", "he", 1.211)],
)  # fmt: skip
def test_growth_by_layer_at_the_start_is_that_of_the_theory(norm, activation, init, factor):
    """`factor` is the growth of gradients from a layer to the layer below (Yang et al. 2019)."""
    logs = []
    for seed in range(3):
        context = make_context(
            norm, activation=activation, init=init, seed=seed, depth=10, width=200,
            batch_size=256, steps=0, dtype=torch.float32,
        )  # fmt: skip
        rms = gradients.measure(context)["grad_pre_activation_rms"][:-1].astype(float)
        logs.append(np.log(rms[1] / rms[8]) / 7)
    assert np.exp(np.mean(logs)) == pytest.approx(factor, rel=0.06)
