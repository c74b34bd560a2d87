"""Probes of distributions where units are feature maps or layers are time steps."""

import numpy as np

from bnviz.config import RunConfig
from bnviz.probes import axis, drift, gradients, histogram, percentiles, saturation
from tests.every_case import every_case
from tests.probes.contexts import OTHER_NETWORKS, make_context


def by_unit(context, name):
    """Return values [L, n, H] in which every position of a feature map is a sample."""
    layers = [getattr(layer, name).numpy() for layer in context.probe_training.layers]
    return np.stack(
        [
            rows if rows.ndim == 2 else np.stack([rows[:, unit].ravel() for unit in range(4)], 1)
            for rows in layers
        ]
    )


@every_case("norm", ["none", "batch", "layer"])
@every_case("network", OTHER_NETWORKS)
def test_distributions_are_those_of_all_samples(network, norm):
    context = make_context(norm, network=network, learning_rate=1.0)
    before = by_unit(context, "pre_activation")
    inputs = by_unit(context, "nonlinearity_input")
    np.testing.assert_array_equal(np.sort(context.pre_activations, 1), np.sort(before, 1))
    found = percentiles.measure(context)
    chosen = inputs[:, :, axis.units(inputs.shape[2])]
    expected = np.quantile(chosen, [0.15, 0.5, 0.85], axis=1).transpose(1, 2, 0)
    np.testing.assert_allclose(found["unit"], expected, rtol=1e-5, atol=1e-7)
    for layer, counted in zip(
        inputs, histogram.measure(context)["nonlinearity_input"], strict=True
    ):
        shares = np.histogram(layer, axis.EDGES.astype(float))[0] / layer.size
        np.testing.assert_allclose(counted / 65535, shares, atol=1e-3)
    flat = (np.abs(np.tanh(inputs)) > 0.9).mean(axis=(1, 2))
    np.testing.assert_allclose(saturation.measure(context)["saturated"], flat, rtol=1e-6)
    assert drift.measure(context)["w1_start"].shape == (2, context.config.layer_count)


def test_a_feature_map_is_dead_when_it_is_zero_at_every_place():
    context = make_context("none", network="conv", activation="relu")
    bias = context.network.parameters()["layer 2.bias"]
    bias[0] = -1e3
    outputs = context.probe_training.layers[1].activation.numpy()
    expected = (outputs == 0).all(axis=(0, 2, 3)).mean()
    assert saturation.measure(context)["dead"][1] == np.float32(expected) >= 0.25


@every_case("network", OTHER_NETWORKS)
def test_gradients_have_a_row_for_every_layer_and_the_output(network):
    context = make_context("batch", network=network)
    found, count = gradients.measure(context), context.config.layer_count
    assert [len(found[name]) for name in ("grad_weight_norm", "growth")] == [count + 1, count]
    rms = [np.sqrt((g.pre_activation.numpy() ** 2).mean()) for g in context.gradients.layers]
    np.testing.assert_allclose(found["grad_pre_activation_rms"][:-1], rms, rtol=1e-6)


@every_case(
    ("knobs", "count"),
    [
        ({}, 256),
        ({"width": 512}, 256),
        ({"network": "conv"}, 100),
        ({"network": "conv", "width": 64}, 25),
        ({"network": "recurrent"}, 200),
        ({"network": "recurrent", "sequence": "pixels"}, 78),
    ],
)
def test_frames_of_other_networks_cost_no_more(knobs, count):
    """On the probe set, a layer has about as many values as in the default network: 25,600."""
    config = RunConfig(**knobs)
    assert axis.probe_examples(config) == count


def test_the_probe_set_is_as_large_as_said():
    context = make_context("none", network="conv", width=16)
    assert len(context.probe_inputs) == axis.probe_examples(context.config) == 100
    np.testing.assert_array_equal(context.probe_inputs, context.data.probe_inputs[:100])
