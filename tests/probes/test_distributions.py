"""Histogram, percentiles and saturation compared with NumPy on the same values."""

from itertools import cycle

import numpy as np
import torch

from bnviz.pieces import run_to_end
from bnviz.probes import axis, histogram, percentiles, saturation
from bnviz.probes.sorting import Distribution, distribution_in_pieces, sorted_quantiles
from tests.every_case import every_case
from tests.probes.contexts import MLP_NORMS, make_context, spoil

POSITIONS = ["before", "after"]


def distribution(rows):
    return run_to_end(distribution_in_pieces(rows))


def inputs_of(context):
    return np.stack([layer.nonlinearity_input.numpy() for layer in context.probe_training.layers])


def test_edges_are_even_in_asinh_and_reach_1000():
    assert axis.EDGES.shape == (65,)
    np.testing.assert_allclose(axis.EDGES[[0, 32, 64]], [-1000, 0, 1000], rtol=1e-6)
    spacing = np.diff(np.arcsinh(axis.EDGES.astype(float)))
    np.testing.assert_allclose(spacing, spacing[0], rtol=1e-5)


@every_case("width", [2, 7, 8, 100, 512])
def test_eight_units_are_chosen_from_first_to_last(width):
    chosen = axis.units(width)
    assert chosen.shape == (8,)
    assert (chosen[0], chosen[-1]) == (0, width - 1)
    assert len(set(chosen)) == min(width, 8)


def test_grid_points_run_along_rows():
    points = axis.grid_points().reshape(40, 40, 2)
    np.testing.assert_array_equal(points[7, :, 0], axis.GRID)
    np.testing.assert_array_equal(points[:, 7, 1], axis.GRID)


def counts(ordered):
    """Return the histogram counts of sorted values, without rounding the values."""
    unknown = np.full(len(ordered), np.nan)
    return histogram.counts(Distribution(ordered, unknown, unknown, ordered.dtype, unknown))


@every_case("scale", [1e-4, 0.3, 5, 400, 1e5])
def test_counts_are_those_of_numpy(scale):
    values = np.random.default_rng(0).normal(scale=scale, size=(3, 5000))
    for row, counted in zip(values, counts(np.sort(values, axis=1)), strict=True):
        np.testing.assert_array_equal(counted[1:65], np.histogram(row, axis.EDGES)[0])
        assert counted[0] == (row < axis.EDGES[0]).sum()
        assert counted[65] == (row > axis.EDGES[-1]).sum()
        assert counted.sum() == row.size


def test_counts_at_the_edges_are_those_of_numpy():
    ordered = axis.EDGES[None]
    counted = counts(ordered)[0]
    np.testing.assert_array_equal(counted[1:65], np.histogram(ordered, axis.EDGES)[0])
    assert counted[65] == 0


def test_counts_keep_what_is_not_finite_apart():
    values = [[-np.inf, -3e38, -2000, 0, 1e-40, 2000, 3e38, np.inf, np.nan, np.nan]]
    counted = counts(np.array(values, np.float32))[0]
    assert counted[histogram.NONFINITE] == 4
    assert (counted[0], counted[65], counted[33]) == (2, 2, 2)


@every_case(("norm", "position"), [*zip(MLP_NORMS, cycle(POSITIONS))])
def test_histogram_shows_the_nonlinearitys_input(norm, position):
    context = make_context(norm, norm_position=position)
    values = histogram.measure(context)
    assert values["nonlinearity_input"].dtype == np.uint16
    for layer, counted in zip(inputs_of(context), values["nonlinearity_input"], strict=True):
        reference = np.histogram(layer, axis.EDGES.astype(float))[0] / layer.size
        np.testing.assert_allclose(counted / 65535, reference, atol=1e-5)
    np.testing.assert_array_equal(values["underflow"] + values["overflow"], 0)


def test_shares_of_a_spoilt_network_add_up():
    context = spoil(make_context("none", dtype=torch.float32, activation="linear"), 3e38)
    values = histogram.measure(context)
    assert values["overflow"][1] + values["underflow"][1] + values["nonfinite"][1] > 0.5
    total = values["nonlinearity_input"].sum(axis=1) / 65535
    total += values["underflow"] + values["overflow"] + values["nonfinite"]
    np.testing.assert_allclose(total, 1, atol=1e-3)


@every_case("count", [1, 2, 5, 100, 1001])
def test_quantiles_are_those_of_numpy(count):
    values = np.random.default_rng(count).normal(size=(4, count))
    levels = np.array([0, 0.15, 0.5, 0.85, 1])
    found = sorted_quantiles(np.sort(values, axis=1), levels)
    np.testing.assert_allclose(found, np.quantile(values, levels, axis=1).T, rtol=1e-13)


def test_quantiles_of_infinities_and_nan():
    values = np.sort([[1, 2, np.inf, np.inf, np.inf], [1, 2, 3, 4, np.nan]], axis=1)
    found = sorted_quantiles(values, np.array([0, 0.9]))
    np.testing.assert_array_equal(found, [[1, np.inf], [np.nan, np.nan]])


