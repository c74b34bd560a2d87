"""The rules of *One knob, two networks*, on runs made by hand."""

import pytest

from bnviz.lessons import break_it
from bnviz.lessons.watched import NotMeasured
from bnviz.lessons.words import Filling
from bnviz.records import SATURATED, Break, Change
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson

# Lowest of all are steps that nothing is asked about: before the push, and after the end.
HELD = {
    (95, "none"): {"accuracy": 0.01}, (95, "batch"): {"accuracy": 0.02},
    (100, "none"): {"accuracy": 0.81}, (100, "batch"): {"accuracy": 0.82},
    (105, "none"): {"accuracy": 0.11}, (105, "batch"): {"accuracy": 0.34},
    (150, "none"): {"accuracy": 0.21}, (150, "batch"): {"accuracy": 0.32},
    (200, "none"): {"accuracy": 0.07}, (200, "batch"): {"accuracy": 0.35},
    (300, "none"): {"accuracy": 0.12, "state": "stuck",
                    "broke": Break(107, "layer 2", "", "saturated", "layer 1", 104)},
    (300, "batch"): {"accuracy": 0.96, "broke": Break(111, "layer 5", "")},
    (340, "none"): {"accuracy": 0.04}, (340, "batch"): {"accuracy": 0.03},
}  # fmt: skip


