"""Shapes of distributions, compared with plain float64 sums and with known distributions."""

import math

import numpy as np
import pytest
import torch

from bnviz.networks.trace import unit_rows
from bnviz.pieces import run_to_end
from bnviz.probes import normality
from tests.every_case import every_case
from tests.probes.contexts import make_context

KEYS = {"skewness", "kurtosis", "distance", "not_normal", "zeros"}
EVEN = 4000


def measured(context):
    return run_to_end(normality.measure(context))


def plainly(values):
    """Return the skewness, the excess kurtosis and the distance from a normal distribution for
    one unit's values, computed without NumPy.
    """
    count = len(values)
    mean = math.fsum(values) / count
    spread = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / count)
    z = sorted((v - mean) / spread for v in values)
    normal = [0.5 * (1 + math.erf(v / math.sqrt(2))) for v in z]
    distance = max(
        max((rank + 1) / count - share, share - rank / count) for rank, share in enumerate(normal)
    )
    return math.fsum(v**3 for v in z) / count, math.fsum(v**4 for v in z) / count - 3, distance


def quantiles(inverse):
    """Return quantiles of a distribution at evenly spaced levels, as one unit's values [n, 1]."""
    levels = (np.arange(EVEN) + 0.5) / EVEN
    return np.array([inverse(level) for level in levels])[:, None]


def by_hand(rows):
    varying = [plainly(list(map(float, unit))) for unit in rows.T if np.ptp(unit) > 0]
    table = np.array(varying)
    limit = 0.886 / math.sqrt(len(rows))
    return (
        np.median(np.abs(table[:, 0])), np.median(table[:, 1]), np.median(table[:, 2]),
        np.mean(table[:, 2] > limit), np.mean(rows == 0),
    )  # fmt: skip


@every_case("network", ["mlp", "conv"])
@every_case(("norm", "activation"), [("none", "relu"), ("batch", "sigmoid"), ("layer", "tanh")])
def test_each_number_is_that_of_plain_sums(norm, activation, network):
    context = make_context(norm, network=network, activation=activation, width=6, depth=2)
    found, below = measured(context), context.probe_training.inputs
    assert found.keys() == KEYS
    for row, layer in enumerate(context.probe_training.layers):
        for column, values in enumerate((below, layer.pre_activation, layer.normalized)):
            expected = by_hand(unit_rows(values).numpy())
            got = [found[name][row, column] for name in
                   ("skewness", "kurtosis", "distance", "not_normal", "zeros")]  # fmt: skip
            np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)
        below = layer.output


@every_case(
    ("inverse", "skewness", "kurtosis", "distance"),
    [
        # uniform distribution, whose distance from the normal distribution is largest at the ends
        (lambda p: p, 0, -6 / 5, 0.5 * (1 + math.erf(-math.sqrt(3 / 2)))),
        (lambda p: -math.log(1 - p), 2, 6, 0.5 * (1 + math.erf(-1 / math.sqrt(2)))),  # exponential
        (lambda p: math.copysign(math.log(1 - abs(2 * p - 1)), p - 0.5), 0, 3, None),  # Laplace
    ],
)  # fmt: skip
def test_shapes_of_known_distributions(inverse, skewness, kurtosis, distance):
    found = normality.normality(quantiles(inverse))
    assert found.skewness[0] == pytest.approx(skewness, abs=0.05)
    assert found.kurtosis[0] == pytest.approx(kurtosis, abs=0.4)
    if distance is not None and skewness:
        assert found.distance[0] == pytest.approx(distance, abs=0.003), (
            "just below its initial value"
        )
    assert found.distance[0] > 0.05


def test_normal_values_are_as_near_to_normal_as_their_number_allows():
    levels = (torch.arange(EVEN, dtype=torch.float64) + 0.5) / EVEN
    found = normality.normality(torch.special.ndtri(levels).numpy()[:, None])
    assert abs(found.skewness[0]) < 1e-9
    assert abs(found.kurtosis[0]) < 0.02
    assert found.distance[0] < 1.5 / EVEN


def test_two_values_are_as_far_as_any_two_equal_halves():
    """z is ±1: half of the values are at −1, but a normal distribution has 0.1587 below −1."""
    found = normality.normality(np.repeat([[-3.0], [5.0]], 50, axis=0))
    assert found.distance[0] == pytest.approx(0.5 - 0.5 * (1 + math.erf(-1 / math.sqrt(2))))
    assert found.kurtosis[0] == pytest.approx(-2)


def test_what_only_moves_and_stretches_a_unit_does_not_change_its_shape():
    """BN does not change the shape either: x̂ is as far from normal as Wu."""
    found = measured(make_context("batch", dtype=torch.float64, norm_eps=0.0))
    for name in KEYS - {"zeros"}:
        np.testing.assert_allclose(found[name][:, 2], found[name][:, 1], rtol=1e-5, atol=1e-6)


def test_without_a_norm_what_it_gives_is_what_it_gets():
    found = measured(make_context("none"))
    for name in KEYS:
        np.testing.assert_array_equal(found[name][:, 2], found[name][:, 1])


def test_the_share_of_units_that_are_not_normal():
    generator = np.random.default_rng(4)
    rows = np.concatenate(
        [generator.normal(size=(400, 30)), generator.exponential(size=(400, 10))], axis=1
    )
    numbers = normality.numbers_of(rows)
    assert 0.2 <= numbers[3] < 0.4, "the ten exponential ones, and few of the others"


def test_units_that_do_not_vary_are_left_out_but_their_zeros_count():
    rows = np.zeros((300, 4))
    rows[:, 0] = np.random.default_rng(0).exponential(size=300)
    rows[:, 1] = 7.1
    alone = normality.numbers_of(rows[:, :1])
    assert normality.numbers_of(rows)[:4] == pytest.approx(alone[:4])
    assert normality.numbers_of(rows)[4] == 0.5
    none_varies = normality.numbers_of(rows[:, 1:])
    assert all(map(math.isnan, none_varies[:4]))
    assert none_varies[4] == pytest.approx(2 / 3)


@every_case("bad", [np.nan, np.inf])
def test_one_value_that_is_not_finite_makes_all_unknown(bad):
    rows = np.random.default_rng(0).normal(size=(30, 4))
    rows[2, 1] = bad
    assert all(map(math.isnan, normality.numbers_of(rows)))


def test_a_recurrent_network_is_left_out():
    assert measured(make_context("batch", network="recurrent")) == {}
