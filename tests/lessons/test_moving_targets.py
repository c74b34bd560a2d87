"""Rules of the lesson *Who has to start over?*, tested on synthetic runs."""

import pytest

from bnviz.lessons import moving_targets
from bnviz.lessons.observation import NotMeasured
from bnviz.records import Change
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

# Indices in `cut.accuracy`: cut after layer 3 of 6, and kept steps 20 and 100 of 0, 20, 40, 60, 80,
# 100.
CUT, FROZEN, END = 2, 1, 5
HELD = {
    (0, "none"): {"drift.w1_start": {(1, -1): 0.01}},
    (100, "none"): {
        "cut.accuracy": {
            (CUT, FROZEN, FROZEN): 0.813, (CUT, END, FROZEN): 0.845, (CUT, END, END): 0.867,
        },
        "drift.w1_start": {(0, -1): 0.04, (1, -1): 0.72},
    },
    (100, "batch"): {
        "cut.accuracy": {
            (CUT, FROZEN, FROZEN): 0.911, (CUT, END, FROZEN): 0.923, (CUT, END, END): 0.934,
        },
        "drift.w1_start": {(0, -1): 0.05, (1, -1): 0.83},
    },
}  # fmt: skip


def accuracies(told, network, first, later, step=100, at=(FROZEN, END)):
    then, end = at
    kept = dict(told.get((step, network), {}).get("cut.accuracy", {}))
    kept |= {(CUT, then, then): first, (CUT, end, then): later}
    return but(told, step, network, cut__accuracy=kept)


def cell(network, lower, upper):
    """Return a function that reads from the chart the accuracy of lower layers from step `lower`
    joined with upper layers from step `upper`.
    """

    def read(at):
        kept = at.value("cut", f"{network}.cut.steps").tolist()
        cells = at.value("cut", f"{network}.cut.accuracy")
        return cells[kept.index(lower), kept.index(upper)]

    return read


CHARTED = {
    "frozen_first": cell("none", 20, 20),
    "frozen_later": cell("none", 100, 20),
    "trained": cell("none", 100, 100),
    "batch_first": cell("batch", 20, 20),
    "batch_later": cell("batch", 100, 20),
    "plain_moved": lambda at: at.value("drift", "none.drift.w1_start")[-1],
    # The first of the two values belongs to the thin line, which is measured before the norm.
    "batch_moved": lambda at: at.value("drift", "batch.drift.w1_start")[-1],
}


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("moving-targets").verdict(made("moving-targets", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "better")
    assert verdict.numbers == {
        "frozen_first": 0.813, "frozen_later": 0.845, "trained": 0.867, "batch_first": 0.911,
        "batch_later": 0.923, "plain_moved": 0.72, "batch_moved": 0.05,
    }  # fmt: skip
    said = [
        ["20", "81.3\u00a0%", "84.5\u00a0%", "100", "100", "86.7\u00a0%"],
        ["0", "0.72", "0.05"],
    ]
    assert judged("moving-targets", "held", verdict.numbers) == [*said, []]
    assert judged("moving-targets", "did_not_hold", verdict.numbers) == said


def test_a_run_that_was_played_on_is_judged_by_its_own_last_step():
    """The run continues after its last planned step. Its later accuracies must not count."""
    later = but(HELD, 140, "none", accuracy=0.5)
    played, known = (moving_targets.judge(made("moving-targets", told)) for told in (later, HELD))
    assert played == known


@every_case(
    ("network", "row", "moved", "held"),
    [("none", 1, 0.51, True), ("none", 1, 0.49, False), ("batch", 0, 0.19, True),
     ("batch", 0, 0.21, False)],
)  # fmt: skip
def test_it_holds_only_where_values_move_without_bn_and_hardly_with_it(network, row, moved, held):
    told = but(HELD, 100, network, drift__w1_start={(row, -1): moved})
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
    assert lesson("moving-targets").try_named(of).tell(run) == {
        "none_first": 0.711, "none_later": 0.622, "batch_first": 0.733, "batch_later": 0.744,
        "worse": True, "same": False, "better": False,
    }  # fmt: skip
    assert seen_numbers("moving-targets", of, run) == [
        ["20", "71.1\u00a0%", "62.2\u00a0%", "100", "73.3\u00a0%", "74.4\u00a0%"], [],
    ]  # fmt: skip
    for later, said in ((0.622, "lost"), (0.715, "about the same"), (0.75, "gained")):
        told = accuracies(accuracies({}, "none", 0.711, later), "batch", 0.733, 0.5)
        assert said in seen("moving-targets", of, made("moving-targets", told, of))[1]


@every_case(
    ("later", "case", "said"),
    [(0.601, "worse", "did harm"), (0.605, "same", "about the same"),
     (0.617, "same", "about the same"), (0.625, "better", "more accurate")],
)  # fmt: skip
def test_of_one_long_step_it_is_told_what_it_did_to_the_half_above(later, case, said):
    """The kept steps are 0, 100 and 104."""
    told = accuracies({}, "none", 0.613, later, step=104, at=(1, 2))
    told = accuracies(told, "batch", 0.633, 0.477, step=104, at=(1, 2))
    run = made("moving-targets", told, "raised")
    numbers = lesson("moving-targets").try_named("raised").tell(run)
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
    raised = found.plan_of_try("raised")
    assert raised.changes == (Change(said["soon_at"], {"learning_rate": said["raised_to"]}),)
    assert raised.last_step == said["soon_at"] + said["soon_after"]
    assert {said["soon_at"], raised.last_step} <= {*raised.keep}
    assert found.config_of_try("faster").learning_rate == said["faster_rate"]
