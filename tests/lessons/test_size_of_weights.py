"""The rules of *When size stops mattering*, on runs made by hand."""

import math

import numpy as np
import pytest

from bnviz.actions import SCALE_WEIGHTS
from bnviz.lessons import size_of_weights
from bnviz.lessons.watched import NotMeasured
from bnviz.records import Change
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson, ran

NAME = "size-of-weights"
BEFORE = np.array([0.8, 0.4, 0.5, 0.6, 0.7, 0.9, 0.3])
AFTER = BEFORE * [0.1, 0.1014, 0.1, 0.1, 0.1, 0.0986, 1.0]
HELD = {
    (99, "batch"): {"accuracy": 0.93, "test_loss": 0.21}, (99, "none"): {"accuracy": 0.7},
    (100, "batch"): {
        "accuracy": 0.37, "loss": 0.2008, "test_loss": 4.5, "before_change.loss": (0.2,),
        "before_change.grad_weight_norm": BEFORE, "gradients.grad_weight_norm": AFTER,
    },
    (100, "none"): {
        "before_change.loss": (0.3,), "before_change.grad_weight_norm": {0: 0.5},
        "gradients.grad_weight_norm": {0: 120.0},
    },
    (120, "batch"): {"accuracy": 0.91},
    (200, "batch"): {"accuracy": 0.96},
    (200, "none"): {"accuracy": math.nan, "stopped": 102, "state": "diverged"},
}  # fmt: skip


def judge(told):
    return size_of_weights.judge(made(NAME, told))


def test_every_number_of_the_run_is_read_where_its_sentence_says():
    held, numbers, answer = judge(HELD)
    assert (held, answer) == (True, "smaller")
    assert numbers == pytest.approx({
        "batch_loss_before": 0.2, "batch_loss_after": 0.2008, "batch_test_before": 0.21,
        "batch_test_after": 4.5, "gradient_low": 0.0986, "agree": False, "differ": True,
        "gradient_high": 0.1014, "gradient_output": 1.0, "batch_before": 0.93, "batch_at": 0.37,
        "batch_later": 0.91, "batch": 0.96, "plain_loss_before": 0.3, "plain_gradient": 240.0,
        "plain_stopped": 102, "plain_after": 2, "plain_end": None, "compares": True,
        "stopped": True, "goes_on": False,
    })  # fmt: skip
    assert judged(NAME, "held", numbers) == [
        ["0.200", "10", "0.201"], ["0.099", "0.101", "1.000"], ["240"], ["102"],
        ["93\u00a0%", "37\u00a0%", "0.21", "4.5", "120", "91\u00a0%", "96\u00a0%"],
    ]  # fmt: skip
    assert judged(NAME, "did_not_hold", numbers) == [
        ["0.200", "10", "0.201"], ["0.099", "0.101"], ["102"],
    ]  # fmt: skip


def test_where_all_shares_are_written_alike_one_is_told():
    after = BEFORE * [0.1001, 0.1, 0.1, 0.1, 0.1, 0.0999, 1.0]
    _, numbers, _ = judge(but(HELD, 100, "batch", gradients__grad_weight_norm=after))
    assert judged(NAME, "held", numbers)[1] == ["0.100", "1.000"]


def test_of_a_plain_network_that_goes_on_its_end_is_told():
    _, numbers, _ = judge({**HELD, (200, "none"): {"accuracy": 0.15, "stopped": None}})
    assert (numbers["plain_stopped"], numbers["plain_after"], numbers["plain_end"]) == (
        None, None, 0.15,
    )  # fmt: skip
    assert judged(NAME, "held", numbers)[3] == ["15\u00a0%", "200"]
    assert judged(NAME, "did_not_hold", numbers)[2] == ["15\u00a0%", "200", "96\u00a0%"]


@every_case("after", [0.0, math.inf, math.nan])
def test_a_gradient_that_cannot_be_compared_is_not_told(after):
    told = but(HELD, 100, "none", gradients__grad_weight_norm={0: after})
    _, numbers, _ = judge(told)
    assert numbers["plain_gradient"] is None
    assert len(judged(NAME, "held", numbers)) == 4


@every_case(
    ("loss", "held", "answer"),
    [(0.2019, True, "smaller"), (0.1981, True, "smaller"), (0.2021, False, "relearns"),
     (0.1979, False, "relearns"), (2.0, False, "relearns")],
)  # fmt: skip
def test_it_holds_only_where_the_loss_stays(loss, held, answer):
    assert judge(but(HELD, 100, "batch", loss=loss))[::2] == (held, answer)


@every_case("layer", range(6))
@every_case(("share", "held"), [(0.0981, True), (0.0979, False), (0.1019, True),
                                             (0.1021, False)])  # fmt: skip
def test_it_holds_only_where_every_hidden_gradient_is_a_tenth(layer, share, held):
    after = AFTER.copy()
    after[layer] = share * BEFORE[layer]
    assert judge(but(HELD, 100, "batch", gradients__grad_weight_norm=after))[0] is held


