"""How verdicts read a run, tested on synthetic records."""

from dataclasses import replace

import pytest

from bnviz.config import RunConfig
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.records import Change, NetworkRecord, Snapshot
from tests.every_case import every_case

BLANK = NetworkRecord(
    loss=1.0, test_loss=1.0, test_accuracy=0.5, state="learning", broke=None, probes={}
)


def at(step, **accuracies):
    return Snapshot(step, {n: replace(BLANK, test_accuracy=a) for n, a in accuracies.items()})


def observed(*snapshots, config=None, **more):
    return Observation(snapshots=snapshots, config=config or RunConfig(), **more)


OBSERVATION = observed(
    at(10, none=0.11, batch=0.12), at(20, none=0.21, batch=0.22), at(20, none=0.23, batch=0.24),
    at(30, batch=0.32), at(40, none=0.41, batch=float("nan")),
)  # fmt: skip


def test_one_network_is_read_at_one_step_the_last_of_several():
    assert (OBSERVATION.accuracy(10, "none"), OBSERVATION.accuracy(10, "batch")) == (0.11, 0.12)
    assert (OBSERVATION.accuracy(20, "none"), OBSERVATION.accuracy(20, "batch")) == (0.23, 0.24)
    assert OBSERVATION.accuracy(40, "batch") == 0, "its outputs are not finite"
    assert OBSERVATION.last_step == 40


@every_case(
    ("step", "network", "said"),
    [(9, "none", "step 9"), (25, "none", "step 25"), (41, "none", "step 41"),
     (30, "none", "none"), (10, "ablated", "ablated")],
)  # fmt: skip
def test_what_was_not_measured_is_named(step, network, said):
    with pytest.raises(NotMeasured, match=said):
        OBSERVATION.at(step, network)


@every_case(
    ("first", "last", "found"),
    [(10, 40, {10: 0.11, 20: 0.23, 40: 0.41}), (11, 39, {20: 0.23}), (20, 20, {20: 0.23}),
     (21, 30, {}), (0, 10, {10: 0.11}), (40, 99, {40: 0.41})],
)  # fmt: skip
def test_accuracies_are_those_from_one_step_to_another_both_of_them_included(first, last, found):
    assert OBSERVATION.accuracies("none", first, last) == found


def test_of_a_network_that_is_not_finite_accuracies_are_zero():
    assert OBSERVATION.accuracies("batch", 30, 40) == {30: 0.32, 40: 0}


def test_nothing_watched_has_no_last_step_and_does_not_stand_still():
    assert (observed().last_step, observed().stands_still) == (-1, False)
    with pytest.raises(NotMeasured, match="step 0"):
        observed().at(0, "none")


def test_a_run_stands_still_where_one_of_its_networks_takes_no_steps_at_the_end():
    paused = replace(BLANK, undefined_norm="too few")
    before, after = Snapshot(1, {"batch": paused}), at(2, none=0.5, batch=0.5)
    assert not observed(before, after).stands_still
    assert observed(after, Snapshot(3, {"none": BLANK, "batch": paused})).stands_still


@every_case(
    ("measured_at", "there"), [({}, True), ({"saturation": 25}, True), ({"saturation": 20}, False)]
)
def test_a_value_counts_only_where_it_was_measured_at_that_very_step(measured_at, there):
    probes = {"saturation": {"saturated": [0.5, 0.25]}, "gradients": {}}
    record = replace(BLANK, probes=probes, measured_at={"gradients": 20, **measured_at})
    run = observed(Snapshot(25, {"none": record}))
    if there:
        assert run.value(25, "none", "saturation", "saturated").tolist() == [0.5, 0.25]
    else:
        with pytest.raises(NotMeasured, match="saturation at step 25"):
            run.value(25, "none", "saturation", "saturated")
    for probe, key in (("saturation", "dead"), ("gradients", "growth"), ("cut", "steps")):
        with pytest.raises(NotMeasured, match=f"{probe} at step 25"):
            run.value(25, "none", probe, key)


CHANGES = (
    Change(10, {"learning_rate": 0.2}), Change(10, {"learning_rate": 0.3, "batch_size": 8}),
    Change(20, {"learning_rate": 0.4}),
)  # fmt: skip


@every_case(("step", "rate", "batch"), [(9, 0.1, 60), (10, 0.3, 8), (19, 0.3, 8), (20, 0.4, 8)])
def test_a_knob_is_what_the_last_change_up_to_a_step_made_it(step, rate, batch):
    run = observed(changes=CHANGES)
    assert (run.knob("learning_rate", step), run.knob("batch_size", step)) == (rate, batch)


def moved(*, config=None, changes=(), theirs=(), until=100, free=()):
    run = observed(config=config, changes=changes)
    return run.changed_knobs(RunConfig(), theirs, until, free)


def test_a_knob_that_began_as_something_else_is_told_with_both_its_values():
    """Each pair contains the required value and the value found in the run."""
    config = RunConfig(width=64, depth=3, seed=9)
    assert moved(config=config) == {"depth": (6, 3), "width": (100, 64)}
    assert moved(config=config, free=("depth",)) == {"width": (100, 64)}


def test_a_change_that_only_one_of_two_runs_made_is_told_with_both_values():
    up = (Change(50, {"learning_rate": 1.0}),)
    assert moved(changes=up) == {"learning_rate": (0.1, 1.0)}
    assert moved(theirs=up) == {"learning_rate": (1.0, 0.1)}
    assert moved(changes=up, theirs=up) == {}
    assert moved(changes=up, free=("learning_rate",)) == {}


@pytest.mark.parametrize(("until", "counts"), [(51, True), (50, False)])
def test_a_change_acts_only_before_the_step_that_is_judged(until, counts):
    up = (Change(50, {"learning_rate": 1.0}),)
    assert bool(moved(changes=up, until=until)) is counts
    assert bool(moved(theirs=up, until=until)) is counts


def test_of_several_steps_at_which_a_knob_differs_the_last_is_told():
    """A drag sets every value that it passes."""
    later = (Change(10, {"learning_rate": 0.5}), Change(20, {"learning_rate": 0.7}))
    assert moved(changes=later) == {"learning_rate": (0.1, 0.7)}
    assert moved(changes=(*later, Change(30, {"learning_rate": 0.1}))) == {
        "learning_rate": (0.1, 0.7)
    }, "the knob was reset"
    both = moved(changes=later, config=RunConfig(learning_rate=0.3, depth=3))
    assert both == {"learning_rate": (0.1, 0.7), "depth": (6, 3)}


def test_what_was_set_and_put_back_between_two_steps_never_acted():
    at_once = (Change(20, {"learning_rate": 5.0}), Change(20, {"learning_rate": 0.1}))
    assert moved(changes=at_once) == {}
    assert moved(changes=(at_once[0], Change(21, {"learning_rate": 0.1}))) == {
        "learning_rate": (0.1, 5.0)
    }
