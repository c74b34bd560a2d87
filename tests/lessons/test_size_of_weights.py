"""Rules of the lesson *When size stops mattering*, tested on synthetic runs."""

import math

import numpy as np
import pytest

from bnviz.actions import SCALE_WEIGHTS
from bnviz.lessons import size_of_weights
from bnviz.lessons.observation import NotMeasured
from bnviz.records import Change
from bnviz.words.numbers import write
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

NAME = "size-of-weights"
FACTORS = np.array([0.1, 0.1014, 0.1, 0.1, 0.1, 0.0986, 1.0])
HELD = {
    (99, "batch"): {"accuracy": 0.93}, (99, "none"): {"accuracy": 0.7},
    (100, "batch"): {
        "accuracy": 0.37, "loss": 0.2008, "before_change.loss": (0.2,),
        "before_change.gradient_ratio": FACTORS,
    },
    (120, "batch"): {"accuracy": 0.91},
    (200, "batch"): {"accuracy": 0.96},
    (200, "none"): {"accuracy": math.nan, "stopped": 102, "state": "diverged"},
}  # fmt: skip


def factors(at):
    return at.value("gradient_change", "batch.before_change.gradient_ratio", 100)


def alike(at):
    hidden = [write(each, "number") for each in (factors(at)[:-1].min(), factors(at)[:-1].max())]
    return hidden[0] == hidden[1]


def accuracy(step):
    return lambda at: at.value("accuracy", "batch.test_accuracy", step)


CHARTED = {
    "batch_loss_before": lambda at: at.value("batch_loss", "batch.before_change.loss", 100),
    "batch_loss_after": lambda at: at.value("batch_loss", "batch.loss", 100),
    "gradient_low": lambda at: factors(at)[:-1].min(),
    "gradient_high": lambda at: factors(at)[:-1].max(),
    "gradient_output": lambda at: factors(at)[-1],
    "agree": alike,
    "differ": lambda at: not alike(at),
    "plain_finite": lambda at: max(at.line("batch_loss", "none.loss")),
    "plain_end": lambda at: at.value("accuracy", "none.test_accuracy", 200),
    "batch_before": accuracy(99),
    "batch_at": accuracy(100),
    "batch_later": accuracy(120),
    "batch": accuracy(200),
}


def judge(told):
    return size_of_weights.judge(made(NAME, told))


def test_every_number_of_the_run_is_read_where_its_sentence_says():
    held, numbers, answer = judge(HELD)
    assert (held, answer) == (True, "smaller")
    assert numbers == pytest.approx({
        "batch_loss_before": 0.2, "batch_loss_after": 0.2008, "gradient_low": 0.0986,
        "agree": False, "differ": True, "gradient_high": 0.1014, "gradient_output": 1.0,
        "batch_before": 0.93, "batch_at": 0.37, "batch_later": 0.91, "batch": 0.96,
        "plain_finite": 101, "plain_end": None, "stopped": True, "goes_on": False,
    })  # fmt: skip
    assert judged(NAME, "held", numbers) == [
        [], ["1"], ["200", "96\u00a0%"],
    ]  # fmt: skip
    assert judged(NAME, "did_not_hold", numbers) == [
        ["0.200", "10", "0.201"], ["0.099", "0.1"], ["101"],
    ]  # fmt: skip


def test_where_all_factors_are_written_alike_one_is_told():
    factors = np.array([0.1001, 0.1, 0.1, 0.1, 0.1, 0.0999, 1.0])
    _, numbers, _ = judge(but(HELD, 100, "batch", before_change__gradient_ratio=factors))
    assert judged(NAME, "did_not_hold", numbers)[1] == ["0.1"]


def test_of_a_plain_network_that_goes_on_its_end_is_told():
    _, numbers, _ = judge({**HELD, (200, "none"): {"accuracy": 0.15, "stopped": None}})
    assert (numbers["plain_finite"], numbers["plain_end"]) == (None, 0.15)
    assert judged(NAME, "did_not_hold", numbers)[2] == ["200", "15\u00a0%", "96\u00a0%"]


@every_case(
    ("loss", "held", "answer"),
    [(0.2019, True, "smaller"), (0.1981, True, "smaller"), (0.2021, False, "relearns"),
     (0.1979, False, "relearns"), (2.0, False, "relearns")],
)  # fmt: skip
def test_it_holds_only_where_the_loss_stays(loss, held, answer):
    assert judge(but(HELD, 100, "batch", loss=loss))[::2] == (held, answer)


@every_case("layer", range(6))
@every_case(("factor", "held"), [(0.0981, True), (0.0979, False), (0.1019, True),
                                 (0.1021, False)])  # fmt: skip
def test_it_holds_only_where_every_hidden_gradient_is_a_tenth(layer, factor, held):
    found = FACTORS.copy()
    found[layer] = factor
    assert judge(but(HELD, 100, "batch", before_change__gradient_ratio=found))[0] is held


@every_case(
    ("factor", "answer"),
    [(0.089, None), (0.091, "smaller"), (0.109, "smaller"), (0.111, None), (8.9, None),
     (9.1, "larger"), (10.9, "larger"), (11.1, None)],
)  # fmt: skip
def test_what_became_of_the_gradients_has_a_name(factor, answer):
    found = np.append(np.full(6, factor), 1.0)
    assert judge(but(HELD, 100, "batch", before_change__gradient_ratio=found))[2] == answer


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
    # Measurements at a step come after the changes at that step.
    for step, outcome in ((200, "not_in_this_run"), (201, "held")):
        late = (*plan.changes, Change(step, {SCALE_WEIGHTS: (2.0, None)}))
        assert lesson(NAME).verdict(made(NAME, HELD, changes=late)).outcome == outcome


