"""Jacobians compared with `torch.autograd.functional.jacobian` in float64."""

import numpy as np
import pytest
import torch
from torch.autograd.functional import jacobian as autograd_jacobian

from bnviz.probes import io_jacobian, jacobian
from tests.every_case import every_case
from tests.probes.contexts import SETTINGS, make_context, shared_context, spoil

EXAMPLES = 4


def layer_output(network, layer, value):
    """Apply one layer to one example [fan_in] at inference, with the engine's forward functions."""
    pre_activation = layer.weight @ value
    if layer.bias is not None:
        pre_activation = pre_activation + layer.bias
    if network.norm_first:
        normalized, _ = layer.norm.forward(pre_activation[None], training=False)
        return network.activation.forward(normalized)[0]
    activation = network.activation.forward(pre_activation)
    return layer.norm.forward(activation[None], training=False)[0][0]


def logits(network, value):
    for layer in network.layers:
        value = layer_output(network, layer, value)
    return network.output_weight @ value + network.output_bias


def derive(function, at):
    """Return autograd's Jacobian of a function at a float64 point."""
    with torch.enable_grad():
        return autograd_jacobian(function, at.clone()).detach()


@every_case(("norm", "position", "activation"), SETTINGS)
def test_layer_jacobians_are_those_of_autograd(norm, position, activation):
    context = shared_context(norm, norm_position=position, activation=activation, steps=5)
    network, trace = context.network, context.network.forward(
        context.probe_inputs[:EXAMPLES], training=False
    )  # fmt: skip
    values = jacobian.measure(context)
    for index, layer in enumerate(network.layers):
        inputs = trace.inputs if index == 0 else trace.layers[index - 1].output
        references = torch.stack(
            [derive(lambda x, layer=layer: layer_output(network, layer, x), row) for row in inputs]
        )
        composed = context.network.layer_jacobian(context.jacobian_inference, index, EXAMPLES)
        torch.testing.assert_close(composed, references, rtol=1e-10, atol=1e-12)
        pooled = torch.linalg.svdvals(references).numpy().ravel()
        percentiles = np.quantile(pooled, [0.1, 0.5, 0.9])
        np.testing.assert_allclose(values["percentiles"][index], percentiles, rtol=1e-5, atol=1e-9)
        zeros = (pooled <= 1e-12 * pooled.max()).mean()
        np.testing.assert_allclose(values["zeros"][index], zeros, rtol=1e-6)


@every_case(("norm", "position", "activation"), SETTINGS)
def test_input_output_jacobian_is_that_of_autograd(norm, position, activation):
    context = shared_context(norm, norm_position=position, activation=activation, steps=5)
    references = torch.stack(
        [
            derive(lambda x: logits(context.network, x), row)
            for row in context.probe_inputs[:EXAMPLES]
        ]
    )
    values = io_jacobian.measure(context)
    singular = torch.linalg.svdvals(references).numpy()
    assert values["singular_values"].shape == (4, 10)
    np.testing.assert_allclose(values["singular_values"], singular, rtol=1e-5, atol=1e-12)
    zeros = (singular <= 1e-12 * singular.max(axis=1, keepdims=True)).mean()
    np.testing.assert_allclose(values["zeros"], zeros, rtol=1e-6)


@every_case("skip", [1, 2])
def test_the_input_output_jacobian_has_what_comes_past_branches(skip):
    context = shared_context("batch", depth=4, skip=skip, activation="relu", steps=5)
    network = context.network.twin(context.network.flat)
    references = torch.stack(
        [
            derive(lambda x: network.forward(x[None], training=False).logits[0], row)
            for row in context.probe_inputs[:EXAMPLES]
        ]
    )
    found, expected = io_jacobian.measure(context), torch.linalg.svdvals(references).numpy()
    np.testing.assert_allclose(found["singular_values"], expected, rtol=1e-5, atol=1e-12)


def test_dead_relu_units_are_counted_as_zeros():
    context = make_context("none", activation="relu", width=80)
    context.network.parameters()["layer 2.bias"][:40] = -1e4
    values = jacobian.measure(context)
    assert values["zeros"][1] >= 0.5
    assert values["percentiles"][1, 0] == 0


def test_layer_norm_takes_one_dimension_out():
    """Adding a constant to all inputs of layer norm does not change its outputs."""
    values = jacobian.measure(make_context("layer", activation="linear", width=20))
    np.testing.assert_allclose(values["zeros"][1:], 1 / 20, rtol=1e-6)


def test_a_saturated_layer_keeps_its_tiny_values():
    """tanh(20) is 1 in float32, and yet its derivative 1.7e-17 is not zero."""
    context = make_context("none", dtype=torch.float32, steps=0)
    context.network.parameters()["layer 2.bias"][:] = 15.0
    values = jacobian.measure(context)
    assert 1e-15 < values["percentiles"][1, 1] < 1e-11


