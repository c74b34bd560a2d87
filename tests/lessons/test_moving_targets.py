"""The rules of *Who has to start over?*, on runs made by hand."""

import pytest

from bnviz.lessons import moving_targets
from bnviz.lessons.watched import NotMeasured
from bnviz.records import Change
from tests.charts.conftest import make_chart
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson

# Layers 1 to 3 of one kept step under 4 to 6 of another. Kept are 0, 20, 40, 60, 80, 100.
CUT, FROZEN, END = 2, 1, 5
HELD = {
    (0, "none"): {"cut.from_start": {(0, -1): 0.01}},
    (100, "none"): {
        "cut.accuracy": {
            (CUT, FROZEN, FROZEN): 0.813, (CUT, END, FROZEN): 0.845, (CUT, END, END): 0.867,
        },
        "cut.from_start": {(0, -1): 0.72, (1, -1): 0.04},
        "cut.from_start_units": {(-1, 1): 0.74, (-1, 4): 0.19},
    },
    (100, "batch"): {
        "cut.accuracy": {
            (CUT, FROZEN, FROZEN): 0.911, (CUT, END, FROZEN): 0.923, (CUT, END, END): 0.934,
        },
        "cut.from_start": {(0, -1): 0.05, (1, -1): 0.83},
    },
}  # fmt: skip


def accuracies(told, network, first, later, step=100, at=(FROZEN, END)):
    then, end = at
    kept = dict(told.get((step, network), {}).get("cut.accuracy", {}))
    kept |= {(CUT, then, then): first, (CUT, end, then): later}
    return but(told, step, network, cut__accuracy=kept)


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("moving-targets").verdict(made("moving-targets", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "better")
    assert verdict.numbers == {
        "frozen_first": 0.813, "frozen_later": 0.845, "gain": pytest.approx(0.032),
        "trained": 0.867, "batch_first": 0.911, "batch_later": 0.923, "plain_wander": 0.72,
        "batch_wander": 0.05, "shown_unit": 58, "shown_wander": 0.19,
    }  # fmt: skip
    assert judged("moving-targets", "held", verdict.numbers) == [
        ["20", "81.3\u00a0%", "100", "84.5\u00a0%"], ["86.7\u00a0%"],
        ["0.72", "0.05"], ["58", "0.19"], ["20"],
    ]  # fmt: skip
    assert judged("moving-targets", "did_not_hold", verdict.numbers) == [
        ["20", "81.3\u00a0%", "84.5\u00a0%", "100"], ["86.7\u00a0%"],
        ["0.72", "0.05"], ["58", "0.19"], ["20"],
    ]  # fmt: skip


def test_the_unit_that_is_called_the_one_shown_is_the_one_with_which_the_chart_opens():
    _, unit = make_chart("unit_hill", lesson("moving-targets").config()).selectors
    assert (unit.name, unit.default) == ("unit", moving_targets.SHOWN)


def test_a_run_that_was_played_on_is_judged_by_its_own_last_step():
    """The weights of later steps are measured too, under other accuracies."""
    later = but(HELD, 140, "none", accuracy=0.5)
    played, known = (moving_targets.judge(made("moving-targets", told)) for told in (later, HELD))
    assert played == known


@every_case(
    ("network", "wandered", "held"),
    [("none", 0.51, True), ("none", 0.49, False), ("batch", 0.09, True), ("batch", 0.11, False)],
)
def test_it_holds_only_where_units_wander_without_bn_and_not_with_it(network, wandered, held):
    told = but(HELD, 100, network, cut__from_start={(0, -1): wandered})
    assert moving_targets.judge(made("moving-targets", told))[0] is held


@every_case(
    ("later", "held", "answer"),
    [(0.825, True, "better"), (0.821, True, "same"), (0.814, True, "same"),
     (0.812, False, "same"), (0.805, False, "same"), (0.801, False, "worse")],
)  # fmt: skip
def test_it_holds_only_where_the_frozen_half_lost_nothing(later, held, answer):
    told = accuracies(HELD, "none", 0.813, later)
    found = moving_targets.judge(made("moving-targets", told))
    assert (found[0], found[2]) == (held, answer)


def test_weights_that_were_not_kept_are_named():
    with pytest.raises(NotMeasured, match="the weights of steps 20 and 20"):
        moving_targets.judge(made("moving-targets", {(100, "none"): {}}, "raised"))


@pytest.mark.parametrize("of", ["faster", "relu"])
def test_of_a_break_the_frozen_half_is_told_of_in_each_network(of):
    told = accuracies(accuracies({}, "none", 0.711, 0.622), "batch", 0.733, 0.744)
    run = made("moving-targets", told, of)
    assert lesson("moving-targets").break_named(of).tell(run) == {
        "none_first": 0.711, "none_later": 0.622, "batch_first": 0.733, "batch_later": 0.744,
        "worse": True, "same": False, "better": False,
    }  # fmt: skip
    assert seen_numbers("moving-targets", of, run) == [
        ["20", "71.1\u00a0%", "62.2\u00a0%", "73.3\u00a0%", "74.4\u00a0%"], [],
    ]  # fmt: skip
    for later, said in ((0.622, "lost"), (0.715, "about the same"), (0.75, "gained")):
        told = accuracies(accuracies({}, "none", 0.711, later), "batch", 0.733, 0.5)
        assert said in seen("moving-targets", of, made("moving-targets", told, of))[1]


@every_case(
    ("later", "case", "said"),
    [(0.601, "worse", "did not work"), (0.605, "same", "about the same"),
     (0.617, "same", "about the same"), (0.625, "better", "worked for the upper half")],
)  # fmt: skip
def test_of_one_long_step_it_is_told_what_it_did_to_the_half_above(later, case, said):
    """Kept are steps 0, 100 and 104."""
    told = accuracies({}, "none", 0.613, later, step=104, at=(1, 2))
    told = accuracies(told, "batch", 0.633, 0.477, step=104, at=(1, 2))
    run = made("moving-targets", told, "raised")
    numbers = lesson("moving-targets").break_named("raised").tell(run)
    found = {each: each == case for each in ("worse", "same", "better")}
    assert numbers == {
        "none_first": 0.613, "none_later": later, "batch_first": 0.633, "batch_later": 0.477,
        **found,
    }  # fmt: skip
    sentence = seen("moving-targets", "raised", run)
    assert said in sentence[1]
    assert all("without BN" in each.replace("Without", "without") for each in sentence)
    assert seen_numbers("moving-targets", "raised", run) == [
        ["100", "61.3\u00a0%", f"{100 * later:.1f}\u00a0%", "4", "63.3\u00a0%", "47.7\u00a0%"], [],
    ]  # fmt: skip


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("moving-targets")
    said = found.named_values()
    assert {0, said["frozen"], said["last_step"]} <= {*found.plan.keep}
    assert said["cut"] + said["upper"] == said["depth"]
    assert (said["frozen"], said["cut"], said["last_step"]) == (20, 3, 100)
    raised = found.break_plan("raised")
    assert raised.changes == (Change(said["soon_at"], {"learning_rate": said["raised_to"]}),)
    assert raised.last_step == said["soon_at"] + said["soon_after"]
    assert {said["soon_at"], raised.last_step} <= {*raised.keep}
    assert found.break_config("faster").learning_rate == said["faster_rate"]
