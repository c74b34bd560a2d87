"""Test each headline on hand-made records: its condition, its limits, its numbers and its
priority.
"""

import dataclasses
import math

import pytest

from bnviz.records import AccuracyTrace, NetworkRecord
from bnviz.words.headline import headline, recent_state
from tests.every_case import every_case

NAN = math.nan
STEP = 60
# A network with four classes that learns. Two of its evaluations are within the last 50 steps, and
# one is earlier.
TRACE = AccuracyTrace(
    chance=0.25, test_accuracies=((5, 0.8), (30, 0.85), (55, 0.9)), batches=0.88, fell=None,
    left_chance=True, at_chance_since=0, loss_ratio=0.5,
)  # fmt: skip
RECORD = NetworkRecord(0.4, 0.5, 0.9, "learning", None, {}, accuracy_trace=TRACE)
AT_CHANCE = {"test_accuracies": ((30, 0.26), (55, 0.27)), "batches": 0.26}


def of(accuracy=0.9, *, step=STEP, accuracy_trace=None, **fields):
    """Return the headline of the example network, with some fields changed."""
    now = dataclasses.replace(TRACE, **(accuracy_trace or {}))
    given = {"test_accuracy": accuracy, "accuracy_trace": now, **fields}
    return headline(step, dataclasses.replace(RECORD, **given))


def test_one_that_was_and_is_above_chance_learns():
    assert of() == ("learning", {})


# Measurements.


@pytest.mark.parametrize(("accuracy", "falls"), [(0.6749, True), (0.6751, False)])
def test_falling_is_below_three_quarters_of_the_highest_look_wherever_it_stands(accuracy, falls):
    for tests in (((5, 0.9), (30, 0.8)), ((5, 0.8), (55, 0.9)), ((30, 0.9), (55, 0.69))):
        found = of(accuracy, accuracy_trace={"test_accuracies": tests, "batches": 0.7})
        expected = ("falling", {"before": 0.9, "now": accuracy}) if falls else None
        assert (found == expected) if falls else (found[0] != "falling")


def test_what_classifies_nothing_has_fallen_to_nothing():
    assert of(NAN) == ("falling", {"before": 0.9, "now": 0.0})


@every_case(
    ("tests", "now", "found"),
    [
        # The accuracy fell at one evaluation, and it is high again at a later evaluation or at the
        # present step.
        ((0.8, 0.4, 0.8), 0.8, ("unsteady", {"low": 0.4, "high": 0.8})),
        ((0.8, 0.5999), 0.8, ("unsteady", {"low": 0.5999, "high": 0.8})),
        ((0.8, 0.6001), 0.8, ("learning", {})),
        ((0.9, 0.5999), 0.8, ("unsteady", {"low": 0.5999, "high": 0.9})),
        ((0.9, 0.6001), 0.8, ("learning", {})),
        ((0.9, NAN), 0.8, ("unsteady", {"low": 0.0, "high": 0.9})),
        # An accuracy that only rises or only falls is not unsteady.
        ((0.31, 0.6), 0.8, ("learning", {})),
        ((0.8, 0.5), 0.45, ("falling", {"before": 0.8, "now": 0.45})),
        # A fall cannot start at chance level.
        ((0.2999, 0.2), 0.9, ("leaving_chance", {})),
        ((0.3001, 0.2), 0.9, ("unsteady", {"low": 0.2, "high": 0.9})),
        # The present accuracy can be the low point of an unsteady network. If it is at chance
        # level, it is a fall of its own.
        ((0.8, 0.4, 0.8), 0.3001, ("unsteady", {"low": 0.3001, "high": 0.8})),
        ((0.8, 0.4, 0.8), 0.2999, ("falling", {"before": 0.8, "now": 0.2999})),
        ((0.8, 0.4, 0.8, 0.3, 0.8), 0.3, ("unsteady", {"low": 0.3, "high": 0.8})),
    ],
)
def test_unsteady_is_who_fell_by_a_quarter_and_rose_again(tests, now, found):
    tests = tuple((10 + 5 * at, look) for at, look in enumerate(tests))
    assert of(now, accuracy_trace={"test_accuracies": tests, "batches": 0.7}) == found


