"""Rules of the lesson *Why does it not start?*, tested on synthetic runs."""

import re

import numpy as np
import pytest

from bnviz.lessons import slow_start
from bnviz.lessons.words import Filling
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

NORMS = "gradients.grad_weight_norm"


def _left(at, norm):
    """Ratio of the gradient of layer 1 to the gradient of the output, as the chart draws them at
    step 25.
    """
    sizes = at.value("gradients", f"{norm}.{NORMS}", 25)
    return sizes[0] / sizes[-1]


CHARTED = {
    "plain": lambda at: at.value("accuracy", "none.test_accuracy", 25),
    "batch": lambda at: at.value("accuracy", "batch.test_accuracy", 25),
    "plain_flat": lambda at: at.value("saturation", "none.saturation.saturated", 25).max(),
    "plain_left": lambda at: _left(at, "none"),
    "batch_left": lambda at: _left(at, "batch"),
    "plain_apart": "no chart draws how far images are apart",
    "batch_apart": "no chart draws how far images are apart",
    "started": lambda at: at.value("accuracy", "none.test_accuracy") >= slow_start.STARTED,
    "waits": lambda at: at.value("accuracy", "none.test_accuracy") < slow_start.STARTED,
    "plain_end": lambda at: at.value("accuracy", "none.test_accuracy"),
}

# Values by step and norm of a run in which the claim holds: three layers, then the output, where
# the backward pass starts. The guess is about step 25.
HELD = {
    (0, "none"): {"saturation.saturated": (0.91, 0.92, 0.93)},
    (25, "none"): {
        "accuracy": 0.14, "saturation.saturated": (0.011, 0.063, 0.032),
        "gradients.grad_weight_norm": (0.06, 0.4, 0.2, 0.5), "spread_between.spread": {-1: 0.0023},
    },
    (25, "batch"): {
        "accuracy": 0.85, "saturation.saturated": (0.021, 0.022, 0.043),
        "gradients.grad_weight_norm": (0.35, 0.2, 0.6, 0.5), "spread_between.spread": {-1: 0.32},
    },
    (300, "none"): {"accuracy": 0.87, "saturation.saturated": (0.052, 0.071, 0.174)},
    (300, "batch"): {"accuracy": 0.96},
    (340, "none"): {"accuracy": 0.1}, (340, "batch"): {"accuracy": 0.1},
}  # fmt: skip


def test_what_is_said_of_the_flat_zones_names_the_step_at_which_they_were_counted():
    """At later steps, more values of the stuck network are in flat zones, and charts show them."""
    said, found = texts("lessons/slow-start"), lesson("slow-start")
    filling = Filling(found.named_values(), found.verdict(made("slow-start", HELD)).numbers)
    popular = [each["seen"] for each in said["popular"] if "flat zones" in each["seen"]]
    for text in (said["verdict"]["claim"], *popular, *said["says"].values()):
        assert "step 25" in filling.sentence(text), text
    for outcome in ("held", "did_not_hold"):
        for text in filling.sentences(said["verdict"][outcome]):
            assert re.search(r"step (25|300)\b|that step", text), text


