"""Rules of the lesson *The way back*, tested on synthetic runs and curves."""

from dataclasses import replace

import numpy as np
import pytest

from bnviz.charts.chart import chart_texts
from bnviz.charts.time_axis import end_labels
from bnviz.claims import single_layer
from bnviz.lessons import through_the_batch
from bnviz.lessons.through_the_batch import BiasTrace
from bnviz.lessons.words import Filling
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts
from tests.charts.conftest import make_view
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

BY_WIDGET = "the widget above the charts draws it as the browser computes it"
CHARTED = {
    **dict.fromkeys(
        ("loss_still", "loss_moved", "loss_change", "bias_half", "bias_end", "inside_still",
         "inside_moved", "bias_inside"), BY_WIDGET,
    ),
    "batch": lambda at: at.value("accuracy", "batch.test_accuracy"),
    "ablated": lambda at: at.value("accuracy", "ablated.test_accuracy"),
    "plain": lambda at: at.value("accuracy", "none.test_accuracy"),
    "loss_factor": lambda at: (
        at.value("loss", "ablated.loss") / at.value("loss", "batch.loss")
    ),
    "start_weights": lambda at: at.value("weights", "batch.weights.norm", 0)[0],
    "batch_weights": lambda at: at.value("weights", "batch.weights.norm")[0],
    "ablated_weights": lambda at: at.value("weights", "ablated.weights.norm")[0],
}  # fmt: skip
HELD = {
    (0, "batch"): {"weights.norm": {0: 14.1}, "loss": 2.1},
    (300, "none"): {"accuracy": 0.91},
    (300, "batch"): {"accuracy": 0.95, "loss": 0.02, "weights.norm": {0: 14.8}},
    (300, "ablated"): {"accuracy": 0.63, "loss": 1.3, "weights.norm": {0: 22.4}},
    (340, "batch"): {"accuracy": 0.1}, (340, "ablated"): {"accuracy": 0.9},
}  # fmt: skip