@every_case(("factor", "answer"), [(0.49, "smaller"), (0.51, None), (1.9, None), (2.1, "larger")])
def test_what_became_of_the_gradients_has_a_name(factor, answer):
    after = np.append(factor * BEFORE[:-1], BEFORE[-1])
    assert judge(but(HELD, 100, "batch", gradients__grad_weight_norm=after))[2] == answer


@every_case(
    ("fields", "held"),
    [({"accuracy": 0.19, "stopped": None, "state": "stuck"}, True),
     ({"accuracy": 0.21, "stopped": None, "state": "stuck"}, False),
     ({"accuracy": 0.9, "stopped": None, "state": "blown_up"}, True),
     ({"accuracy": 0.9, "stopped": 102, "state": "diverged"}, True)],
)  # fmt: skip
def test_it_holds_only_where_the_plain_network_breaks(fields, held):
    assert judge(but(HELD, 200, "none", **fields))[0] is held


def test_weights_multiplied_by_hand_make_it_another_run():
    plan = lesson(NAME).plan
    for more in ((60, 2.0, None), (100, 2.0, 3), (150, 0.1, None)):
        step, factor, layer = more
        by_hand = Change(step, {SCALE_WEIGHTS: (factor, layer)})
        changes = sorted((*plan.changes, by_hand), key=lambda change: change.step)
        verdict = lesson(NAME).verdict(made(NAME, HELD, changes=changes))
        assert verdict.outcome == "not_in_this_run"
        assert (verdict.missing.knob, verdict.missing.needed, verdict.missing.found) == (
            SCALE_WEIGHTS, 1, 2,
        )  # fmt: skip
    other = (Change(100, {SCALE_WEIGHTS: (2.0, None)}),)
    assert lesson(NAME).verdict(made(NAME, HELD, changes=other)).missing.knob == SCALE_WEIGHTS
    # What is measured at a step is measured after what was done there.
    for step, outcome in ((200, "not_in_this_run"), (201, "held")):
        late = (*plan.changes, Change(step, {SCALE_WEIGHTS: (2.0, None)}))
        assert lesson(NAME).verdict(made(NAME, HELD, changes=late)).outcome == outcome


@every_case(
    ("of", "told", "said"),
    [
        ("one-layer", {"none": 0.95, "batch": 0.97}, ["takes this", "nothing is new"]),
        ("one-layer", {"none": 0.19, "batch": 0.1}, ["does not take it", "did not get over"]),
        ("rate-three", {"none": 0.1, "batch": 0.9}, ["learns at this rate", "does not"]),
        ("rate-three", {"none": 0.9, "batch": 0.2}, ["fails, too", "does, too"]),
    ],
)
def test_of_each_break_it_is_told_which_network_took_it(of, told, said):
    last = lesson(NAME).break_plan(of).last_step
    run = made(NAME, {(last, norm): {"accuracy": value} for norm, value in told.items()}, of)
    sentences = seen(NAME, of, run)
    assert len(sentences) == 2
    for part in said:
        assert any(part in sentence for sentence in sentences), (part, sentences)


@every_case(
    ("highest", "batch", "said"),
    [(0.61, 0.95, [["0.200", "0.201"], ["0.61"], []]), (0.59, 0.95, [["0.200", "0.201"], []]),
     (0.61, 0.19, [["0.200", "0.201"], ["0.61"], []])],
)  # fmt: skip
def test_of_weights_that_became_a_tenth_it_is_told_how_far_the_loss_rose(highest, batch, said):
    told = {
        (100, "batch"): {
            "loss": 0.2008, "before_change.loss": (0.2,), "before_change.grad_weight_norm": BEFORE,
            "gradients.grad_weight_norm": 10 * BEFORE,
        },
        **{(step, "batch"): {"loss": 0.3} for step in (101, 103, 105, 110)},
        (102, "batch"): {"loss": highest}, (200, "batch"): {"accuracy": batch},
        (200, "none"): {"accuracy": 0.1},
    }  # fmt: skip
    run = made(NAME, told, "tenth")
    numbers = seen_numbers(NAME, "tenth", run)
    assert [numbers[0][:2], *numbers[1:-1]] == said
    assert numbers[0][2] == "10"
    sentences = seen(NAME, "tenth", run)
    assert ("got over it" in sentences[-2]) is (batch > 0.2)
    assert "learned no more" in sentences[-1]


def test_a_network_that_stopped_did_not_take_it():
    run = made(NAME, {(200, "none"): {"accuracy": 0.9, "stopped": 150}}, "tenth")
    assert lesson(NAME).break_named("tenth").tell(run)["none_broken"] is True


@every_case(("batch", "said"), [(0.4, "BN loses"), (0.59, "about level"), (0.7, "is ahead")])
def test_at_a_low_rate_it_is_told_who_is_behind(batch, said):
    told = {(300, "none"): {"accuracy": 0.6}, (300, "batch"): {"accuracy": batch}}
    assert said in seen(NAME, "slow", made(NAME, told, "slow"))[0]


