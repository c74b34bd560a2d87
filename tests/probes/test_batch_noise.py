"""Noise of batch statistics, compared with brute force and with closed forms."""

import numpy as np
import pytest
import torch

from bnviz.networks.trace import unit_rows
from bnviz.probes import batch_noise
from tests.every_case import every_case
from tests.probes.contexts import (
    MLP_NORMS,
    OTHER_NETWORKS,
    context_of,
    make_context,
    make_experiment,
)


def by_brute_force(context, batches):
    """Compute the relative deviations of mean and standard deviation in the probe's batches."""
    generator = np.random.default_rng([context.config.seed, 5, context.step])
    size, m = len(context.data.train_labels), context.config.batch_size
    layers = [[] for _ in context.network.layer_names]
    for _ in range(batches):
        rows = np.sort(generator.choice(np.arange(size), m, replace=False))
        inputs = torch.from_numpy(context.data.train_inputs[rows]).double()
        trace = context.network.forward(inputs, training=True)
        for values, layer in zip(layers, trace.layers, strict=True):
            values.append(unit_rows(layer.pre_activation).numpy())
    found = []
    for values in layers:
        sigma = np.concatenate(values).std(axis=0)
        for statistic in (np.mean, np.std):
            by_batch = np.array([statistic(batch, axis=0) for batch in values])
            shares = by_batch.std(axis=0, ddof=1) / sigma
            found.append(np.sqrt(np.mean(shares[sigma > 0] ** 2)))
    return np.reshape(found, (-1, 2)).T


def compare(context):
    found = batch_noise.measure(context)
    mean, std = by_brute_force(context, 32)
    np.testing.assert_allclose(found["mean"], mean, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(found["std"], std, rtol=1e-5, atol=1e-9)


@every_case("norm", MLP_NORMS)
def test_noise_is_that_of_the_mini_batches(norm):
    compare(make_context(norm))


@every_case("network", OTHER_NETWORKS)
def test_noise_of_feature_maps_and_time_steps(network):
    compare(make_context("batch", network=network))


@every_case("m", [2, 16, 60, 200])
def test_gaussian_values_wander_by_the_closed_form(m):
    generator = np.random.default_rng(0)
    values = 3 + 2 * generator.normal(size=(32, m, 1, 2_000))
    mean, std = batch_noise.wander(values.mean(axis=1), values.var(axis=1))
    assert mean == pytest.approx(1 / np.sqrt(m), rel=0.02)
    if m > 2:  # for m = 2 the standard deviation is far from Gaussian
        assert std == pytest.approx(1 / np.sqrt(2 * m), rel=0.04)


@every_case("batch_size", [20, 100, 400])
def test_the_first_layer_wanders_as_expected(batch_size):
    """Sampling without replacement reduces the noise. With half of the data per mini-batch, the
    factor is 0.7.
    """
    context = make_context("batch", dataset="moons", width=200, depth=1, batch_size=batch_size)
    found = batch_noise.measure(context)
    size = len(context.data.train_labels)
    factor = np.sqrt((size - batch_size) / (size - 1))
    assert found["mean_expected"] == pytest.approx(factor / np.sqrt(batch_size))
    assert found["std_expected"] == pytest.approx(factor / np.sqrt(2 * batch_size))
    # The tolerance is wide, because with two inputs the 200 units are far from independent, and
    # because 32 mini-batches are few.
    assert found["mean"] == pytest.approx(found["mean_expected"], rel=0.35)


def test_without_normalization_every_layer_wanders_as_expected():
    found = batch_noise.measure(make_context("none", width=100, batch_size=60))
    np.testing.assert_allclose(found["mean"], found["mean_expected"], rtol=0.1)


def test_normalized_layers_keep_the_mean_of_the_next():
    """BN fixes the mean of its outputs, so the mean of a linear layer after it does not vary."""
    found = batch_noise.measure(make_context("batch", activation="linear"))
    assert found["mean"][0] > 0.1
    np.testing.assert_allclose(found["mean"][1:], 0, atol=1e-9)


def test_a_mini_batch_of_everything_has_no_noise():
    context = make_context("batch", dataset="moons", batch_size=1024)
    assert len(context.data.train_labels) < 1024
    for value in batch_noise.measure(context).values():
        np.testing.assert_allclose(value, 0, atol=1e-12)


def test_units_that_do_not_vary_are_left_out():
    generator = np.random.default_rng(4)
    means, variances = generator.normal(size=(2, 8, 3, 5)) ** 2
    expected = batch_noise.wander(means, variances)
    still = np.zeros((8, 3, 2))
    found = batch_noise.wander(
        np.concatenate([means, still + 7], 2), np.concatenate([variances, still], 2)
    )
    np.testing.assert_allclose(found, expected)


def test_every_step_draws_other_mini_batches():
    experiment = make_experiment("none")
    first, again = (batch_noise.measure(context_of(experiment, "none")) for _ in range(2))
    np.testing.assert_array_equal(first["mean"], again["mean"])
    other = context_of(experiment, "none")
    other.step += 1
    assert not np.array_equal(batch_noise.measure(other)["mean"], first["mean"])