@every_case(
    ("of", "told", "said"),
    [
        ("one-layer", {"none": 0.95, "batch": 0.97}, ["continues to learn: a", "as in the lesson"]),
        ("one-layer", {"none": 0.19, "batch": 0.1}, ["BN breaks", "did not recover"]),
        (
            "rate-three",
            {"none": 0.1, "batch": 0.9},
            ["learns at this rate", "BN the network fails"],
        ),
        ("rate-three", {"none": 0.9, "batch": 0.2}, ["BN fails", "learns at this rate"]),
    ],
)
def test_of_each_break_it_is_told_which_network_took_it(of, told, said):
    last = lesson(NAME).plan_of_try(of).last_step
    run = made(NAME, {(last, norm): {"accuracy": value} for norm, value in told.items()}, of)
    sentences = seen(NAME, of, run)
    assert len(sentences) == 2
    for part in said:
        assert any(part in sentence for sentence in sentences), (part, sentences)


@every_case(
    ("highest", "batch", "said"),
    [(0.61, 0.95, [["0.61"]]), (0.59, 0.95, []), (0.61, 0.19, [["0.61"]])],
)  # fmt: skip
def test_of_weights_that_became_a_tenth_it_is_told_how_far_the_loss_rose(highest, batch, said):
    told = {
        (100, "batch"): {
            "loss": 0.2008, "before_change.loss": (0.2,),
            "before_change.gradient_ratio": np.append(np.full(6, 10.0), 1.0),
            "weights.norm": np.full(7, 1.41),
        },
        **{(step, "batch"): {"loss": 0.3} for step in (101, 103, 104, 105, 110)},
        (102, "batch"): {"loss": highest},
        (200, "batch"): {"accuracy": batch, "weights.norm": np.full(7, 3.52)},
        (200, "none"): {"accuracy": 0.1},
    }  # fmt: skip
    run = made(NAME, told, "tenth")
    first, *rest = seen_numbers(NAME, "tenth", run)
    assert first == ["0.200", "0.201", "10"]
    assert rest == [*said, ["1", "1.41", "3.52", "200"], [], []]
    sentences = seen(NAME, "tenth", run)
    assert ("BN recovered" in sentences[-2]) is (batch > 0.2)
    assert "stopped learning" in sentences[-1]


def test_a_network_that_stopped_did_not_take_it():
    run = made(NAME, {(200, "none"): {"accuracy": 0.9, "stopped": 150}}, "tenth")
    assert lesson(NAME).try_named("tenth").tell(run)["none_broken"] is True


@every_case(
    ("batch", "said"),
    [(0.4, "is lower with BN"), (0.59, "about the same"), (0.7, "is higher with BN")],
)
def test_at_a_low_rate_it_is_told_who_is_behind(batch, said):
    told = {(300, "none"): {"accuracy": 0.6}, (300, "batch"): {"accuracy": batch}}
    assert said in seen(NAME, "slow", made(NAME, told, "slow"))[0]


def turning(low, high, of="turning", accuracy=0.83, slower=1.0):
    """Return a run in which the hidden layers alternate between the step sizes `low` and `high`.
    One of these layers turns `slower` times as far. Values of the output layer, and values from
    before step 600, must not count.
    """
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
    numbers = lesson(NAME).try_named("turning").tell(run)
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
        numbers = lesson(NAME).try_named(of).tell(run)
        assert (numbers["near"], numbers["apart"]) == (near, not near)


@pytest.mark.parametrize(("accuracy", "said"), [(0.44, "turn too fast"), (0.46, "Even so")])
def test_it_is_told_whether_a_network_that_turns_fast_still_learns(accuracy, said):
    told = seen(NAME, "turning-fast", turning(0.2, 0.2, "turning-fast", accuracy))
    assert said in told[-1]


def test_a_run_that_has_not_come_so_far_tells_nothing_of_it():
    found = lesson(NAME)
    run = turning(0.1, 0.1)
    short = type(run)(snapshots=run.snapshots[:20], config=run.config)
    with pytest.raises(NotMeasured):
        found.try_named("turning").tell(short)


def test_what_the_words_say_of_the_setting_is_what_is_done():
    found, said = lesson(NAME), lesson(NAME).named_values()
    (change,) = found.plan.changes
    assert change == Change(said["multiplied_at"], {SCALE_WEIGHTS: (said["factor"], None)})
    assert change.step in found.plan.keep
    assert {99, 100, *range(101, 106), said["later"], 200} <= set(found.plan.shown)
    of = {each.name: found.plan_of_try(each.name).changes for each in found.breaks}
    assert of["tenth"][0].values == {SCALE_WEIGHTS: (said["tenth"], None)}
    assert of["one-layer"][0].values == {SCALE_WEIGHTS: (said["factor"], said["one_layer"])}
    assert not any(of[name] for name in ("rate-three", "slow", "turning", "turning-fast"))
    assert found.config_of_try("rate-three").learning_rate == said["high_rate"]
    assert found.config_of_try("slow").learning_rate == said["low_rate"]
    for name, rate, decay in (
        ("turning", "turning_rate", "decay"), ("turning-fast", "fast_rate", "fast_decay"),
    ):  # fmt: skip
        config = found.config_of_try(name)
        assert config.learning_rate == said[rate]
        assert config.weight_decay == said[decay]
        assert config.norms == ("batch",)
