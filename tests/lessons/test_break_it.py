"""Rules of the lesson *One knob, two networks*, tested on synthetic runs."""

import pytest

from bnviz.lessons import break_it
from bnviz.lessons.observation import NotMeasured
from bnviz.records import Break, Change
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

# The lowest accuracies are at steps that no rule reads: before the rate rises, and after the end.
HELD = {
    (95, "none"): {"accuracy": 0.01}, (95, "batch"): {"accuracy": 0.02},
    (100, "none"): {"accuracy": 0.81}, (100, "batch"): {"accuracy": 0.82},
    (101, "none"): {"accuracy": 0.31}, (101, "batch"): {"accuracy": 0.22},
    (200, "none"): {"accuracy": 0.79}, (200, "batch"): {"accuracy": 0.78},
    (205, "none"): {"accuracy": 0.07}, (205, "batch"): {"accuracy": 0.35},
    (250, "none"): {"accuracy": 0.21}, (250, "batch"): {"accuracy": 0.32},
    (300, "none"): {"accuracy": 0.12, "state": "stuck", "saturation.saturated": {-1: 0.97}},
    (300, "batch"): {"accuracy": 0.96, "broke": Break(211, "layer 5", ""),
                     "saturation.saturated": {-1: 0.08}},
    (340, "none"): {"accuracy": 0.04}, (340, "batch"): {"accuracy": 0.03},
}  # fmt: skip


def line_of(norm):
    return lambda at: at.line("accuracy", f"{norm}.test_accuracy")


def lowest(at):
    """Return the step and the value of the lowest point of the line with BN after the second rise
    of the rate.
    """
    after = {step: y for step, y in line_of("batch")(at).items() if step >= break_it.AGAIN_AT}
    step = min(after, key=lambda each: after[each])
    return step, after[step]


CHARTED = {
    "plain_before": lambda at: line_of("none")(at)[100],
    "plain_few": lambda at: line_of("none")(at)[101],
    "plain_between": lambda at: line_of("none")(at)[200],
    "plain": lambda at: line_of("none")(at)[300],
    "batch_few": lambda at: line_of("batch")(at)[101],
    "batch_between": lambda at: line_of("batch")(at)[200],
    "batch_lowest": lambda at: lowest(at)[1],
    "batch_lowest_at": lambda at: lowest(at)[0],
    "batch": lambda at: line_of("batch")(at)[300],
    "plain_flat": lambda at: at.printed("hills", "none.saturation.saturated")[-1],
    "batch_flat": lambda at: at.printed("hills", "batch.saturation.saturated")[-1],
}


def judge(told, **more):
    return break_it.judge(made("break-it", told, **more))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("break-it").verdict(made("break-it", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "proportional")
    assert verdict.numbers == {
        "plain_before": 0.81, "plain_few": 0.31, "plain_between": 0.79, "plain": 0.12,
        "batch_few": 0.22, "batch_between": 0.78, "batch_lowest": 0.32, "batch_lowest_at": 250,
        "batch": 0.96, "plain_flat": 0.97, "batch_flat": 0.08,
    }  # fmt: skip
    assert judged("break-it", "held", verdict.numbers) == [
        ["81\u00a0%", "31\u00a0%", "101", "200", "79\u00a0%"], ["12\u00a0%", "10\u00a0%"],
        ["22\u00a0%", "101", "78\u00a0%", "200", "32\u00a0%", "250", "96\u00a0%"],
        ["6", "97\u00a0%", "8\u00a0%"],
    ]  # fmt: skip
    assert judged("break-it", "did_not_hold", verdict.numbers) == [
        ["81\u00a0%", "31\u00a0%", "79\u00a0%", "200", "12\u00a0%"],
        ["22\u00a0%", "101", "78\u00a0%", "200", "32\u00a0%", "250", "96\u00a0%"],
    ]  # fmt: skip


@every_case(
    ("step", "network", "accuracy", "held"),
    [(300, "none", 0.29, True), (300, "none", 0.31, False),
     (200, "none", 0.75, True), (200, "none", 0.74, False),
     (300, "batch", 0.75, True), (300, "batch", 0.74, False),
     (200, "batch", 0.75, True), (200, "batch", 0.74, False)],
)  # fmt: skip
def test_it_holds_where_both_recover_from_one_step_and_only_bn_from_ten(
    step, network, accuracy, held
):
    assert judge(but(HELD, step, network, accuracy=accuracy))[0] is held


@pytest.mark.parametrize(("state", "held"), [("learning", False), ("recovered", True)])
def test_one_that_broke_came_back_only_where_its_card_says_so(state, held):
    assert judge(but(HELD, 300, "batch", state=state))[0] is held


@pytest.mark.parametrize("step", [200, 300])
def test_the_lowest_of_bn_is_looked_for_from_the_ten_steps_to_the_end(step):
    numbers = judge(but(HELD, step, "batch", accuracy=0.3))[1]
    assert (numbers["batch_lowest"], numbers["batch_lowest_at"]) == (0.3, step)


def test_of_two_steps_as_low_the_first_is_named():
    assert judge(but(HELD, 260, "batch", accuracy=0.32))[1]["batch_lowest_at"] == 250


@every_case(
    ("between", "end", "answer"),
    [(0.3, 0.3, "stays"), (0.31, 0.3, None), (0.3, 0.31, None), (0.74, 0.3, None),
     (0.75, 0.3, "proportional"), (0.75, 0.31, None), (0.75, 0.74, None),
     (0.75, 0.75, "learns_again")],
)  # fmt: skip
def test_which_answer_the_network_without_bn_gives(between, end, answer):
    """An accuracy of at least 75 % counts as recovered, and an accuracy of at most 30 % as
    broken.
    """
    told = but(but(HELD, 200, "none", accuracy=between), 300, "none", accuracy=end)
    assert judge(told)[2] == answer


def test_a_network_that_had_learned_nothing_gives_none_of_the_answers():
    assert judge(but(HELD, 100, "none", accuracy=0.3))[2] is None


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
    words = {"back": "was enough" if "only" in of else "recovered too",
             "partly": "only in part", "broken": "did not recover"}  # fmt: skip
    numbers = lesson("break-it").try_named(of).tell(run)
    assert numbers == {each: each == case for each in words}
    (sentence,) = seen("break-it", of, run)
    assert words[case] in sentence


@every_case(("of", "enough"), [("not-put-back", 0.75), ("rate-ten", 0.3)])
@every_case(
    ("plain", "batch", "case"),
    [(-0.01, 0.01, "only_batch"), (0.01, 0.01, "both"), (0.01, -0.01, "only_plain"),
     (-0.01, -0.01, "neither")],
)  # fmt: skip
def test_it_is_told_which_networks_recover_or_are_more_than_broken_at_the_end(
    of, enough, plain, batch, case
):
    told = {(300, "none"): {"accuracy": enough + plain},
            (300, "batch"): {"accuracy": enough + batch}}  # fmt: skip
    numbers = lesson("break-it").try_named(of).tell(made("break-it", told, of))
    assert [key for key, value in numbers.items() if value is True] == [case]


def test_at_a_high_rate_the_layer_with_most_in_the_flat_zone_and_the_accuracy_of_bn_are_told():
    told = {(300, "batch"): {"accuracy": 0.21, "saturation.saturated": {3: 0.97}},
            (300, "none"): {"accuracy": 0.11}}  # fmt: skip
    run = made("break-it", told, "rate-ten")
    assert seen_numbers("break-it", "rate-ten", run)[:2] == [
        ["21\u00a0%", "10\u00a0%"], ["97\u00a0%", "4"],
    ]  # fmt: skip


LATE = {
    (3_990, "none"): {"accuracy": 0.01}, (3_990, "batch"): {"accuracy": 0.02},
    (4_000, "none"): {"accuracy": 0.98}, (4_000, "batch"): {"accuracy": 0.99},
    (4_010, "none"): {"accuracy": 0.83}, (4_010, "batch"): {"accuracy": 0.71},
    (4_100, "none"): {"accuracy": 0.84}, (4_100, "batch"): {"accuracy": 0.72},
    (4_200, "none"): {"accuracy": 0.93}, (4_200, "batch"): {"accuracy": 0.94},
}  # fmt: skip


def test_of_a_late_rise_the_lowest_since_and_the_end_are_told():
    run = made("break-it", LATE, "late")
    numbers = lesson("break-it").try_named("late").tell(run)
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
        .try_named("late")
        .tell(made("break-it", but(LATE, step, "none", accuracy=0.4), "late"))
    )
    assert numbers["none_lowest"] == 0.4


