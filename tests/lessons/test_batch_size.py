"""Rules of the lesson *How many make a batch?*, tested on synthetic runs."""

import numpy as np
import pytest

from bnviz.lessons import batch_size
from bnviz.lessons.lesson import schedule
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.charted import Charted
from tests.lessons.made_by_hand import but, judged, made, printed, seen, seen_numbers
from tests.lessons.observing import lesson, play

FIRST_STEP = schedule((1, 10))
# Test accuracies by network and step, with mini-batches of two. The networks' means are 0.81, 0.46,
# 0.83 and 0.79.
TEST_STEPS = {
    "none": {160: 0.78, 180: 0.80, 200: 0.85},
    "batch": {160: 0.54, 180: 0.40, 200: 0.44},
    "layer": {160: 0.85, 180: 0.87, 200: 0.77},
    "group": {160: 0.77, 180: 0.84, 200: 0.76},
}
# Values of eight units of layer 3 for two images: all at −1 and +1, except one unit in `ONE_OFF`.
# Other entries are 0.3.
PAIRS = np.full((8, 24), 0.3)
PAIRS[:, 0], PAIRS[:, 1] = 1.0, -1.0
ONE_OFF = PAIRS.copy()
ONE_OFF[2, :2] = 0.94, -0.94
VALUES = "batch_values.values"
HELD = {
    (0, "batch"): {VALUES: {-1: ONE_OFF}}, (0, "none"): {VALUES: {-1: np.full((8, 24), 0.96)}},
    **{(step, norm): {"accuracy": share} for norm, shares in TEST_STEPS.items()
       for step, share in shares.items()},
    (199, "batch"): {"batch_noise.mean": {0: 0.71}, "accuracy": 0.9},
    (220, "batch"): {"accuracy": 0.86},
    (400, "none"): {"accuracy": 0.955, "batch_noise.mean": {2: 0.12}},
    (400, "layer"): {"accuracy": 0.945},
    (400, "batch"): {"accuracy": 0.925, "batch_noise.mean": {0: 0.13, 2: 0.03}},
    (400, "group"): {"accuracy": 0.935},
}  # fmt: skip


def mean_accuracy(norm):
    """Return a function that reads the mean accuracy over the steps that the sentence names."""

    def read(at):
        line = at.line("accuracy", f"{norm}.test_accuracy")
        return np.mean([line[step] for step in (160, 180, 200)])

    return read


def accuracy(norm, step):
    return lambda at: at.line("accuracy", f"{norm}.test_accuracy")[step]


def noise_in_layer_1(step):
    return lambda at: at.line("batch_noise", "batch.batch_noise.mean")[step]


def noise_in_layer_3(norm):
    return lambda at: at.value("batch_noise", f"{norm}.batch_noise.mean", 400)[2]


CHARTED = {
    "batch": mean_accuracy("batch"), "plain": mean_accuracy("none"),
    "layer": mean_accuracy("layer"), "group": mean_accuracy("group"),
    "batch_end": accuracy("batch", 400), "plain_end": accuracy("none", 400),
    "layer_end": accuracy("layer", 400), "group_end": accuracy("group", 400),
    "batch_later": accuracy("batch", 220),
    "noise_before": noise_in_layer_1(199), "noise_end": noise_in_layer_1(400),
    "noise_upper": noise_in_layer_3("batch"), "noise_upper_plain": noise_in_layer_3("none"),
}  # fmt: skip


def judge(told):
    return batch_size.judge(made("batch-size", told))