@every_case(("norm", "position"), [*zip(MLP_NORMS, cycle(POSITIONS[::-1]))])
def test_percentiles_are_those_of_the_nonlinearitys_input(norm, position):
    context = make_context(norm, norm_position=position)
    values, inputs = percentiles.measure(context), inputs_of(context)
    levels = [0.15, 0.5, 0.85]
    by_unit = np.quantile(inputs[:, :, axis.units(12)], levels, axis=1).transpose(1, 2, 0)
    np.testing.assert_allclose(values["unit"], by_unit, rtol=1e-6)
    by_layer = np.quantile(inputs.reshape(3, -1), levels, axis=1).T
    np.testing.assert_allclose(values["layer"], by_layer, rtol=1e-6)


def shapes(count):
    """Return rows of normal, narrow, wide, shifted, heavy-tailed and bimodal values."""
    generator = np.random.default_rng(count)
    normal = generator.normal(size=(4, count)) * [[1], [1e-6], [1e5], [1]]
    normal[3] += 1000
    tails = generator.standard_cauchy(size=count)
    heaps = np.where(np.arange(count) % 3 == 0, 0.0, 5 + tails / 1e3)
    return np.stack([*normal, tails, heaps])


@every_case("dtype", [np.float32, np.float64])
@every_case("count", [3, 4096])
def test_few_values_are_sorted_exactly(count, dtype):
    rows = shapes(count).astype(dtype)
    np.testing.assert_array_equal(distribution(rows).ordered, np.sort(rows, axis=1))


@every_case("dtype", [np.float32, np.float64])
@every_case("count", [4097, 25600])
def test_many_values_are_sorted_to_four_digits(count, dtype):
    rows = shapes(count).astype(dtype)
    given, found, exact = rows.copy(), distribution(rows), np.sort(rows, axis=1)
    np.testing.assert_array_equal(rows, given)
    assert found.ordered.dtype == dtype
    distance = np.hypot(exact - exact.mean(axis=1)[:, None], exact.std(axis=1)[:, None])
    assert (np.abs(found.ordered - exact) <= 1.2e-4 * distance).all()
    assert (np.diff(found.ordered, axis=1) >= 0).all()


@every_case("scale", [1e-30, 1, 1e30])
def test_moments_are_exact(scale):
    rows = (shapes(25600) * scale).astype(np.float32)
    found, rows = distribution(rows), rows.astype(np.float64)
    assert (np.abs(found.mean - rows.mean(axis=1)) <= 1e-6 * rows.std(axis=1)).all()
    np.testing.assert_allclose(found.std, rows.std(axis=1), rtol=1e-4)


def test_rows_that_are_constant_or_not_finite_are_sorted_exactly():
    rows = np.random.default_rng(1).normal(size=(6, 5000)).astype(np.float32)
    rows[0, 7], rows[1, 7], rows[2, 7] = np.nan, np.inf, -np.inf
    rows[3] = 2.5
    found = distribution(rows).ordered
    np.testing.assert_array_equal(found, np.sort(rows, axis=1))


def test_rows_at_the_end_of_float32_stay_in_order():
    rows = np.random.default_rng(1).normal(size=(1, 5000)).astype(np.float32)
    rows[0, :2] = -3e38, 3e38
    found = distribution(rows).ordered[0]
    np.testing.assert_allclose(found[[0, -1]], [-3e38, 3e38], rtol=1e-3)
    assert (np.diff(found) >= 0).all()


@every_case("activation", ["tanh", "relu"])
def test_wide_layers_are_measured_as_numpy_does(activation):
    """At the default width, rounding loses nothing that a person could see."""
    context = make_context("none", width=100, dtype=torch.float32, activation=activation)
    inputs = inputs_of(context).reshape(3, -1)
    by_layer = np.quantile(inputs, [0.15, 0.5, 0.85], axis=1).T
    found = percentiles.measure(context)["layer"]
    np.testing.assert_allclose(found, by_layer, atol=3e-4 * inputs.std())
    for layer, counted in zip(
        inputs, histogram.measure(context)["nonlinearity_input"], strict=True
    ):
        reference = np.histogram(layer, axis.EDGES)[0] / layer.size
        np.testing.assert_allclose(counted / 65535, reference, atol=3e-4)


@every_case(
    ("activation", "is_flat"),
    [
        ("sigmoid", lambda h: (h < 0.05) | (h > 0.95)),
        ("tanh", lambda h: np.abs(h) > 0.9),
        ("relu", lambda h: h == 0),
        ("gelu", lambda h: np.zeros_like(h, bool)),
        ("linear", lambda h: np.zeros_like(h, bool)),
    ],
)
@every_case("position", POSITIONS)
def test_saturated_share(activation, is_flat, position):
    context = make_context("batch", activation=activation, norm_position=position)
    outputs = np.stack([layer.activation.numpy() for layer in context.probe_training.layers])
    values = saturation.measure(context)
    np.testing.assert_allclose(values["saturated"], is_flat(outputs).mean(axis=(1, 2)), rtol=1e-6)


def test_dead_units_are_those_zero_on_the_whole_probe_set():
    context = make_context("none", activation="relu")
    bias = context.network.parameters()["layer 2.bias"]
    bias[:3] = -1e3
    dead = saturation.measure(context)["dead"]
    outputs = context.probe_training.layers[1].activation.numpy()
    assert dead[1] == np.float32((outputs == 0).all(axis=0).mean()) >= 3 / 12
    np.testing.assert_array_equal(saturation.measure(make_context("none"))["dead"], 0)