def turning(low, high, of="turning", accuracy=0.83, slower=1.0):
    """Half of the steps turn by one share, half by another, in all hidden layers but one, which
    turns so many times as far; the output's share, and what was measured before weights had
    settled, do not count."""
    layers = np.array([1, 1, slower, 1, 1, 1])
    ratio = {
        step: np.append((low if number % 2 else high) * layers, 7.0)
        for number, step in enumerate(range(600, 1_001, 10))
    }
    told = {(step, "batch"): {"weights.update_ratio": each} for step, each in ratio.items()}
    told = but(told, 0, "batch", weights__update_ratio=np.full(7, 9.0))
    return made(NAME, but(told, 1_000, "batch", accuracy=accuracy), of)


def test_how_far_weights_turn_is_the_root_mean_square_over_settled_steps():
    run = turning(0.1, 0.17, slower=0.9)
    numbers = lesson(NAME).break_named("turning").tell(run)
    turned = math.sqrt((20 * 0.1**2 + 21 * 0.17**2) / 41)
    assert numbers == pytest.approx({
        "slowest": 0.9 * turned, "fastest": turned, "said": math.sqrt(0.02), "batch": 0.83,
        "near": True, "apart": False, "hardly": False, "learns": True,
    })  # fmt: skip
    assert seen_numbers(NAME, "turning", run) == [
        ["600", "1000", f"{0.9 * turned:.3f}", f"{turned:.3f}", "0.141"], [], ["83\u00a0%"],
    ]  # fmt: skip


@every_case(
    ("by", "slower", "near"),
    [(0.69, 1, False), (0.71, 1, True), (1.29, 1, True), (1.31, 1, False), (1, 0.71, True),
     (1, 0.69, False), (1, 1.31, False)],
)  # fmt: skip
def test_it_is_told_whether_the_formula_holds_in_every_layer(by, slower, near):
    for of, said in (("turning", math.sqrt(0.02)), ("turning-fast", math.sqrt(0.06))):
        run = turning(by * said, by * said, of, slower=slower)
        numbers = lesson(NAME).break_named(of).tell(run)
        assert (numbers["near"], numbers["apart"]) == (near, not near)


@pytest.mark.parametrize(("accuracy", "said"), [(0.44, "turn too fast"), (0.46, "all the same")])
def test_it_is_told_whether_a_network_that_turns_fast_still_learns(accuracy, said):
    told = seen(NAME, "turning-fast", turning(0.2, 0.2, "turning-fast", accuracy))
    assert said in told[-1]


def test_a_run_that_has_not_come_so_far_tells_nothing_of_it():
    found = lesson(NAME)
    run = turning(0.1, 0.1)
    short = type(run)(snapshots=run.snapshots[:20], config=run.config)
    with pytest.raises(NotMeasured):
        found.break_named("turning").tell(short)


def test_what_the_words_say_of_the_setting_is_what_is_done():
    found, said = lesson(NAME), lesson(NAME).named_values()
    (change,) = found.plan.changes
    assert change == Change(said["multiplied_at"], {SCALE_WEIGHTS: (said["factor"], None)})
    assert change.step in found.plan.keep
    assert {99, 100, said["later"], 200} <= set(found.plan.shown)
    of = {each.name: found.break_plan(each.name).changes for each in found.breaks}
    assert of["tenth"][0].values == {SCALE_WEIGHTS: (said["tenth"], None)}
    assert of["one-layer"][0].values == {SCALE_WEIGHTS: (said["factor"], said["one_layer"])}
    assert not any(of[name] for name in ("rate-three", "slow", "turning", "turning-fast"))
    assert found.break_config("rate-three").learning_rate == said["high_rate"]
    assert found.break_config("slow").learning_rate == said["low_rate"]
    for name, rate, decay in (
        ("turning", "turning_rate", "decay"), ("turning-fast", "fast_rate", "fast_decay"),
    ):  # fmt: skip
        config = found.break_config(name)
        assert config.learning_rate == said[rate]
        assert config.weight_decay == said[decay]
        assert config.norms == ("batch",)


def test_nine_rates_are_compared_and_stand_first():
    found, said = lesson(NAME), lesson(NAME).named_values()
    rates = [each.learning_rate for each in found.series.settings.values()]
    assert (len(rates), rates[0], rates[-1]) == (
        said["rates"], said["lowest_rate"], said["highest_rate"],
    )  # fmt: skip
    assert rates == sorted(rates)
    assert found.series.plan.last_step == said["series_steps"]
    assert found.series_first
    assert texts(f"lessons/{NAME}")["series"]["axis"] == "learning rate"


@pytest.mark.verify
def test_more_rates_can_be_used_with_bn_and_these_lie_higher():
    """Of ten seeds the plain network learned at .01 to .3 in all, the other at 6 or 7 rates."""
    result = ran(lesson(NAME).series)
    plain, batch = (result.learned(norm) for norm in ("none", "batch"))
    assert plain == (0.01, 0.03, 0.1, 0.3)
    assert {*plain, 1.0} <= {*batch}
    assert 10.0 not in batch
