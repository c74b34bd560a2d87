"""Comparisons: allowed settings, and stored results of their runs."""

import itertools
import math

import pytest

from bnviz.config import ConfigError, RunConfig
from bnviz.planned_runs.comparison import (
    MOST_MEMBERS,
    MOST_STEPS,
    Comparison,
    ComparisonResult,
)
from bnviz.planned_runs.execution import run_plan
from bnviz.records import NetworkRecord, Snapshot
from tests.every_case import every_case

SMALL = RunConfig(depth=2, width=16, batch_size=16)
NORMAL = SMALL.replace(init="normal", init_std=1.0)


def rates(*values: float, **given) -> Comparison:
    """Return a comparison of learning rates, by default of two rates."""
    return Comparison.over(
        "learning_rate", values or (0.1, 0.2), SMALL, **{"last_step": 40} | given
    )


def snapshot(step: int, **accuracies: float) -> Snapshot:
    records = {
        norm: NetworkRecord(
            loss=1.0, test_loss=1.0, test_accuracy=accuracy, state="learning", broke=None,
            probes={}, measured_at={}, learning_rate=0.1,
        )
        for norm, accuracy in accuracies.items()
    }  # fmt: skip
    return Snapshot(step, records)


@every_case(
    ("given", "field"),
    [
        ({"last_step": 0}, "`last_step` must be .* got 0"),
        ({"last_step": MOST_STEPS + 1}, f"between 1 and {MOST_STEPS}"),
        ({"target_accuracy": 0.0}, "`target_accuracy` must be .* got 0.0"),
        ({"target_accuracy": 1.1}, "`target_accuracy` must be .* got 1.1"),
    ],
)
def test_what_a_comparison_may_not_say_is_refused(given, field):
    with pytest.raises(ValueError, match=field):
        rates(**given)


def test_a_series_has_members_that_can_be_compared():
    with pytest.raises(ValueError, match="2 to 10 entries, got 1"):
        rates(0.1)
    with pytest.raises(ValueError, match="got 11"):
        rates(*(0.01 * n for n in range(1, MOST_MEMBERS + 2)))
    with pytest.raises(ValueError, match="got nan"):
        Comparison.of("none", {math.nan: SMALL, 1.0: SMALL}, last_step=40)


def test_a_series_over_a_knob_changes_that_knob_alone():
    series = Comparison.over(
        "activation", ("tanh", "relu"), SMALL, last_step=9, target_accuracy=0.5
    )
    assert series.settings == {"tanh": SMALL, "relu": SMALL.replace(activation="relu")}
    assert series.target_accuracy == 0.5
    assert series.races
    assert not rates().races
    seeded = series.with_seed(7)
    assert [each.seed for each in seeded.settings.values()] == [7, 7]
    assert seeded != series
    assert seeded.with_seed(0) == series
    with pytest.raises(ConfigError, match="between"):
        Comparison.over("learning_rate", (0.1, 1e9), SMALL, last_step=9)
    with pytest.raises(ConfigError, match="sigma"):
        Comparison.over("sigma", (0.1, 1.0), SMALL, last_step=9)


@every_case("last", [1, 7, 31, 300, MOST_STEPS])
def test_runs_are_measured_evenly_from_the_first_step_to_the_last(last):
    shown = rates(last_step=last).plan.shown
    assert (shown[0], shown[-1]) == (0, last)
    gaps = {b - a for a, b in itertools.pairwise(shown)}
    assert max(gaps) - min(gaps) <= 1


def test_frames_that_a_fast_machine_makes_in_between_change_no_curve():
    one = rates(last_step=60)
    at = {step: step / 100 for step in (0, 2, 3, 4, 5, 59, 60)}
    frames = [snapshot(step, none=share, batch=math.nan) for step, share in at.items()]
    found = one.measured(0.1, frames)
    assert found.curves["none"].steps == (0, 2, 4, 60)
    assert found.curves["none"].accuracies == (0.0, 0.02, 0.04, 0.6)
    assert found.curves["batch"].last == 0.0, "a network without finite outputs has accuracy 0"
    assert found.curves["none"].reached is None
    with pytest.raises(ValueError, match="must not be empty"):
        one.measured(0.1, [])


def test_each_network_arrives_where_the_mean_of_three_tests_is_high_enough():
    one = rates(target_accuracy=0.5)
    frames = [snapshot(step, none=step / 40, batch=1.0) for step in one.plan.shown]
    found = one.measured(0.1, frames)
    assert (found.curves["none"].reached, found.curves["batch"].reached) == (20, 0)
    shares = {0: 0.1, 1: 0.6, 3: 0.1, 4: 0.6, 5: 0.9, 7: 0.6}
    once = one.measured(0.1, [snapshot(at, none=each, batch=0.1) for at, each in shares.items()])
    assert once.curves["none"].reached == 4, "a single test is not enough"
    assert once.curves["batch"].reached is None


