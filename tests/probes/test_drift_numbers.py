"""Drift of small hand-written distributions, compared with closed forms."""

import math

import numpy as np
import pytest

from bnviz.probes import drift, percentiles
from tests.every_case import every_case
from tests.probes.contexts import make_context

LEVELS = 512


def measure(before, after=None, memory=None, step=0):
    """Return the drift of layers with given values before and after a norm, one list per layer."""
    context = given(before, before if after is None else after, memory)
    context.step = step
    return drift.measure(context)


def given(before, after, memory=None):
    """Return a context whose layers have these values [L][n] in their only unit."""
    context = make_context("none", steps=0, memory={} if memory is None else memory)
    context.pre_activations = np.array(before, dtype=np.float64)[:, :, None]
    context.nonlinearity_inputs = np.array(after, dtype=np.float64)[:, :, None]
    return context


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


# An asymmetric distribution with mean 3 and variance 12.5.
SKEWED = [0.0, 1.0, 2.0, 9.0]
SIGMA = math.sqrt(12.5)


@every_case(
    ("now", "distance", "mean", "ratio"),
    [
        # The distribution is shifted as a whole, up and down.
        ([2.0, 3.0, 4.0, 11.0], 2.0, 2.0, 1.0),
        ([-2.0, -1.0, 0.0, 7.0], 2.0, -2.0, 1.0),
        # Reordered: examples may swap places without changing the distribution.
        ([9.0, 0.0, 2.0, 1.0], 0.0, 0.0, 1.0),
        # Scaled about 0: three times as wide, and half as wide.
        ([0.0, 3.0, 6.0, 27.0], 6.0, 6.0, 3.0),
        ([0.0, 0.5, 1.0, 4.5], 1.5, -1.5, 0.5),
        # Mirrored: sorted, (−9, −2, −1, 0) is compared with (0, 1, 2, 9).
        ([0.0, -1.0, -2.0, -9.0], (9 + 3 + 3 + 9) / 4, -6.0, 1.0),
        # Two values move up and two move down by the same amount, so the mean is the only number
        # that stays the same.
        ([-1.0, 0.0, 3.0, 10.0], 1.0, 0.0, math.sqrt(18.5 / 12.5)),
    ],
)
def test_distance_shift_and_widening_are_those_of_the_numbers(now, distance, mean, ratio):
    memory = {}
    measure([SKEWED], memory=memory)
    found = measure([now], memory=memory, step=5)
    for since in ("start", "last"):
        for row in (0, 1):
            close(found[f"w1_{since}"][row], [distance / SIGMA])
            close(found[f"mean_{since}"][row], [mean / SIGMA])
            close(found[f"log_sigma_{since}"][row], [math.log(ratio)])


def test_what_counts_is_the_deviation_of_the_reference_and_not_that_of_now():
    memory = {}
    measure([[-1.0, 1.0]], memory=memory)
    found = measure([[6.0, 14.0]], memory=memory, step=1)
    close(found["mean_start"][0], [10.0])
    close(found["w1_start"][0], [10.0])
    close(found["log_sigma_start"][0], [math.log(4)])


def test_each_layer_and_each_side_of_the_norm_stands_for_itself():
    memory = {}
    wide, narrow = [-2.0, 2.0], [-1.0, 1.0]
    measure([wide, narrow], [narrow, wide], memory)
    found = measure([[0.0, 4.0], [-3.0, 3.0]], [[-1.0, 1.0], [-4.0, 0.0]], memory, 1)
    close(found["w1_start"], [[1.0, 2.0], [0.0, 1.0]])
    close(found["mean_start"], [[1.0, 0.0], [0.0, -1.0]])
    close(found["log_sigma_start"], [[0.0, math.log(3)], [0.0, 0.0]])
    assert all(value.dtype == np.float32 for value in found.values())


def test_the_start_stays_the_start_and_last_is_the_measurement_before():
    memory = {}
    moved = [measure([[at - 1.0, at + 1.0]], memory=memory, step=at) for at in (0, 3, 7, 8)]
    close([float(one["mean_start"][0, 0]) for one in moved], [0, 3, 7, 8])
    close([float(one["mean_last"][0, 0]) for one in moved], [0, 3, 4, 1])
    stretched = [measure([[-(2.0**at), 2.0**at]], memory=memory, step=at) for at in (9, 11)]
    close(stretched[1]["log_sigma_last"][0], [2 * math.log(2)])
    close(stretched[1]["log_sigma_start"][0], [11 * math.log(2)])