@pytest.mark.parametrize(("before", "key"), [(0.2999, "at_chance"), (0.3001, "falling")])
def test_from_chance_nobody_falls(before, key):
    trace = {"test_accuracies": ((30, before),), "batches": 0.2, "left_chance": False}
    assert of(0.1, accuracy_trace=trace)[0] == key


@pytest.mark.parametrize(
    ("last", "found"),
    [
        (0.5999, ("falling_in_training", {"before": 0.8, "now": 0.5999})),
        (0.6001, ("learning", {})),
    ],
)
def test_falling_in_training_is_below_three_quarters_of_the_highest_mean(last, found):
    assert of(accuracy_trace={"fell": (0.8, last)}) == found


def test_a_fall_on_the_test_set_is_told_before_one_in_training():
    assert of(0.3, accuracy_trace={"fell": (0.8, 0.1)}) == ("falling", {"before": 0.9, "now": 0.3})
    assert of(0.26, accuracy_trace={**AT_CHANCE, "fell": (0.8, 0.1)})[0] == "falling_in_training"


@pytest.mark.parametrize(("accuracy", "at"), [(0.2999, True), (0.3001, False)])
def test_at_chance_is_a_twentieth_above_it_at_most(accuracy, at):
    found = of(accuracy, accuracy_trace=AT_CHANCE)
    assert found[0] == ("back_at_chance" if at else "leaving_chance")


def test_back_at_chance_since_the_last_look_above_it_and_no_longer_than_the_run():
    for since, told in ((0, 0), (31, 31), (STEP, STEP), (STEP + 1, STEP)):
        found = of(0.26, accuracy_trace={**AT_CHANCE, "at_chance_since": since})
        assert found == ("back_at_chance", {"since": told})


@every_case(
    ("step", "found"),
    [
        (0, ("not_started", {})),
        (1, ("at_chance_one", {"steps": 1})),
        (2, ("at_chance", {"steps": 2})),
        (60, ("at_chance", {"steps": 60})),
    ],
)
def test_one_that_never_left_chance_is_told_for_how_many_steps(step, found):
    trace = {"test_accuracies": ((0, 0.26),), "batches": 0.26, "left_chance": False}
    assert of(0.26, step=step, accuracy_trace=trace) == found


@pytest.mark.parametrize(
    ("batches", "found"),
    [(0.3499, "back_at_chance"), (0.3501, "chance_in_test")],
)
def test_chance_in_test_alone_is_a_tenth_above_it_in_training(batches, found):
    told = of(0.26, accuracy_trace={**AT_CHANCE, "batches": batches})
    assert told[0] == found
    assert found != "chance_in_test" or told[1] == {"accuracy": batches}


def test_outputs_that_are_not_finite_come_before_chance_in_test():
    assert of(NAN, accuracy_trace={**AT_CHANCE, "batches": 0.9}) == ("not_finite", {})


@every_case(
    ("batches", "found"),
    [
        (0.2999, ("chance_in_training", {"accuracy": 0.2999})),
        (0.3001, ("leaving_chance", {})),
        (0.3199, ("leaving_chance", {})),
        (0.3201, ("learning", {})),
    ],
)
def test_mini_batches_at_chance_are_told_and_those_hardly_above_it_leave_it(batches, found):
    assert of(accuracy_trace={"batches": batches}) == found


@every_case(
    ("at", "batches", "key"),
    [
        (30, 0.3499, "leaving_chance"),
        (30, 0.3501, "learning"),
        # An evaluation 50 steps ago counts, and an earlier one does not.
        (10, 0.3499, "leaving_chance"),
        (9, 0.3499, "learning"),
    ],
)
def test_where_a_look_was_at_chance_mini_batches_must_be_plainly_above_it(at, batches, key):
    tests = ((at, 0.2999), (at + 5, 0.9), (55, 0.9))
    assert of(accuracy_trace={"test_accuracies": tests, "batches": batches})[0] == key


