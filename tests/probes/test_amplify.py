"""Growth of a small weight change from layer to layer, compared with a float64 calculation and
with known cases.
"""

from itertools import cycle

import numpy as np
import pytest
import torch

from bnviz.pieces import in_pieces, run_to_end
from bnviz.probes import amplify
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, make_context


def found(context):
    return run_to_end(in_pieces(amplify.measure(context)))


def inputs_by_layer(network, inputs):
    """Return the inputs of each layer's nonlinearity as float64 [n, H], centred per unit."""
    layers = network.forward(inputs, training=True).layers
    rows = [layer.nonlinearity_input.numpy() for layer in layers]
    by_unit = [np.moveaxis(values, 1, -1).reshape(-1, values.shape[1]) for values in rows]
    return [values - values.mean(axis=0) for values in by_unit]


@every_case(
    ("norm", "position", "network"),
    [*zip(MLP_NORMS, cycle(["before", "after"]), cycle(["mlp"])), ("none", "before", "conv"),
     ("batch", "before", "conv")],
)  # fmt: skip
def test_it_is_what_two_networks_with_other_first_weights_differ_by(norm, position, network):
    context = make_context(norm, norm_position=position, network=network)
    measured = found(context)
    before = inputs_by_layer(context.network, context.probe_inputs)
    weight = context.network.parameters()["layer 1.weight"]
    kept = weight.clone()
    changed = context.network.views(amplify.changed_weights(context.network, 0))["layer 1.weight"]
    weight.copy_(changed)
    after = inputs_by_layer(context.network, context.probe_inputs)
    weight.copy_(kept)
    assert float((changed - kept).norm() / kept.norm()) == pytest.approx(0.01, rel=1e-12)
    expected = [
        np.linalg.norm(new - old) / np.linalg.norm(old)
        for old, new in zip(before, after, strict=True)
    ]
    np.testing.assert_allclose(measured["change"], expected, rtol=1e-6)
    np.testing.assert_allclose(measured["amplified"], np.array(expected) / expected[0], rtol=1e-6)


def test_only_the_first_layers_weights_are_changed_and_the_same_way_in_every_network():
    plain, other = make_context("none"), make_context("none", learning_rate=0.1)
    moved = amplify.changed_weights(plain.network, 0) - plain.network.flat
    by_name = plain.network.views(moved)
    assert [name for name, view in by_name.items() if bool(view.any())] == ["layer 1.weight"]
    directions = [
        amplify.changed_weights(context.network, seed) - context.network.flat
        for context, seed in ((plain, 0), (other, 0), (plain, 1))
    ]
    first, same, another = (direction / direction.norm() for direction in directions)
    torch.testing.assert_close(first, same, rtol=0, atol=1e-12)
    assert abs(float(first @ another)) < 0.5


def test_orthogonal_linear_layers_pass_a_change_on_as_it_is():
    """Orthogonal layers rotate the inputs and the change, so both keep their lengths."""
    context = make_context("none", activation="linear", init="orthogonal", steps=0, depth=4)
    np.testing.assert_allclose(found(context)["amplified"], 1, rtol=1e-6)


@every_case("scale", [1e-3, 1e3])
def test_the_size_of_the_first_weights_does_not_matter_to_linear_layers(scale):
    usual, scaled = (make_context("none", activation="linear", steps=0) for _ in range(2))
    scaled.network.parameters()["layer 1.weight"].mul_(scale)
    np.testing.assert_allclose(found(scaled)["change"], found(usual)["change"], rtol=1e-5)


def test_nothing_is_said_of_a_recurrent_network():
    assert found(make_context("batch", network="recurrent")) == {}


def test_small_changes_grow_in_deep_relu_networks_with_batch_norm():
    """In twenty layers, a change grows by a factor of 27 to 33 with BN, and of 2 to 4 without."""
    knobs = {"depth": 20, "width": 50, "activation": "relu", "init": "he", "steps": 0}
    plain, batch = (
        found(make_context(norm, dtype=torch.float32, **knobs))["amplified"][-1]
        for norm in ("none", "batch")
    )
    assert plain < 8
    assert 20 < batch < 45