def judge(told):
    return slow_start.judge(made("slow-start", told))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("slow-start").verdict(made("slow-start", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "alike")
    assert verdict.numbers == {
        "plain": 0.14, "batch": 0.85, "plain_flat": 0.063, "plain_left": pytest.approx(0.12),
        "batch_left": pytest.approx(0.7), "plain_apart": 0.0023, "batch_apart": 0.32,
        "plain_end": 0.87, "started": True, "waits": False,
    }  # fmt: skip
    found = judged("slow-start", "held", verdict.numbers)
    assert [numbers[1:] for numbers in found] == [
        ["14\u00a0%", "85\u00a0%"], ["6.3\u00a0%"], ["1", "12\u00a0%", "70\u00a0%"],
        ["0.0023", "0.32"], ["87\u00a0%"],
    ]  # fmt: skip
    assert [numbers[0] for numbers in found] == ["25", "25", "25", "25", "300"]
    assert judged("slow-start", "did_not_hold", verdict.numbers) == found[:3]


@every_case(
    ("network", "told", "held"),
    [
        ("batch", {"accuracy": 0.45}, True), ("batch", {"accuracy": 0.43}, False),
        ("none", {"saturation.saturated": (0.01, 0.09, 0.02)}, True),
        ("none", {"saturation.saturated": (0.01, 0.02, 0.11)}, False),
        ("none", {"gradients.grad_weight_norm": (0.12, 1, 1, 0.5)}, True),
        ("none", {"gradients.grad_weight_norm": (0.13, 1, 1, 0.5)}, False),
        ("batch", {"gradients.grad_weight_norm": (0.21, 1, 1, 0.5)}, True),
        ("batch", {"gradients.grad_weight_norm": (0.19, 1, 1, 0.5)}, False),
    ],
)  # fmt: skip
def test_it_holds_only_where_each_of_its_four_conditions_does(network, told, held):
    assert judge(but(HELD, 25, network, **told))[0] is held


@every_case(
    ("flat", "left", "answer"),
    [(0.51, 0.1, "flat"), (0.51, 0.9, "flat"), (0.49, 0.1, None), (0.49, 0.57, "slow"),
     (0.09, 0.24, "alike"), (0.11, 0.24, None), (0.09, 0.26, None), (0.09, 0.55, None),
     (0.09, 0.57, "slow")],
)  # fmt: skip
def test_the_run_gives_the_answer_that_its_units_and_its_gradient_give(flat, left, answer):
    told = {"saturation.saturated": (0.01, flat, 0.02),
            "gradients.grad_weight_norm": (0.5 * left, 1, 1, 0.5)}  # fmt: skip
    assert judge(but(HELD, 25, "none", **told))[2] == answer


@pytest.mark.parametrize(("spread", "answer"), [(0.031, "alike"), (0.033, None)])
def test_images_look_alike_where_the_last_layer_differs_far_less_than_with_bn(spread, answer):
    told = but(HELD, 25, "none", **{"spread_between.spread": {-1: spread}})
    assert judge(told)[2] == answer


@pytest.mark.parametrize(("end", "started"), [(0.31, True), (0.29, False)])
def test_whether_it_starts_later_is_read_at_the_end(end, started):
    numbers = judge(but(HELD, 300, "none", accuracy=end))[1]
    assert (numbers["started"], numbers["waits"]) == (started, not started)
    last = judged("slow-start", "held", numbers)[-1]
    assert last == ["300", f"{100 * end:.0f}\u00a0%"]


@pytest.mark.parametrize(
    ("flat", "first", "said", "gradient"),
    [(0.51, 8.0, "textbooks describe", "does not shrink"), (0.49, 1.0, "lower than", "layer 1 is")],
)
def test_of_large_weights_the_worst_layer_at_the_start_is_told(flat, first, said, gradient):
    norms = "gradients.grad_weight_norm"
    told = {(0, "none"): {"saturation.saturated": (0.1, 0.2, flat, 0.3, 0.1, 0.1),
                          norms: (first, 9.0, 9.0, 9.0, 9.0, 9.0, 4.0)},
            (0, "batch"): {"saturation.saturated": (0.9,) * 6, norms: (5.0,) * 6 + (1.0,)},
            (300, "none"): {"saturation.saturated": (0.8,) * 6, norms: (7.0,) * 7}}  # fmt: skip
    run = made("slow-start", told, "large-weights")
    numbers = lesson("slow-start").try_named("large-weights").tell(run)
    most = flat == 0.51
    assert numbers == {
        "plain_flat": flat, "most_flat": most, "fewer_flat": not most, "plain_left": first / 4,
        "grows": most, "fades": not most,
    }  # fmt: skip
    _, sentence, last = seen("slow-start", "large-weights", run)
    assert said in sentence
    assert gradient in last
    assert "at step 0" in last.lower(), "charts show another step"
    (share, _, times) = seen_numbers("slow-start", "large-weights", run)
    assert share[-1] == f"{100 * flat:.0f}\u00a0%"
    assert times[-1] == ("2" if most else "0.25")


DEAD = {
    (0, "none"): {"saturation.dead": (0.9,) * 6}, (0, "batch"): {"saturation.dead": (0.9,) * 6},
    (300, "none"): {"saturation.dead": (0.1, 0.31, np.nan, 0.2, 0.1, 0.1)},
    (300, "batch"): {"saturation.dead": (0.01, 0.02, 0.03, 0.04, 0.05, 0.02)},
}  # fmt: skip


def test_of_dead_units_the_worst_layer_at_the_end_is_told_in_each_network():
    run = made("slow-start", DEAD, "dying")
    assert lesson("slow-start").try_named("dying").tell(run) == {
        "none_dead": 0.31, "none_dead_then": None, "batch_dead": 0.05, "batch_dead_then": None,
    }  # fmt: skip
    assert seen_numbers("slow-start", "dying", run) == [["31\u00a0%"], ["5\u00a0%"]]


@pytest.mark.parametrize(
    ("gone", "order"), [("none", ["stopped", "at the end"]), ("batch", ["at the end", "stopped"])]
)
def test_of_a_network_that_stopped_it_is_told_as_of_that_moment(gone, order):
    run = made("slow-start", but(DEAD, 300, gone, stopped=17), "dying")
    numbers = lesson("slow-start").try_named("dying").tell(run)
    value = 0.31 if gone == "none" else 0.05
    assert (numbers[f"{gone}_dead"], numbers[f"{gone}_dead_then"]) == (None, value)
    told = seen("slow-start", "dying", run)
    assert all(words in text for words, text in zip(order, told, strict=True))


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("slow-start")
    said = found.named_values()
    assert said["asked"] in found.plan.shown
    assert (said["asked"], said["last_step"], said["learning_rate"]) == (25, 300, 1)
    assert found.config_of_try("large-weights").init_std == said["wide"]
    assert found.config_of_try("dying").learning_rate == said["dying_rate"]
    spreads = [each.init_std for each in found.series.settings.values()]
    assert (min(spreads), max(spreads)) == (said["narrowest"], said["widest"])
    assert spreads == sorted(spreads)