def test_after_a_measurement_at_a_later_step_the_start_is_that_of_the_first_weights():
    """The reference for drift is the initial distribution, not the first measurement."""
    context = make_context("none", steps=4)
    start = make_context("none", steps=0)
    drift.measure(context)
    expected = np.sort(start.pre_activations.reshape(3, -1), axis=1)
    kept = context.memory["drift.start.quantiles"][0]
    places = ((np.arange(LEVELS) + 0.5) * expected.shape[1] / LEVELS).astype(int)
    np.testing.assert_allclose(kept, expected[:, places], rtol=1e-12)


@every_case("count", [LEVELS - 1, LEVELS])
def test_as_many_values_as_levels_are_all_kept(count):
    memory = {}
    measure([np.arange(count)[::-1]], memory=memory)
    kept = memory["drift.start.quantiles"]
    assert kept.shape == (2, 1, count)
    np.testing.assert_array_equal(kept[0, 0], np.arange(count))


@every_case(
    ("count", "places"),
    [
        (2 * LEVELS, 2 * np.arange(LEVELS) + 1),
        (3 * LEVELS, 3 * np.arange(LEVELS) + 1),
        # If there is one value more than levels, the middle value is left out.
        (LEVELS + 1, np.delete(np.arange(LEVELS + 1), LEVELS // 2)),
    ],
)
def test_of_more_values_those_in_the_middle_of_each_level_are_kept(count, places):
    memory = {}
    measure([np.arange(count)], memory=memory)
    kept = memory["drift.start.quantiles"][0, 0]
    assert len(kept) == LEVELS
    np.testing.assert_array_equal(kept, places)
    # The mean and the standard deviation are computed from all values.
    assert memory["drift.start.mean"][0, 0] == pytest.approx((count - 1) / 2, rel=1e-12)
    assert memory["drift.start.std"][0, 0] == pytest.approx(
        math.sqrt((count**2 - 1) / 12), rel=1e-12
    )
    found = measure([3 * np.arange(count)], memory=memory, step=1)
    close(found["w1_start"][0], [2 * places.mean() / math.sqrt((count**2 - 1) / 12)])


def test_a_layer_that_was_constant_has_moved_infinitely_far_and_others_as_they_did():
    memory = {}
    measure([[3.0, 3.0], [-1.0, 1.0]], memory=memory)
    found = measure([[4.0, 4.0], [-1.0, 3.0]], memory=memory, step=1)
    assert found["mean_start"][0, 0] == math.inf
    assert math.isnan(found["log_sigma_start"][0, 0])
    close(found["mean_start"][0, 1], 1.0)


def test_percentiles_are_those_of_the_paper_between_the_values_that_are_there():
    """Percentiles 15, 50 and 85 of 21 values are values of the sample. For 11 values, two of these
    percentiles are interpolated.
    """
    context = given([np.arange(21)], [np.arange(21)[::-1] * 10])
    found = percentiles.measure(context)
    np.testing.assert_array_equal(found["layer"], [[30, 100, 170]])
    np.testing.assert_array_equal(found["unit"], np.full((1, 8, 3), [30, 100, 170]))
    found = percentiles.measure(given([np.zeros(11)], [np.arange(11.0) ** 2]))
    np.testing.assert_allclose(found["layer"], [[1 + 0.5 * 3, 25, 64 + 0.5 * 17]])


def test_percentiles_of_units_and_of_their_layer_are_told_apart():
    context = given([np.zeros(21)], [np.zeros(21)])
    context.nonlinearity_inputs = np.stack([np.arange(21) * (unit + 1.0) for unit in range(8)], 1)[
        None
    ]
    found = percentiles.measure(context)
    np.testing.assert_array_equal(
        found["unit"][0], np.outer(np.arange(8) + 1, [3, 10, 17]).astype(np.float32)
    )
    everything = np.sort(context.nonlinearity_inputs.ravel())
    np.testing.assert_allclose(found["layer"][0], np.quantile(everything, [0.15, 0.5, 0.85]))
