"""Rules of the lesson *Four numbers*, tested on synthetic runs."""

import math

import numpy as np
import pytest

from bnviz.lessons import by_hand
from bnviz.lessons.four_numbers import POINTS
from bnviz.lessons.words import Filling
from bnviz.records import Change
from bnviz.words.texts import texts
from tests.charts.conftest import make_chart
from tests.every_case import every_case
from tests.lessons.made_by_hand import judged, made, seen_numbers
from tests.lessons.observing import lesson

# Layer and unit index of the unit in the lesson's chart: last of six layers, fifth of the eight
# recorded units (unit 58).
PLACE = (5, 4)
MOVED_BY = (10 - 4.2) / math.sqrt(0.975)


def unit(*values, of=None, **more):
    """Return a run whose last mini-batch begins with these values of the unit at `PLACE`."""
    x = {(*PLACE, image): value for image, value in enumerate(values)}
    return made("by-hand", {(100, "batch"): {"unit_batch.x": x}}, of, **more)


def of_four(at=10):
    """Return the change to mini-batches of four at this step."""
    return (Change(at, {"batch_size": 4}),)


def expected(values, eps=1e-5):
    """Compute the rule's numbers from the values of a mini-batch."""
    high, count = max(values), len(values)
    mean, spread = sum(values) / count, np.std(values)
    after = [high + MOVED_BY * spread if value == high else value for value in values]
    results = [(value - mean) / math.sqrt(spread**2 + eps) for value in values]
    return {
        "run_before": min(results),
        "run_after": (min(values) - np.mean(after)) / math.sqrt(np.var(after) + eps),
        "run_spread": pytest.approx(np.std(results)),
    }  # fmt: skip


def opened(which):
    """Return a function that reads a selector's initial number from the lesson's first chart."""

    def read(at):
        chosen = {each.name: each for each in make_chart(at.charts[0], at.run.config).selectors}
        return int(chosen[which].options[chosen[which].default].split()[-1])

    return read


BY_HAND = "the widget beside it, By hand, prints the third result of each four values"
# The chart draws x̂ as one stroke per image of the mini-batch.
CHARTED = {
    "hand_before": BY_HAND,
    "hand_after": BY_HAND,
    "run_layer": opened("layer"),
    "run_unit": opened("unit"),
    "run_before": lambda at: at.value("formula", "batch.unit_batch.normalized").min(),
    "run_after": "the network never had the moved value; the rule computes the result",
}


def test_every_number_is_read_where_its_sentence_says():
    values = (1.0, 3.0, -0.5, 4.0)
    verdict = lesson("by-hand").verdict(unit(*values, changes=of_four()))
    assert (verdict.outcome, verdict.answer) == ("held", "nearer")
    assert verdict.numbers == {
        "hand_before": pytest.approx(-1.1140, abs=5e-5),
        "hand_after": pytest.approx(-0.7670, abs=5e-5),
        "run_layer": 6, "run_unit": 58,
        **{name: pytest.approx(value) for name, value in expected(values).items()},
    }  # fmt: skip
    before, after = (
        f"{verdict.numbers[name]:.3f}".replace("-", "−") for name in ("run_before", "run_after")
    )
    for outcome in ("held", "did_not_hold"):
        assert judged("by-hand", outcome, verdict.numbers) == [
            ["10", "−0.767", "−1.114"], ["58", "6", before, "5.87", after],
        ]  # fmt: skip


@every_case(
    ("changes", "count"),
    [((), 60), (of_four(), 4), (of_four(at=100), 4), (of_four(at=101), 60),
     ((*of_four(), Change(20, {"batch_size": 12})), 12)],
)  # fmt: skip
def test_only_the_values_of_one_mini_batch_are_counted(changes, count):
    """The mini-batch size at the last step counts. Values beyond this size repeat the
    mini-batch.
    """
    values = [*np.linspace(-1, 1, 60), *np.linspace(3, 5, 4)]
    found = by_hand.judge(unit(*values, changes=changes))[1]
    assert found["run_before"] == pytest.approx(expected(values[:count])["run_before"])