def trace(sizes, losses=(2.0,)):
    """Make curves of 500 steps. `sizes` are the values of ‖b‖ at the middle and at the last step;
    `losses` are repeated to fill the curve.
    """
    half, end = sizes
    given = np.linspace(0.1, 0.2, single_layer.STEPS + 1)
    given[[single_layer.STEPS // 2, -1]] = half, end
    return BiasTrace(np.resize(losses, single_layer.STEPS), given)


# Numbers of two traces for which the claim holds. Without the mean in the gradient, the loss does
# not change and b grows. With the mean in the gradient, b does not grow.
GREW = through_the_batch.of_traces(trace((25.0, 50.0)), trace((3e-15, 1e-14)))


def judge(told, bias=GREW):
    return through_the_batch.judge_beside(made("through-the-batch", told), bias)


def test_every_number_of_the_run_is_read_where_its_sentence_says():
    held, numbers, answer = judge(HELD)
    assert (held, answer) == (True, "grows")
    assert numbers == {
        "batch": 0.95, "ablated": 0.63, "plain": 0.91, "batch_loss": 0.02, "ablated_loss": 1.3,
        "loss_factor": pytest.approx(65), "batch_weights": 14.8, "ablated_weights": 22.4,
        "start_weights": 14.1, **GREW,
    }  # fmt: skip
    assert judged("through-the-batch", "held", numbers) == [
        ["500", "25.00", "250", "50.00"], [],
        ["300", "95\u00a0%", "63\u00a0%", "91\u00a0%"], ["65"], ["1", "14.10", "14.80", "22.40"],
    ]  # fmt: skip
    assert judged("through-the-batch", "did_not_hold", numbers) == [
        ["500", "25.00", "250", "50.00"], ["300", "95\u00a0%", "63\u00a0%", "91\u00a0%"], ["65"],
    ]  # fmt: skip


def test_the_layer_alone_is_that_of_the_runs_seed():
    run = made("through-the-batch", HELD, seed=3)
    assert through_the_batch.judge(run) == through_the_batch.judge_beside(
        run, through_the_batch.bias_alone(3)
    )
    other = through_the_batch.bias_alone(4)
    assert through_the_batch.judge(run)[1]["bias_end"] != other["bias_end"]


@every_case(
    ("network", "told", "held"),
    [("ablated", {"accuracy": 0.79}, True), ("ablated", {"accuracy": 0.81}, False),
     ("ablated", {"loss": 0.21}, True), ("ablated", {"loss": 0.19}, False)],
)  # fmt: skip
def test_it_holds_only_where_the_whole_network_falls_behind_in_both(network, told, held):
    assert judge(but(HELD, 300, network, **told))[0] is held


def test_it_holds_only_where_the_bias_alone_grows():
    still = through_the_batch.of_traces(trace((1.0, 1.0)), trace((0.0, 0.0)))
    held, _, answer = judge(HELD, still)
    assert (held, answer) == (False, None)


def test_every_number_of_the_layer_alone_is_read_where_its_sentence_says():
    blind = trace((25.0, 50.0), losses=(2.0, 3.0, 1.5, 2.5))
    seeing = trace((5.0, 0.7), losses=(8.0, 9.0))
    assert through_the_batch.of_traces(blind, seeing) == {
        "loss": 2, "loss_change": 0.75, "loss_still": False, "loss_moved": True,
        "loss_fall": -0.25, "bias_half": 25, "bias_end": 50, "bias_growth": 2,
        "bias_inside": 0.7, "inside_still": False, "inside_moved": True,
    }  # fmt: skip
    numbers = judge(HELD, through_the_batch.of_traces(blind, seeing))[1]
    assert judged("through-the-batch", "held", numbers)[:2] == [
        ["500", "75.0\u00a0%", "25.00", "250", "50.00"], ["0.70"],
    ]  # fmt: skip
    assert judged("through-the-batch", "did_not_hold", numbers)[0] == [
        "500", "75.0\u00a0%", "25.00", "250", "50.00",
    ]  # fmt: skip


@pytest.mark.parametrize(("size", "still"), [(0.9e-9, True), (1.1e-9, False)])
def test_what_is_but_rounding_is_called_still(size, still):
    blind, seeing = trace((1.0, 2.0), losses=(1.0, 1.0 + size)), trace((5.0, size))
    found = through_the_batch.of_traces(blind, seeing)
    for what in ("loss", "inside"):
        assert (found[f"{what}_still"], found[f"{what}_moved"]) == (still, not still)


def test_a_bias_that_never_moved_has_not_grown():
    found = through_the_batch.of_traces(trace((0.0, 0.0)), trace((0.0, 0.0)))
    assert found["bias_growth"] == 1


@every_case(
    ("growth", "change", "fall", "answer"),
    [
        (1.6, 0.9e-6, 0.0, "grows"), (1.4, 0.9e-6, 0.0, None), (1e6, 0.9e-6, 0.0, "grows"),
        (1.4, 1.1e-6, 1.1e-6, "settles"), (1.4, 1.1e-6, 0.9e-6, None), (1.6, 0.5, 0.5, None),
        (1.4, 0.5, -0.9, None), (1.4, 2.0, -1.1, None), (1.1e3, 0.5, 0.5, None),
        (0.9e3, 2.0, -1.1, None), (1.1e3, 1.9, -0.9, None), (1.1e3, 2.0, -1.1, "blows_up"),
    ],
)  # fmt: skip
def test_what_becomes_of_a_bias_has_a_name(growth, change, fall, answer):
    numbers = {"bias_growth": growth, "loss_change": change, "loss_fall": fall}
    assert through_the_batch.answer_of(numbers) == answer


def biases(ablated, plain, size=0.34, step=300):
    """Make a run with three hidden layers. The last bias is the output's, and must not count."""
    told = {
        (step, "ablated"): {
            "accuracy": ablated, "weights.bias": (size * 0.48, size * 0.64, size * 0.6, 7.0),
        },
        (step, "none"): {"accuracy": plain, "weights.bias": (3.0, 3.0, 3.0, 3.0)},
    }  # fmt: skip
    return made("through-the-batch", told, "biases")


@every_case(
    ("apart", "case", "said"),
    [(-0.025, "behind", "is lower"), (-0.015, "level", "is about"), (0.015, "level", "is about"),
     (0.025, "ahead", "is higher")],
)  # fmt: skip
def test_of_biases_that_a_mean_takes_out_it_is_told_how_they_and_the_networks_ended(
    apart, case, said
):
    run = biases(0.8 + apart, 0.8)
    numbers = lesson("through-the-batch").try_named("biases").tell(run)
    assert numbers == {
        "ablated": 0.8 + apart, "none": 0.8, "bias": pytest.approx(0.34), "grew": True,
        "still": False, **{each: each == case for each in ("level", "ahead", "behind")},
    }  # fmt: skip
    assert said in seen("through-the-batch", "biases", run)[1]
    assert seen_numbers("through-the-batch", "biases", biases(0.9, 0.72)) == [
        ["0.34"], ["90\u00a0%", "72\u00a0%"],
    ]  # fmt: skip
    assert seen_numbers("through-the-batch", "biases", biases(0.6, 0.72))[1][0] == "60\u00a0%"


@pytest.mark.parametrize(
    ("size", "said"), [(0.11, "grew from zero"), (0.09, "hardly changed")]
)  # fmt: skip
def test_biases_have_grown_from_a_size_on(size, said):
    assert said in seen("through-the-batch", "biases", biases(0.8, 0.8, size))[0]


@pytest.mark.parametrize("of", [None, "biases"])
def test_charts_and_sentences_have_one_name_for_one_network(of):
    """A network has the same name in charts and in sentences, because its chart name is short
    enough to be drawn in full.
    """
    found = lesson("through-the-batch")
    words = lesson_words(found.name, found)
    config = found.config_of_try(of) if of else found.config()
    own, called = (words.network_names(of, where)["ablated"] for where in ("networks", "called"))
    usual = chart_texts()
    named = {**usual["norms"], "ablated": {"network": own, "short": own}}
    view = replace(make_view(config), texts={**usual, "norms": named})
    everywhere = {norm: end_labels(view)[norm] for norm in config.norms}
    assert own in called
    for norm, names in texts("lessons")["called"].items():
        if norm in everywhere and norm != "ablated":
            assert everywhere[norm] in names
    said = " ".join(
        seen("through-the-batch", of or "tanh", made("through-the-batch", {}, of or "tanh"))
    )
    assert called in said


def test_the_question_says_what_b_is_and_that_only_the_mean_is_taken_away():
    asked = texts("lessons/through-the-batch")["question"]
    assert asked.index("b stands for") == asked.index(" b ") + 1, "where it is first named"
    assert "only the mean is subtracted here" in asked


def test_what_the_words_say_of_the_setting_is_what_is_done():
    found = lesson("through-the-batch")
    said = found.named_values()
    assert (said["bias_steps"], said["bias_half_steps"]) == (500, 250)
    assert (
        (said["bias_rate"], said["bias_units"])
        == (single_layer.RATE, single_layer.UNITS)
        == (0.1, 20)
    )
    assert found.config().norms == ("none", "batch", "ablated")
    assert not found.config().ablation_gradient
    assert found.config_of_try("faster").learning_rate == said["faster_rate"]
    whole = found.config_of_try("biases")
    assert whole.depth == said["biases_depth"] != found.config().depth
    assert whole.activation == "tanh"
    label = texts("lessons/through-the-batch")["break"]["biases"]["label"]
    assert Filling(said).sentence(label).startswith("3 tanh layers")
    assert (whole.norms, whole.ablation_statistics) == (("none", "ablated"), "mean")
    assert whole.ablation_bias
    assert not whole.ablation_gradient
