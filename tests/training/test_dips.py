"""Dips of the accuracy in made-up series."""

import pytest

from bnviz.records import Dip
from bnviz.training.dips import Dips
from tests.every_case import every_case


class Series:
    """Series of accuracies, observed step by step."""

    def __init__(self) -> None:
        self.dips, self.accuracies = Dips(), list[float]()

    def go(self, *accuracies: float, examples: int = 60) -> Dip | None:
        for accuracy in accuracies:
            self.accuracies.append(accuracy)
            self.dips.observe(len(self.accuracies) - 1, self.accuracies, examples)
        return self.dips.dip

    def change(self) -> None:
        self.dips.changed(len(self.accuracies), self.accuracies)


def steady() -> Series:
    """Return a series of ten steps at accuracy 1, followed by a change."""
    series = Series()
    series.go(*[1.0] * 10)
    series.change()
    return series


def test_a_fall_counts_after_a_change_only() -> None:
    series = Series()
    assert series.go(*[1.0] * 10, *[0.2] * 10) is None


def test_a_dip_begins_a_third_down_and_ends_at_nine_tenths() -> None:
    series = steady()
    assert series.go(0.75, 0.75, 0.75) is None
    assert series.go(0.5, 0.5) == Dip(13, 1.75 / 3, 1.0)
    assert series.go(0.5, 0.5) == Dip(13, 0.5, 1.0)
    assert series.go(0.9, 0.9) == Dip(13, 0.5, 1.0)
    assert series.go(0.9) == Dip(13, 0.5, 1.0, over=19)
    assert series.go(*[1.0] * 50) == Dip(13, 0.5, 1.0, over=19)


def test_a_change_in_a_dip_belongs_to_it_and_one_after_it_begins_anew() -> None:
    series = steady()
    series.go(*[0.5] * 5)
    series.change()
    assert series.go(*[1.0] * 5) == Dip(10, 0.5, 1.0, over=17)
    series.change()
    assert series.dips.dip is None
    assert series.go(*[0.25] * 5) == Dip(20, 0.25, 1.0)


def test_a_late_fall_has_another_reason() -> None:
    assert steady().go(*[1.0] * 120, *[0.2] * 10) is None


def test_small_batches_vary_by_themselves() -> None:
    series = steady()
    assert series.go(*[0.5] * 10, examples=1) is None
    assert steady().go(*[0.5] * 10, examples=60) is not None


def test_a_change_before_the_fifth_step_has_nothing_to_compare_with() -> None:
    series = Series()
    series.go(1.0, 1.0)
    series.change()
    assert series.go(*[0.1] * 20) is None


def test_a_dip_survives_a_checkpoint() -> None:
    series = steady()
    series.go(*[0.5] * 5)
    twin = Series()
    twin.accuracies = list(series.accuracies)
    twin.dips.load_tree(series.dips.to_tree())
    later = (0.4, 0.4, 1.0, 1.0, 1.0, 1.0)
    assert [series.go(one) for one in later] == [twin.go(one) for one in later]


def test_a_drag_is_one_change_from_its_first_value_to_its_last() -> None:
    """A slow fall during a drag is measured from the accuracy before the drag.

    A fall long after the drag's first value but soon after its last value still counts.
    """
    slow = [1.0 - 0.02 * at for at in range(20)]
    dragged, singly = steady(), steady()
    for accuracy in slow:
        for series, begins in ((dragged, False), (singly, True)):
            series.go(accuracy)
            series.dips.changed(len(series.accuracies), series.accuracies, begins=begins)
    assert dragged.go(*[0.6] * 3) == Dip(dragged.dips.dip.step, 0.6, 1.0)
    assert singly.go(*[0.6] * 3) is None
    late = steady()
    late.go(*[1.0] * 90)
    late.dips.changed(len(late.accuracies), late.accuracies, begins=False)
    late.go(*[1.0] * 90)
    assert late.go(*[0.1] * 3) is not None


@every_case(("low", "dips"), [(0.6, True), (0.7, False)])
def test_a_fall_is_more_than_a_third_of_what_five_steps_were(low: float, dips: bool) -> None:
    """The five steps before the change have accuracy 1. Earlier steps at 0 do not count."""
    series = Series()
    series.go(*[0.0] * 5, *[1.0] * 5)
    series.change()
    assert (series.go(*[low] * 3) is not None) == dips


def test_three_steps_are_judged_together_and_the_first_low_one_began_it() -> None:
    series = steady()
    assert series.go(0.0, 1.0, 1.0) is None, "a third of them"
    assert series.go(0.4) is None
    assert series.go(0.5) == Dip(13, 1.9 / 3, 1.0)


def test_the_lowest_three_steps_are_kept_and_nine_tenths_end_it() -> None:
    series = steady()
    series.go(0.3, 0.3, 0.3)
    assert series.dips.dip == Dip(10, 0.3, 1.0)
    series.go(0.0)
    assert series.dips.dip.value == pytest.approx(0.2)
    series.go(0.9, 0.9, 0.8999)
    assert series.dips.dip.over is None
    series.go(0.9002)
    assert series.dips.dip == Dip(10, pytest.approx(0.2), 1.0, over=17)


@every_case(("late", "dips"), [(99, True), (100, False)])
def test_a_hundred_steps_after_the_change_it_may_begin(late: int, dips: bool) -> None:
    """The change is at step 10. A dip is recognized at its second low step."""
    series = steady()
    series.go(*[1.0] * late)
    assert (series.go(0.2, 0.2, 0.2) is not None) == dips


@every_case(("examples", "dips"), [(25, True), (24, False)])
def test_a_fall_counts_at_three_standard_errors(examples: int, dips: bool) -> None:
    """The fall from 0.6 to 0.38 exceeds three standard errors if a mini-batch has at least
    9 · 0.49 · 0.51 · (1/5 + 1/3) / 0.22² = 24.8 examples.
    """
    series = Series()
    series.go(*[0.6] * 10)
    series.change()
    assert (series.go(0.38, 0.38, 0.38, examples=examples) is not None) == dips


def test_a_dip_is_judged_by_the_accuracy_before_it() -> None:
    """After accuracy 0.6, a dip is recognized when the mean of three steps is below 0.4. It begins
    at the first step below 0.4, and ends when the mean is above 0.54.
    """
    series = Series()
    series.go(*[0.6] * 10)
    series.change()
    many = 10_000
    assert series.go(0.41, 0.41, 0.41, examples=many) is None
    found = series.go(0.35, 0.3, examples=many)
    assert found == Dip(13, pytest.approx(1.06 / 3), pytest.approx(0.6))
    assert series.go(0.53, 0.53, 0.53, examples=many).over is None
    assert series.go(0.55, 0.55, examples=many).over == 19