def test_the_runs_own_eps_is_counted_and_the_value_moves_by_spreads_without_it():
    """A large ε hardly changes the divisor, while the moved value changes the mean."""
    values = (-0.1, 0.05, 0.02, 0.1)
    held, numbers, answer = by_hand.judge(unit(*values, changes=of_four(), norm_eps=1.0))
    assert (held, answer) == (False, "further")
    found = {name: numbers[name] for name in expected(values)}
    assert found == pytest.approx(expected(values, eps=1.0), abs=1e-12)
    assert numbers["run_spread"] < 0.1


def test_of_two_values_neither_moves_and_so_the_claim_does_not_hold():
    two = (Change(0, {"batch_size": 2}),)
    held, numbers, answer = by_hand.judge(unit(-2.0, 3.0, changes=two, norm_eps=0.0))
    assert (held, answer) == (False, "still")
    assert (numbers["run_before"], numbers["run_after"]) == (pytest.approx(-1), pytest.approx(-1))


@every_case(
    ("before", "after", "answer"),
    [(-1.0, -1.0004, "still"), (-1.0, -0.9996, "still"), (-1.0, -1.0006, "further"),
     (-1.0, -0.9994, "nearer"), (-1.0, 0.9, "nearer"), (-1.0, 1.1, "further")],
)  # fmt: skip
def test_what_prints_the_same_is_still_and_nearer_means_nearer_to_zero(before, after, answer):
    assert by_hand.answer_of(before, after) == answer


def test_an_exchange_leaves_the_points_as_they_were():
    points = np.array([1.0, 2.0, 3.0])
    assert by_hand.exchanged(points, 1, 9.0).tolist() == [1, 9, 3]
    assert points.tolist() == [1, 2, 3]


def test_breaks_tell_of_the_same_unit_in_their_own_setting():
    two = unit(-2.0, 3.0, of="batch-of-two")
    assert seen_numbers("by-hand", "batch-of-two", two) == [["58", "6", "−1.000", "−1.000"]]
    wide = unit(*(-1.0, 1.0) * 30, of="large-eps")
    assert seen_numbers("by-hand", "large-eps", wide) == [["58", "6", "0.707", "0", "1"]]


def test_what_the_words_say_of_the_example_is_what_is_done():
    found = lesson("by-hand")
    said = found.named_values()
    assert [said[f"point{n}"] for n in (1, 2, 3, 4)] == [*POINTS] == [2.1, 3.5, 1.8, 4.2]
    assert (said["changed"], said["changed_to"], said["asked"]) == (4.2, 10, 1.8)
    assert (said["mean"], said["variance"]) == (pytest.approx(2.9), pytest.approx(0.975))
    assert said["unbiased"] == pytest.approx(np.var(POINTS, ddof=1))
    after = (*POINTS[:3], 10.0)
    assert said["mean_after"] == pytest.approx(np.mean(after))
    assert said["variance_after"] == pytest.approx(np.var(after))
    assert said["moved_by"] == pytest.approx((10 - 4.2) / np.std(POINTS)), (
        "in standard deviations of its batch"
    )
    assert said["hand_before"] == pytest.approx(-1.1140, abs=5e-5)
    assert said["hand_after"] == pytest.approx(-0.7670, abs=5e-5)
    assert found.config_of_try("large-eps").norm_eps == said["large_eps"]
    two = found.config_of_try("batch-of-two")
    assert (two.batch_size, two.norm_eps) == (2, 0)


def test_results_that_are_not_ours_are_said_to_be_those_of_notes():
    other = texts("lessons/by-hand")["popular"][0]["seen"]
    told = Filling(lesson("by-hand").named_values()).sentence(other)
    assert told.startswith("The variance is 0.975. The notes on the paper that give a different")