def with_few(network, accuracy):
    """Give a network the same accuracy at every step of `TEST_STEPS`."""
    told = HELD
    for step in TEST_STEPS[network]:
        told = but(told, step, network, accuracy=accuracy)
    return told


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("batch-size").verdict(made("batch-size", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "behind")
    assert verdict.numbers == {
        **{name: pytest.approx(share) for name, share in
           {"plain": 0.81, "batch": 0.46, "layer": 0.83, "group": 0.79}.items()},
        "plain_end": 0.955, "batch_end": 0.925, "layer_end": 0.945, "group_end": 0.935,
        "batch_later": 0.86, "noise_before": 0.71, "noise_end": 0.13,
        "noise_upper": 0.03, "noise_upper_plain": 0.12,
    }  # fmt: skip
    means = ["3", "160", "200", "83\u00a0%", "79\u00a0%"]
    noise = ["1", "2", "0.71", "199", "60", "0.13", "400"]
    steps = ["200", "400", "12000"]
    assert judged("batch-size", "held", verdict.numbers) == [
        means, noise, ["3", "0.03", "400", "0.12", "2"],
        ["220", "86\u00a0%", "400", "94\u00a0%", "94\u00a0%"], steps,
    ]  # fmt: skip
    assert judged("batch-size", "did_not_hold", verdict.numbers) == [
        means, noise, ["400", "94\u00a0%", "94\u00a0%"], steps,
    ]  # fmt: skip
    lead = texts("lessons/batch-size")["verdict"]["lead"]
    assert printed("batch-size", lead["batch"], verdict.numbers) == [
        ["46\u00a0%", "2", "400", "60", "92\u00a0%"]
    ]
    assert printed("batch-size", lead["none"], verdict.numbers) == [["81\u00a0%", "96\u00a0%"]]


def test_before_training_it_is_told_how_many_dots_bn_has_put_at_minus_one_and_one():
    found, run = lesson("batch-size"), made("batch-size", HELD)
    assert found.starts(run) == {"batch_at_one": 14, "plain_at_one": 16, "dots": 16}
    said = texts("lessons/batch-size")["starts"]
    told = printed("batch-size", said, found.starts(run))[1]
    assert told == ["14", "16", "0.05", "−1", "1", "16", "16"]
    assert found.plan.rate(0, 0) == 1 / found.named_values()["rest"], "the run pauses at step 0"


def test_the_first_chart_shows_these_dots():
    at = Charted("batch-size", 0)
    for norm, name in (("batch", "batch"), ("none", "plain")):
        drawn = at.value("batch_values", f"{norm}.{VALUES}", 0).reshape(8, 24)[:, :2]
        told = lesson("batch-size").starts(at.run)[f"{name}_at_one"]
        assert (abs(abs(drawn) - 1) <= 0.05).sum() == told
    assert lesson("batch-size").starts(at.run)["batch_at_one"] >= 12


@pytest.mark.verify
def test_at_any_seed_bn_puts_nearly_all_dots_there_and_no_norm_hardly_any():
    for seed in range(20):
        run = play(lesson("batch-size").config(seed), FIRST_STEP, shown=("batch_values",))
        numbers = batch_size.at_start(run)
        assert numbers["batch_at_one"] >= 14, (seed, numbers)
        assert numbers["plain_at_one"] <= 4, (seed, numbers)


@every_case(
    ("network", "accuracy", "held"),
    [("layer", 0.62, True), ("layer", 0.6, False), ("none", 0.57, True), ("none", 0.55, False),
     ("group", 0.1, True)],
)  # fmt: skip
def test_it_holds_where_bn_is_far_behind_both(network, accuracy, held):
    assert judge(with_few(network, accuracy))[0] is held


@every_case(
    ("network", "accuracy", "held"),
    [("batch", 0.91, True), ("batch", 0.89, False), ("none", 0.2, True)],
)
def test_it_holds_where_bn_arrives_in_the_end(network, accuracy, held):
    assert judge(but(HELD, 400, network, accuracy=accuracy))[0] is held


@every_case(
    ("accuracy", "answer"),
    [(0.7, "behind"), (0.72, None), (0.78, None), (0.795, "level"), (0.825, "level"),
     (0.84, "ahead")],
)  # fmt: skip
def test_how_far_bn_is_behind_is_one_of_the_answers_or_none(accuracy, answer):
    assert judge(with_few("batch", accuracy))[2] == answer


@pytest.mark.parametrize(
    ("undefined_norm", "said"), [("batch of 1", "takes no step"), (None, "continued")]
)
def test_of_one_image_it_is_told_whether_a_step_was_taken(undefined_norm, said):
    run = made("batch-size", {(100, "batch"): {"undefined_norm": undefined_norm}}, "one")
    (sentence,) = seen("batch-size", "one", run)
    assert said in sentence


@pytest.mark.parametrize(
    ("layer", "batch", "said"),
    [
        (0.1, 0.95, ["stuck at", "With BN, test accuracy is"]),
        (0.21, 0.19, ["not stuck", "stuck, too"]),
    ],
)
def test_after_a_higher_rate_it_is_told_who_is_stuck(layer, batch, said):
    told = {(300, "layer"): {"accuracy": layer}, (300, "batch"): {"accuracy": batch}}
    run = made("batch-size", told, "higher-rate")
    sentences = seen("batch-size", "higher-rate", run)
    assert [part in sentence for part, sentence in zip(said, sentences, strict=True)] == [True] * 2
    assert seen_numbers("batch-size", "higher-rate", run) == [
        [f"{100 * layer:.0f}\u00a0%"], [f"{100 * batch:.0f}\u00a0%"],
    ]  # fmt: skip


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("batch-size")
    said, (raised,) = found.named_values(), found.plan.changes
    assert (raised.step, raised.values) == (said["raised_at"], {"batch_size": said["many"]})
    assert found.config().batch_size == said["few"] == 2
    assert said["few_examples"] == 400
    assert said["many_examples"] == 12_000
    assert {said["later"], *batch_size.TEST_STEPS} < set(found.plan.shown)
    assert (said["looks"], said["looked_from"]) == (3, 160)
    assert batch_size.TEST_STEPS[-1] == said["raised_at"], "all of them before the change acts"
    assert (said["behind_points"], said["level_points"]) == (10, 2)
    assert (said["before"], said["near"]) == (batch_size.BEFORE, 0.05)
    assert found.config_of_try("eight").batch_size == said["eight"] == 8
    assert found.config_of_try("one").batch_size == 1
    assert found.config_of_try("two").batch_size == 2
    (faster,) = found.plan_of_try("higher-rate").changes
    assert faster.step == said["rate_raised_at"]
    assert faster.values == {"learning_rate": said["high_rate"]}