def judge(told, **more):
    return break_it.judge(made("break-it", told, **more))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("break-it").verdict(made("break-it", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "stays")
    assert verdict.numbers == {
        "plain": 0.12, "batch": 0.96, "plain_before": 0.81, "batch_before": 0.82,
        "batch_lowest": 0.32, "batch_lowest_at": 150, "broke_after": 7, "first_layer": 2,
        "moved_layer": 1, "moved_at": 104,
    }  # fmt: skip
    assert judged("break-it", "held", verdict.numbers) == [
        ["7"], ["90\u00a0%", "2"], ["104", "1", "3"], ["0.1", "12\u00a0%", "10\u00a0%"],
        ["32\u00a0%", "150", "96\u00a0%"],
    ]  # fmt: skip
    assert judged("break-it", "did_not_hold", verdict.numbers) == [
        ["300", "12\u00a0%", "96\u00a0%"], ["81\u00a0%", "82\u00a0%"], ["32\u00a0%", "150"],
    ]  # fmt: skip


@every_case(
    ("network", "accuracy", "held"),
    [("none", 0.29, True), ("none", 0.31, False), ("batch", 0.91, True), ("batch", 0.89, False)],
)
def test_it_holds_where_one_stays_down_and_the_other_one_came_back(network, accuracy, held):
    assert judge(but(HELD, 300, network, accuracy=accuracy))[0] is held


@pytest.mark.parametrize(("state", "held"), [("learning", False), ("recovered", True)])
def test_one_that_broke_came_back_only_where_its_card_says_so(state, held):
    assert judge(but(HELD, 300, "batch", state=state))[0] is held


@pytest.mark.parametrize("step", [100, 300])
def test_the_lowest_of_bn_is_looked_for_from_the_push_to_the_end(step):
    numbers = judge(but(HELD, step, "batch", accuracy=0.3))[1]
    assert (numbers["batch_lowest"], numbers["batch_lowest_at"]) == (0.3, step)


def test_of_two_steps_as_low_the_first_is_named():
    assert judge(but(HELD, 200, "batch", accuracy=0.32))[1]["batch_lowest_at"] == 150


@every_case(
    ("broke", "after", "layer"),
    [(Break(101, "layer 12", "", SATURATED), 1, 12), (Break(101, "layer 12", "", "large"), 1, None),
     (Break(100, "layer 3", "", SATURATED), None, 3), (Break(130, None, ""), 30, None),
     (Break(120, "output", "", SATURATED), 20, None), (None, None, None)],
)  # fmt: skip
def test_when_and_where_it_broke_is_said_only_where_there_is_something_to_say(broke, after, layer):
    numbers = judge(but(HELD, 300, "none", broke=broke))[1]
    assert (numbers["broke_after"], numbers["first_layer"]) == (after, layer)


def returned(step, before=0.8):
    """The plain network has nine tenths of what it had before the push from this step on."""
    course = {
        **HELD, (100, "none"): {"accuracy": before}, (110, "none"): {"accuracy": 0.99},
        (125, "none"): {"accuracy": 0.99}, (130, "none"): {"accuracy": 0.1},
        (step - 1, "none"): {"accuracy": 0.9 * before - 0.01},
        (step, "none"): {"accuracy": 0.9 * before + 0.01},
        (step + 1, "none"): {"accuracy": 0.2}, (300, "none"): {"accuracy": 0.5},
        (340, "none"): {"accuracy": 0.99},
    }  # fmt: skip
    return judge({place: each for place, each in course.items() if place != (105, "none")})[2]


@every_case(
    ("step", "answer"),
    [(144, "learns_again"), (146, "proportional"), (189, "proportional"), (191, "learns_again")],
)
def test_as_long_as_it_was_pushed_means_within_a_factor_of_two(step, answer):
    assert returned(step) == answer
    assert returned(step, before=0.45) == answer, "of what it had itself"


@pytest.mark.parametrize(("end", "answer"), [(0.29, "stays"), (0.31, "proportional")])
def test_what_is_down_at_the_end_stayed_whatever_it_had_on_the_way(end, answer):
    course = {(160, "none"): {"accuracy": 0.9}, (300, "none"): {"accuracy": end}}
    assert judge({**HELD, **course})[2] == answer


def test_a_network_that_learned_only_a_little_gave_none_of_the_answers():
    """Neither the push itself nor what came after the end counts."""
    lame = {(120, "none"): {"accuracy": 0.95}, (300, "none"): {"accuracy": 0.5},
            (310, "none"): {"accuracy": 0.95}}  # fmt: skip
    assert judge({**HELD, **lame})[2] is None


@every_case("of", ["mean-only", "variance-only", "without-gamma-beta"])
@every_case(
    ("accuracy", "case"),
    [(0.91, "back"), (0.89, "partly"), (0.31, "partly"), (0.29, "broken")],
)
def test_what_a_part_of_bn_is_enough_for_is_read_off_that_network_at_the_end(of, accuracy, case):
    told = {
        (300, "none"): {"accuracy": 0.2}, (300, "batch"): {"accuracy": 0.95},
        (100, "ablated"): {"accuracy": 0.6}, (300, "ablated"): {"accuracy": accuracy},
    }  # fmt: skip
    run = made("break-it", told, of)
    words = {"back": "enough here" if "only" in of else "came back too",
             "partly": "only in part", "broken": "stayed down"}  # fmt: skip
    numbers = lesson("break-it").break_named(of).tell(run)
    assert numbers == {each: each == case for each in words}
    (sentence,) = seen("break-it", of, run)
    assert words[case] in sentence


@every_case("of", ["not-put-back", "rate-ten"])
@every_case(
    ("plain", "batch", "case"),
    [(0.29, 0.31, "only_batch"), (0.31, 0.31, "both"), (0.31, 0.29, "only_plain"),
     (0.29, 0.29, "neither")],
)  # fmt: skip
def test_it_is_told_which_networks_are_more_than_broken_at_the_end(of, plain, batch, case):
    told = {(300, "none"): {"accuracy": plain}, (300, "batch"): {"accuracy": batch}}
    numbers = lesson("break-it").break_named(of).tell(made("break-it", told, of))
    assert [key for key, value in numbers.items() if value is True] == [case]


def test_at_a_high_rate_it_is_told_how_far_out_gamma_and_beta_carry_values():
    far = {"unit_batch.normalized": {(2, 3, 5): -3.25}, "unit_batch.y": {(4, 1, 7): -537},
           "saturation.saturated": {3: 0.97}}  # fmt: skip
    run = made("break-it", {(300, "batch"): far, (300, "none"): {}}, "rate-ten")
    assert seen_numbers("break-it", "rate-ten", run)[-3:-1] == [["3.25", "537"], ["97\u00a0%"]]
    assert "in the layer with most of them 97" in seen("break-it", "rate-ten", run)[-2]


def test_where_no_network_gets_far_at_a_high_rate_it_is_told_how_far_bn_came():
    told = {(300, "batch"): {"accuracy": 0.21}, (300, "none"): {"accuracy": 0.11}}
    run = made("break-it", told, "rate-ten")
    assert seen_numbers("break-it", "rate-ten", run)[0] == ["21\u00a0%", "10\u00a0%"]
    assert "with BN ends at 21" in seen("break-it", "rate-ten", run)[0]


def test_sentences_name_what_they_are_about():
    held = Filling(lesson("break-it").named_values(), judge(HELD)[1]).sentences(
        texts("lessons/break-it")["verdict"]["held"]
    )
    assert held[1].startswith("The first of its layers")
    assert held[2].startswith("Another layer")
    for of, what in (("mean-only", "only takes away the mean"), ("variance-only", "only divides")):
        (sentence,) = seen("break-it", of, made("break-it", {}, of))
        assert f"A BN that {what}" in sentence


LATE = {
    (3_990, "none"): {"accuracy": 0.01}, (3_990, "batch"): {"accuracy": 0.02},
    (4_000, "none"): {"accuracy": 0.98}, (4_000, "batch"): {"accuracy": 0.99},
    (4_010, "none"): {"accuracy": 0.83}, (4_010, "batch"): {"accuracy": 0.71},
    (4_100, "none"): {"accuracy": 0.84}, (4_100, "batch"): {"accuracy": 0.72},
    (4_200, "none"): {"accuracy": 0.93}, (4_200, "batch"): {"accuracy": 0.94},
}  # fmt: skip


def test_of_a_late_rise_the_lowest_since_and_the_end_are_told():
    run = made("break-it", LATE, "late")
    numbers = lesson("break-it").break_named("late").tell(run)
    assert numbers == {
        "none_lowest": 0.83, "none_later": 0.93, "batch_lowest": 0.71, "batch_later": 0.94,
        "batch_hurt": True, "plain_hurt": False, "alike": False,
    }  # fmt: skip
    assert seen_numbers("break-it", "late", run) == [
        ["83\u00a0%"], ["71\u00a0%", "200", "94\u00a0%"], [],
    ]  # fmt: skip


@pytest.mark.parametrize("step", [4_000, 4_200])
def test_a_late_rise_is_watched_from_its_step_to_the_last(step):
    numbers = (
        lesson("break-it")
        .break_named("late")
        .tell(made("break-it", but(LATE, step, "none", accuracy=0.4), "late"))
    )
    assert numbers["none_lowest"] == 0.4


def test_of_several_changes_the_last_one_is_told_of():
    changes = (Change(3_980, {"batch_size": 8}), Change(4_000, {"learning_rate": 1.0}))
    tell = lesson("break-it").break_named("late").tell
    assert tell(made("break-it", LATE, "late", changes=changes))["none_lowest"] == 0.83
    assert tell(made("break-it", LATE, "late", changes=changes[:1]))["none_lowest"] == 0.01
    with pytest.raises(NotMeasured, match="the change"):
        tell(made("break-it", LATE, "late", changes=()))


@every_case(
    ("plain", "batch", "case", "said"),
    [(0.8, 0.74, "batch_hurt", "BN more"), (0.8, 0.76, "alike", "alike"),
     (0.05, 0.0, "alike", "alike"), (0.74, 0.8, "plain_hurt", "without BN more")],
)  # fmt: skip
def test_whom_a_late_change_hurt_more_is_told_by_the_lowest_of_each(plain, batch, case, said):
    told = but(but(LATE, 4_010, "none", accuracy=plain), 4_010, "batch", accuracy=batch)
    told = but(but(told, 4_100, "none", accuracy=0.97), 4_100, "batch", accuracy=0.97)
    run = made("break-it", told, "late")
    numbers = lesson("break-it").break_named("late").tell(run)
    assert [key for key, value in numbers.items() if value is True] == [case]
    assert said in seen("break-it", "late", run)[-1]


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("break-it")
    said = found.named_values()
    up, back = found.plan.changes
    assert (up.step, up.values) == (said["raised_at"], {"learning_rate": said["raised_to"]})
    assert (back.step, back.values) == (said["back_at"], {"learning_rate": said["back_to"]})
    assert said["back_to"] == said["learning_rate"]
    assert said["raised_to"] == 10 * said["back_to"], "ten times larger"
    assert found.plan.last_step == 300
    for of in ("not-put-back", "mean-only", "variance-only", "without-gamma-beta"):
        assert found.break_plan(of).changes == (up,)
        assert found.break_plan(of).last_step == found.plan.last_step
    late = found.break_plan("late")
    assert late.changes == (Change(said["late_at"], up.values),)
    assert late.last_step == said["late_at"] + said["after_late"]
    assert found.break_config("rate-ten").learning_rate == said["high_rate"]
    assert found.break_config("relu").learning_rate == said["relu_rate"]
    assert found.break_config("mean-only").ablation_statistics == "mean"
    assert found.break_config("variance-only").ablation_statistics == "variance"
    assert not found.break_config("without-gamma-beta").ablation_affine