def test_zeros_are_told_from_small_values_in_wide_layers():
    context = make_context("none", activation="relu", width=256, depth=2, steps=0)
    context.network.parameters()["layer 2.bias"][:64] = -1e4
    trace = context.network.forward(context.probe_inputs[:1], training=False).layers[1]
    off = float((trace.activation == 0).double().mean())
    assert jacobian.measure(context)["zeros"][1] == pytest.approx(off, rel=1e-6)


@every_case("scale", [1e-200, 1, 1e200])
@every_case("smallest", [1.0, 1e-3, 1e-5, 1e-9, 1e-20, 0.0])
@every_case(("rows", "columns"), [(6, 6), (9, 6), (6, 9)])
def test_singular_values_keep_six_digits_however_small(rows, columns, smallest, scale):
    generator = np.random.default_rng(1)
    left, right = (np.linalg.qr(generator.normal(size=(n, 6)))[0] for n in (rows, columns))
    chosen = np.append(np.linspace(3, 1, 5), smallest)
    matrix = (left * chosen) @ right.T * scale
    found = jacobian.singular_values(matrix[None])[0] / scale
    np.testing.assert_allclose(found, chosen, rtol=1e-6, atol=1e-14)


@every_case("off", [0, 30, 50, 60])
@every_case("lowest", [1.0, 1e-3, 1e-6, 1e-9, 1e-20])
def test_pooled_values_have_the_percentiles_and_zeros_of_a_decomposition(lowest, off):
    """The algorithm that uses the Gram matrix and the one that does not both handle small values
    and the zero rows of inactive ReLU units.
    """
    generator = np.random.default_rng(4)
    matrices = generator.normal(size=(2, 60, 60))
    left, values, right = np.linalg.svd(matrices)
    values[:, -5:] = lowest
    matrices = (left * values[:, None]) @ right
    matrices[:, generator.permutation(60)[:off]] = 0
    expected = np.linalg.svd(matrices, compute_uv=False)
    expected = np.sort(np.where(expected < 1e-13 * expected.max(), 0, expected), axis=None)
    for by_gram in (True, False):
        found, _ = jacobian.pooled(matrices, by_gram=by_gram)
        assert found.shape == (120,)
        levels = [0.1, 0.5, 0.9]
        percentiles = np.quantile(found, levels)
        np.testing.assert_allclose(
            percentiles, np.quantile(expected, levels), rtol=2e-7, atol=1e-15
        )
        zeros = jacobian.zero_share(found)
        assert zeros == (expected <= 1e-12 * expected.max()).mean()


def test_the_gram_matrix_serves_ordinary_layers_only():
    ordinary = np.random.default_rng(5).normal(size=(1, 50, 50))
    assert jacobian.pooled(ordinary)[1]
    halved, shrunk, twice = ordinary.copy(), ordinary.copy(), ordinary.copy()
    halved[:, :25] = 0
    assert jacobian.pooled(halved)[1]
    shrunk[:, :10] *= 1e-7
    assert not jacobian.pooled(shrunk)[1]
    twice[:, 0] = twice[:, 1]
    assert not jacobian.pooled(twice)[1]
    assert not jacobian.pooled(ordinary * 1e-200)[1]
    assert not jacobian.pooled(ordinary * 1e200)[1]


def test_a_matrix_that_is_not_finite_leaves_the_others_alone():
    matrices = np.random.default_rng(2).normal(size=(3, 5, 5))
    expected = jacobian.singular_values(matrices)
    matrices[1, 2, 2] = np.nan
    expected[1] = np.nan
    np.testing.assert_allclose(jacobian.singular_values(matrices), expected, rtol=1e-12)


@every_case(("depth", "width", "count"), [(3, 50, 4), (2, 100, 2), (6, 100, 1),
                                                       (50, 512, 1), (1, 2, 4)])  # fmt: skip
def test_large_networks_are_measured_at_fewer_examples(depth, width, count):
    assert jacobian.examples(depth, width) == count


def test_what_is_not_finite_is_not_a_number():
    context = spoil(make_context("none", dtype=torch.float32), np.nan)
    assert np.isnan(jacobian.measure(context)["percentiles"][0]).all()
    assert np.isnan(jacobian.measure(context)["zeros"][0])
    assert np.isnan(io_jacobian.measure(context)["zeros"])


def test_orthogonal_linear_layers_neither_stretch_nor_shrink():
    context = make_context("none", init="orthogonal", activation="linear", steps=0, width=30)
    percentiles = jacobian.measure(context)["percentiles"]
    np.testing.assert_allclose(percentiles[1:], 1, rtol=1e-6)
