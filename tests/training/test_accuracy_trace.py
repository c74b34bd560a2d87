"""Test evaluations and mini-batch accuracies, with hand-made values."""

import math

import pytest

from bnviz.training.accuracy_trace import AccuracyTracker
from tests.every_case import every_case

CHANCE = 0.25
EXAMPLES = 60


def tracker(*tests, accuracies=(), examples=EXAMPLES):
    """Return a tracker that has recorded test evaluations (step, accuracy) and mini-batch
    accuracies, for four classes.
    """
    found = AccuracyTracker(CHANCE)
    for step, accuracy in tests:
        found.add_test(step, accuracy)
    for at in range(len(accuracies)):
        found.observe(accuracies[: at + 1], examples)
    return found


def due(found, accuracies=(), last=120):
    return [step for step in range(26, last) if found.due(step, list(accuracies))]


def test_it_looks_every_five_steps_at_first_and_then_every_twenty_five():
    found = tracker()
    assert [step for step in range(24) if found.due(step, [])] == [0, 5, 10, 15, 20]
    assert due(found) == [50, 75, 100]


OFTEN, SELDOM = list(range(30, 120, 5)), [50, 75, 100]


@every_case(
    ("tests", "batches", "expected"),
    [
        # Two evaluations that differ by at most 0.1 count as settled, in either order.
        (((0, 0.8), (25, 0.9)), 0.9, SELDOM),
        (((0, 0.7999), (25, 0.9)), 0.9, OFTEN),
        (((0, 0.9), (25, 0.7999)), 0.9, OFTEN),
        # Only the last two evaluations count.
        (((0, 0.1), (25, 0.85), (50, 0.9)), 0.9, SELDOM),
        (((0, 0.9), (25, 0.6), (50, 0.9)), 0.9, OFTEN),
        # Accuracies that are not finite count as 0.
        (((0, math.nan), (25, 0.2)), 0.2, OFTEN),
        (((0, math.nan), (25, 0.09)), 0.2, SELDOM),
        # The last evaluation is at most 0.15 above chance, and the mini-batch accuracies are more
        # than 0.05 above chance.
        (((0, 0.4), (25, 0.4)), 0.3001, OFTEN),
        (((0, 0.4), (25, 0.4)), 0.2999, SELDOM),
        (((0, 0.41), (25, 0.4001)), 0.9, SELDOM),
        (((0, 0.4001), (25, 0.4)), 0.9, OFTEN),
        (((25, 0.4),), 0.9, OFTEN),
    ],
)
def test_it_looks_more_often_where_looks_differ_or_hardly_leave_chance(tests, batches, expected):
    assert due(tracker(*tests), [batches] * 60) == expected


@every_case(("low", "until"), [(0.5999, 250), (0.6001, 0), (math.nan, 250)])
def test_after_a_fall_by_a_quarter_it_looks_often_for_two_hundred_steps(low, until):
    found = tracker((0, 0.8), (50, low), (75, 0.8), (100, 0.8))
    often = [step for step in due(found, last=400) if step % 25]
    assert often == [step for step in range(30, until, 5) if step % 25]


def test_of_the_mini_batches_the_last_fifty_count():
    found = tracker((0, 0.3), (25, 0.3))
    assert due(found, [0.0] * 50 + [0.35] * 50) == OFTEN
    assert due(found, [0.9] * 50 + [0.25] * 50) == SELDOM


def test_the_course_has_the_looks_of_fifty_steps_and_the_one_before():
    tests = tuple((step, step / 1000) for step in (0, 25, 50, 75, 100))
    found = tracker(*tests)
    assert found.trace(100, [], 1.0).test_accuracies == tests[1:]
    assert found.trace(101, [], 1.0).test_accuracies == tests[2:]
    assert found.trace(125, [], 1.0).test_accuracies == tests[2:]
    assert found.trace(150, [], 1.0).test_accuracies == tests[3:]
    assert found.trace(40, [], 1.0).test_accuracies == tests
    assert tracker().trace(40, [], 1.0).test_accuracies == ()