def test_of_several_changes_the_last_one_is_told_of():
    changes = (Change(3_980, {"batch_size": 8}), Change(4_000, {"learning_rate": 1.0}))
    tell = lesson("break-it").try_named("late").tell
    assert tell(made("break-it", LATE, "late", changes=changes))["none_lowest"] == 0.83
    assert tell(made("break-it", LATE, "late", changes=changes[:1]))["none_lowest"] == 0.01
    with pytest.raises(NotMeasured, match="the change"):
        tell(made("break-it", LATE, "late", changes=()))


@every_case(
    ("plain", "batch", "case", "said"),
    [(0.8, 0.74, "batch_hurt", "BN more"), (0.8, 0.76, "alike", "equally"),
     (0.05, 0.0, "alike", "equally"), (0.74, 0.8, "plain_hurt", "without BN more")],
)  # fmt: skip
def test_whom_a_late_change_hurt_more_is_told_by_the_lowest_of_each(plain, batch, case, said):
    told = but(but(LATE, 4_010, "none", accuracy=plain), 4_010, "batch", accuracy=batch)
    told = but(but(told, 4_100, "none", accuracy=0.97), 4_100, "batch", accuracy=0.97)
    run = made("break-it", told, "late")
    numbers = lesson("break-it").try_named("late").tell(run)
    assert [key for key, value in numbers.items() if value is True] == [case]
    assert said in seen("break-it", "late", run)[-1]


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("break-it")
    said = found.named_values()
    up, back, again, at_last = found.plan.changes
    assert (up.step, up.values) == (said["raised_at"], {"learning_rate": said["raised_to"]})
    assert (again.step, again.values) == (said["again_at"], up.values)
    assert back.values == at_last.values == {"learning_rate": said["back_to"]}
    assert (back.step - up.step, at_last.step - again.step) == (1, 10), "one step, and ten"
    assert back.step == said["after_few"]
    assert said["back_to"] == said["learning_rate"]
    assert said["raised_to"] == 10 * said["back_to"], "ten times larger"
    assert found.plan.last_step == 300
    for of in ("not-put-back", "mean-only", "variance-only", "without-gamma-beta"):
        assert found.plan_of_try(of).changes == (up,)
        assert found.plan_of_try(of).last_step == found.plan.last_step
    late = found.plan_of_try("late")
    assert late.changes == (Change(said["late_at"], up.values),)
    assert late.last_step == said["late_at"] + said["after_late"]
    assert found.config_of_try("rate-ten").learning_rate == said["high_rate"]
    assert found.config_of_try("relu").learning_rate == said["relu_rate"]
    assert found.config_of_try("mean-only").ablation_statistics == "mean"
    assert found.config_of_try("variance-only").ablation_statistics == "variance"
    assert not found.config_of_try("without-gamma-beta").ablation_affine
