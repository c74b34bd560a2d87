"""Normalization of one mini-batch: each number follows from the values recorded beside it."""

import numpy as np
import torch

from bnviz.norms.batch import batch_norm_forward
from bnviz.probes import unit_batch
from bnviz.probes.axis import normalized_values, units
from tests.every_case import every_case
from tests.probes.contexts import make_context


def forward(context, found, layer):
    """Apply Algorithm 1 in float64 to the recorded values."""
    x = torch.tensor(found["x"][layer].T, dtype=torch.float64)
    gamma, beta = (
        torch.tensor(found[name][layer], dtype=torch.float64) for name in ("gamma", "beta")
    )
    return batch_norm_forward(x, gamma, beta, context.config.norm_eps)


@every_case("position", ["before", "after"])
@every_case("eps", [1e-5, 0.1])
def test_the_numbers_are_those_of_algorithm_1(eps, position):
    # The batch size equals the number of recorded examples, so the whole mini-batch is recorded.
    context = make_context("batch", batch_size=64, norm_eps=eps, norm_position=position)
    found = unit_batch.measure(context)
    for layer in range(context.config.depth):
        y, cache = forward(context, found, layer)
        for name, expected in (
            ("mean", cache.mean), ("var", cache.var), ("factor", cache.inverse_std),
            ("normalized", cache.normalized.T), ("y", y.T),
            ("centred", found["x"][layer, :, 0] - cache.mean.numpy()),
        ):  # fmt: skip
            np.testing.assert_allclose(found[name][layer], expected, rtol=2e-5, atol=2e-6)
        norm = context.network.norms[layer]
        for name in ("running_mean", "running_var"):
            stored = norm.buffers[name].numpy()[units(context.config.width)]
            np.testing.assert_allclose(found[name][layer], stored, rtol=1e-6)
        assert np.ptp(found["gamma"][layer]) > 0


@every_case("batch_size", [2, 1000])
def test_however_large_the_mini_batch_x_hat_follows_from_x(batch_size):
    context = make_context("batch", width=12, batch_size=batch_size, norm_affine=False)
    found = unit_batch.measure(context)
    assert found["x"].shape == (context.config.depth, 8, normalized_values(context.config.depth))
    hat = (found["x"] - found["mean"][..., None]) * found["factor"][..., None]
    np.testing.assert_allclose(found["normalized"], hat, atol=2e-5)
    np.testing.assert_array_equal(found["y"], found["normalized"])
    assert (found["gamma"] == 1).all()
    assert (found["beta"] == 0).all()


def test_deep_networks_give_fewer_examples():
    assert [normalized_values(layers) for layers in (1, 8, 16, 50, 512)] == [64, 64, 32, 10, 8]


@every_case(("norm", "knobs"), [
    ("none", {}), ("layer", {}), ("renorm", {}), ("batch", {"network": "conv"}),
])  # fmt: skip
def test_it_says_nothing_where_it_does_not_apply(norm, knobs):
    assert unit_batch.measure(make_context(norm, **knobs)) == {}