def test_a_look_that_was_not_finite_was_at_chance():
    tests = ((30, NAN), (35, 0.9), (55, 0.9))
    assert of(accuracy_trace={"test_accuracies": tests, "batches": 0.34})[0] == "leaving_chance"
    assert of(accuracy_trace={"test_accuracies": tests, "batches": 0.36})[0] == "learning"


@every_case(
    ("tests", "now", "mean"),
    [
        # 25 steps at the lower of 0.3 and 0.5, then 25 at the lower of 0.5 and 0.4. Step 10 is 50
        # steps ago.
        (((10, 0.3), (35, 0.5)), 0.4, (25 * 0.3 + 25 * 0.4) / 50),
        # An evaluation before the last 50 steps counts only for the part of its interval that is
        # within these 50 steps.
        (((0, 0.3), (25, 0.5), (50, 0.45)), 0.4, (15 * 0.3 + 25 * 0.45 + 10 * 0.4) / 50),
        # An interval that ends where the last 50 steps begin does not count.
        (((0, 0.1), (10, 0.4)), 0.6, 0.4),
        # If a run has fewer than 50 steps, all of them count.
        (((40, 0.3), (50, 0.5)), 0.5, (10 * 0.3 + 10 * 0.5) / 20),
        # Accuracies that are not finite count as 0.
        (((10, NAN), (35, 0.6)), 0.5, 25 * 0.5 / 50),
    ],
)
def test_the_mean_of_the_looks_counts_steps_and_between_two_the_lower_one(tests, now, mean):
    """A mean accuracy of up to chance + 0.07 counts as leaving chance, so the test sets chance such
    that the mean is just above and just below this limit.
    """
    for off, key in ((-1e-6, "learning"), (1e-6, "leaving_chance")):
        trace = {"test_accuracies": tests, "chance": mean - 0.07 + off, "batches": 0.99}
        assert of(now, accuracy_trace=trace)[0] == key


def test_at_the_very_step_of_its_only_look_the_mean_is_that_of_now():
    trace = {"test_accuracies": ((STEP, 0.9),), "batches": 0.99}
    assert of(0.7, accuracy_trace=trace)[0] == "learning"
    assert (
        of(0.31, accuracy_trace={**trace, "test_accuracies": ((STEP, 0.31),)})[0]
        == "leaving_chance"
    )


def gradients(*norms, at=None):
    measured = {} if at is None else {"gradients": at}
    return {"probes": {"gradients": {"grad_weight_norm": list(norms)}}, "measured_at": measured}


@every_case(
    ("fields", "found"),
    [
        ({**gradients(0.0, 0.0), "loss": 0.0011}, "no_gradient"),
        ({**gradients(0.0, 0.0), "loss": 0.0009}, "learning"),
        ({**gradients(0.0, 1e-30), "loss": 1.0}, "learning"),
        ({**gradients(), "loss": 1.0}, "learning"),
        ({**gradients(0.0, 0.0, at=STEP), "loss": 1.0}, "no_gradient"),
        ({**gradients(0.0, 0.0, at=STEP - 1), "loss": 1.0}, "learning"),
    ],
)
def test_no_gradient_is_all_zero_now_though_the_loss_is_not(fields, found):
    assert of(**fields)[0] == found


def test_without_a_course_it_says_what_the_state_does():
    for state in ("stuck", "blown_up", "learning"):
        record = dataclasses.replace(RECORD, state=state, accuracy_trace=None)
        assert headline(STEP, record) == (state, {})
    assert (
        recent_state(STEP, dataclasses.replace(RECORD, state="stuck", accuracy_trace=None)).key
        == "stuck"
    )
