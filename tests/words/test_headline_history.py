"""Test the headlines about a network's history: an undefined norm, divergence, a break and a dip in
accuracy.
"""

import pytest

from bnviz.records import Break, Dip
from tests.every_case import every_case
from tests.words.test_headline_rules import AT_CHANCE, STEP, of


def test_paused_goes_before_all():
    fields = {
        "undefined_norm": "batch of 1",
        "state": "diverged",
        "stopped": 7,
        "broke": Break(3, None, "x"),
    }
    assert of(**fields) == ("undefined_norm", {})


@every_case(
    ("stopped", "broke", "found"),
    [
        (7, Break(3, "layer 1", "x"), ("diverged_at", {"step": 7})),
        (7, None, ("diverged_at", {"step": 7})),
        (0, None, ("diverged_at", {"step": 0})),
        (None, Break(3, "layer 1", "x"), ("broke_diverged", {})),
        (None, None, ("diverged", {})),
    ],
)
def test_diverged_is_told_with_the_step_at_which_it_stopped(stopped, broke, found):
    assert of(state="diverged", stopped=stopped, broke=broke) == found


@pytest.mark.parametrize(("ratio", "far"), [(3.0, False), (3.01, True)])
def test_blown_up_is_told_while_the_loss_is_three_times_the_start(ratio, far):
    assert of(state="blown_up", accuracy_trace={"loss_ratio": ratio})[0] == (
        "blown_up" if far else "learning"
    )
    found = of(state="blown_up", broke=Break(12, None, "x"), accuracy_trace={"loss_ratio": ratio})
    assert found[0] == ("broke_blown_up" if far else "broke_learning")
    assert of(accuracy_trace={"loss_ratio": ratio})[0] == "learning", (
        "for a network that never broke"
    )


BROKE = Break(12, "layer 2", "x")


@every_case(
    ("given", "found"),
    [
        ({"state": "recovered"}, ("recovered_at", {"step": 12})),
        (
            {"state": "recovered", "accuracy_trace": {"batches": 0.31}},
            ("broke_leaving_chance", {"step": 12}),
        ),
        ({"state": "learning"}, ("broke_learning", {"step": 12, "accuracy": 0.9})),
        ({"state": "stuck"}, ("broke_learning", {"step": 12, "accuracy": 0.9})),
        ({"accuracy": 0.2}, ("broke_falling", {"before": 0.9, "now": 0.2, "step": 12})),
        ({"step": 0}, ("not_started", {})),
    ],
)
def test_after_a_break_its_step_is_told_with_what_is_measured(given, found):
    assert of(broke=BROKE, **given) == found


@every_case("state", ["stuck", "learning", "recovered", "blown_up"])
@every_case(
    ("step", "trace"),
    [
        (STEP, AT_CHANCE),
        (STEP, {**AT_CHANCE, "left_chance": False}),
        (1, {**AT_CHANCE, "left_chance": False}),
    ],
)
def test_broken_and_at_chance_is_stuck_once_that_is_its_state(state, step, trace):
    expected = "broke_stuck" if state == "stuck" else "broke_at_chance"
    found = of(0.26, step=step, state=state, broke=BROKE, accuracy_trace=trace)
    assert found == (expected, {"step": 12})


@every_case(
    ("dip", "found"),
    [
        (Dip(30, 0.4, 0.9), ("dipping", {"step": 30, "accuracy": 0.9})),
        (Dip(STEP - 100, 0.4, 0.9), ("dipping", {"step": STEP - 100, "accuracy": 0.9})),
        (Dip(STEP - 101, 0.4, 0.9), ("learning", {})),
        (Dip(30, 0.4, 0.9, over=50), ("dipped", {"step": 30})),
        (Dip(-900, 0.4, 0.9, over=50), ("dipped", {"step": -900})),
    ],
)
def test_a_dip_is_told_for_a_hundred_steps_and_once_it_is_over(dip, found):
    assert of(dip=dip) == found


def test_a_dip_that_is_over_is_told_of_who_learns_and_one_that_lasts_in_any_case():
    over, lasts = Dip(30, 0.4, 0.9, over=50), Dip(30, 0.4, 0.9)
    assert of(0.2, dip=over)[0] == "falling"
    assert of(0.2, dip=lasts)[0] == "dipping"
    assert of(dip=lasts, broke=BROKE)[0] == "broke_learning"


def test_after_a_break_unsteady_comes_with_its_step_and_after_a_dip_when_that_is_long_over():
    trace = {"test_accuracies": ((30, 0.8), (40, 0.4))}
    numbers = {"low": 0.4, "high": 0.9}
    assert of(accuracy_trace=trace, broke=BROKE) == ("broke_unsteady", {**numbers, "step": 12})
    assert of(accuracy_trace=trace, dip=Dip(9, 0.4, 0.9, over=10)) == ("dipped", {"step": 9})
    assert of(accuracy_trace=trace, dip=Dip(9, 0.4, 0.9, over=9)) == ("unsteady", numbers)


def test_the_fall_of_a_break_and_the_climb_after_it_are_not_unsteady():
    tests = ((5, 0.9), (10, 0.8), (15, 0.4), (20, 0.35), (25, 0.5), (30, 0.7))
    climbs = {"test_accuracies": tests, "batches": 0.6}
    found = of(0.7, step=32, accuracy_trace=climbs, broke=BROKE)
    assert found == ("broke_learning", {"step": 12, "accuracy": 0.7})
    # A network whose accuracy falls again is unsteady.
    falls = {**climbs, "test_accuracies": (*tests, (35, 0.4), (40, 0.6))}
    found = of(0.7, step=42, accuracy_trace=falls, broke=BROKE)
    assert found == ("broke_unsteady", {"step": 12, "low": 0.4, "high": 0.7})


def test_recovered_is_told_of_who_learns():
    assert of(state="recovered", broke=BROKE) == ("recovered_at", {"step": 12})
    assert of(0.2, state="recovered", broke=BROKE)[0] == "broke_falling"
    assert of(state="stuck") == ("learning", {})