def test_of_two_snapshots_of_one_step_the_later_one_counts_and_the_last_is_not_the_best():
    one = rates(last_step=60)
    frames = [
        snapshot(0, none=0.1, batch=0.2), snapshot(2, none=0.9, batch=0.3),
        snapshot(2, none=0.8, batch=0.4), snapshot(61, none=0.5, batch=0.6),
        snapshot(61, none=0.3, batch=0.1),
    ]  # fmt: skip
    found = one.measured(0.1, frames).curves
    assert (found["none"].steps, found["none"].accuracies) == ((0, 2, 61), (0.1, 0.8, 0.3))
    assert found["batch"].accuracies == (0.2, 0.4, 0.1)
    assert (found["none"].last, found["batch"].last) == (0.3, 0.1)


def test_a_result_has_the_ends_of_the_members_that_have_run_and_is_complete_with_the_last():
    values = (0.1, 0.2, 0.3)
    result = ComparisonResult(comparison=rates(*values))
    for place, value in enumerate(values):
        assert not result.complete
        assert (result.index, result.value, result.config.learning_rate) == (place, value, value)
        ends = [snapshot(0, none=0.9, batch=0.9), snapshot(40, none=place / 10, batch=place / 5)]
        result = result.with_next(ends)
        assert result.ends("none") == tuple(n / 10 for n in range(place + 1))
        assert result.ends("batch") == tuple(n / 5 for n in range(place + 1))
    assert result.complete


def test_a_result_tells_at_which_values_each_network_learned():
    series = Comparison.over("init_std", (0.1, 1.0, 3.0), NORMAL, last_step=9, learned=0.5)
    ends = {0.1: (0.5, 0.49), 1.0: (0.1, 0.2), 3.0: (0.9, math.nan)}
    done = [
        series.with_seed(3).measured(each, [snapshot(9, none=plain, batch=batch)])
        for each, (plain, batch) in ends.items()
    ]
    assert ComparisonResult(comparison=series, members=tuple(done)).learned("none") == (0.1, 3.0)
    assert ComparisonResult(comparison=series, members=tuple(done)).learned("batch") == ()
    assert ComparisonResult(comparison=series, members=tuple(done[:2])).learned("none") == (0.1,)
    assert ComparisonResult(comparison=series).learned("none") == ()
    unasked = Comparison.over("init_std", (0.1, 1.0, 3.0), NORMAL, last_step=9)
    assert ComparisonResult(comparison=unasked, members=tuple(done)).learned("none") == ()


def test_a_run_of_the_engine_goes_on_when_every_network_has_arrived():
    race = rates(target_accuracy=0.5, last_step=200)
    frames = list(run_plan(race.first, race.plan, probes=()))
    found = race.measured(0.1, frames)
    assert {curve.steps[-1] for curve in found.curves.values()} == {200}
    assert all(0 < (curve.reached or 0) < 200 for curve in found.curves.values())
    result = ComparisonResult(comparison=race).with_next(frames)
    assert not result.complete
    assert result.ends("batch") == (found.curves["batch"].last,)


def test_a_comparison_of_settings_by_name_may_differ_in_several_knobs():
    settings = {"shallow": SMALL, "deep": SMALL.replace(depth=4, learning_rate=0.3)}
    found = Comparison.of("depths", settings, last_step=9, target_accuracy=0.5, learned=0.8)
    assert (found.name, found.learned, found.races) == ("depths", 0.8, True)
    assert (found.settings, found.plan.last_step) == (settings, 9)
    other = SMALL.replace(norms=("none",))
    with pytest.raises(ValueError, match="same norms"):
        Comparison.of("others", {"one": SMALL, "two": other}, last_step=9)


def test_values_that_are_words_take_the_names_that_a_page_has_and_numbers_stay():
    settings = {"shallow": SMALL, "deep": SMALL.replace(depth=4)}
    found = Comparison.of("depths", settings, last_step=9)
    named = found.called({"shallow": "flach", "other": "x"})
    assert [*named.settings.items()] == [("flach", SMALL), ("deep", settings["deep"])]
    assert rates().called({"0.1": "x"}) == rates()
    with pytest.raises(ValueError, match="a different name"):
        found.called({"shallow": "x", "deep": "x"})