def test_the_course_has_the_mean_of_the_last_fifty_mini_batches_and_what_it_is_given():
    accuracies = [0.0] * 30 + [1.0] * 10 + [0.5] * 40
    trace = tracker().trace(80, accuracies, 2.5)
    assert trace.batches == pytest.approx((10 * 1.0 + 40 * 0.5) / 50)
    assert (trace.chance, trace.loss_ratio) == (CHANCE, 2.5)
    assert tracker().trace(10, [0.2, 0.4], 1.0).batches == pytest.approx(0.3)
    assert math.isnan(tracker().trace(0, [], 1.0).batches)


@every_case(
    ("tests", "since", "left"),
    [
        ((), 0, False),
        (((0, 0.2999), (25, 0.2)), 0, False),
        (((0, 0.2), (25, 0.3001)), 26, False),
        (((0, 0.3499), (25, 0.2), (50, 0.1)), 1, False),
        (((0, 0.3501), (25, 0.2), (50, 0.1)), 1, True),
        (((0, 0.9), (25, 0.9), (50, 0.2)), 26, True),
        (((0, math.nan),), 0, False),
    ],
)
def test_at_chance_since_the_last_look_that_was_a_twentieth_above_it(tests, since, left):
    trace = tracker(*tests).trace(60, [], 1.0)
    assert (trace.at_chance_since, trace.left_chance) == (since, left)


@every_case(
    ("accuracies", "left"),
    [
        ([0.9] * 49, False),
        ([0.3501] * 50, True),
        ([0.3499] * 50, False),
        ([0.3501] * 50 + [0.0] * 50, True),
        ([0.9] * 10 + [0.0] * 90, False),
    ],
)
def test_fifty_mini_batches_a_tenth_above_chance_have_left_it(accuracies, left):
    assert tracker(accuracies=accuracies).trace(60, accuracies, 1.0).left_chance == left


def fell(*accuracies, examples=EXAMPLES):
    return tracker(accuracies=accuracies, examples=examples).trace(60, accuracies, 1.0).fell


def test_a_fall_has_the_highest_and_the_last_mean_of_five():
    found = fell(0.5, 0.6, 0.8, 0.9, 0.9, 0.9, 0.9, *[0.2] * 4)
    assert found == pytest.approx(((0.8 + 4 * 0.9) / 5, (0.9 + 4 * 0.2) / 5))
    assert fell(0.9, 0.9, 0.9, 0.1) is None, "no five"
    assert fell(*[0.2] * 4, *[0.9] * 9) is None, "the last one is the highest"
    assert fell(*[0.9] * 10, *[0.2] * 60) is None, "the drop was more than fifty steps ago"
    assert fell(*[0.9] * 10, *[0.2] * 45) == pytest.approx((0.9, 0.2))


def test_a_fall_counts_at_four_standard_errors():
    """Each mean is over five mini-batches. The pooled accuracy of the means 0.5 and 0.7 is 0.6."""
    high, low = 0.7, 0.5
    most = 16 * 0.6 * 0.4 * 2 / (5 * (high - low) ** 2)  # 38.4 examples
    assert fell(*[high] * 9, *[low] * 5, examples=math.ceil(most)) == pytest.approx((high, low))
    assert fell(*[high] * 9, *[low] * 5, examples=math.floor(most)) is None


def test_what_looks_remember_comes_back_from_a_checkpoint():
    accuracies = [0.4] * 50
    found = tracker((0, 0.3), (25, 0.9), accuracies=accuracies, examples=7)
    twin = AccuracyTracker(CHANCE)
    twin.load_tree(found.to_tree())
    later = [0.9] * 10 + [0.6] * 5
    for one in (found, twin):
        one.add_test(50, 0.2)
    assert twin.trace(60, later, 1.0) == found.trace(60, later, 1.0)
    assert due(twin, later) == due(found, later)
    assert twin.trace(60, later, 1.0).left_chance
