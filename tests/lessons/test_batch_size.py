"""The rules of *How many make a batch?*, on runs made by hand."""

import pytest

from bnviz.lessons import batch_size
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson

# Test accuracies with two images a step; their means are .81, .46, .83 and .79.
LOOKS = {
    "none": {160: 0.78, 180: 0.80, 200: 0.85},
    "batch": {160: 0.54, 180: 0.40, 200: 0.44},
    "layer": {160: 0.85, 180: 0.87, 200: 0.77},
    "group": {160: 0.77, 180: 0.84, 200: 0.76},
}
HELD = {
    **{(step, norm): {"accuracy": share} for norm, shares in LOOKS.items()
       for step, share in shares.items()},
    (199, "batch"): {"batch_noise.mean": {0: 0.71}, "accuracy": 0.9},
    (220, "batch"): {"accuracy": 0.86},
    (400, "none"): {"accuracy": 0.955}, (400, "layer"): {"accuracy": 0.945},
    (400, "batch"): {"accuracy": 0.925, "batch_noise.mean": {0: 0.13}},
    (400, "group"): {"accuracy": 0.935},
}  # fmt: skip


def judge(told):
    return batch_size.judge(made("batch-size", told))


def with_few(network, accuracy):
    """Another accuracy at every look."""
    told = HELD
    for step in LOOKS[network]:
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
    }  # fmt: skip
    shares = ["3", "160", "200", *(f"{share}\u00a0%" for share in (46, 81, 83, 79))]
    noise = ["2", "0.71", "60", "0.13"]
    assert judged("batch-size", "held", verdict.numbers) == [
        shares, noise,
        ["220", "86\u00a0%", "400", *(f"{share}\u00a0%" for share in (92, 96, 94, 94))],
        ["200", "400", "12000"],
    ]  # fmt: skip
    assert judged("batch-size", "did_not_hold", verdict.numbers)[:2] == [shares, noise]


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


@pytest.mark.parametrize(("paused", "said"), [("batch of 1", "takes no step"), (None, "went on")])
def test_of_one_image_it_is_told_whether_a_step_was_taken(paused, said):
    run = made("batch-size", {(100, "batch"): {"paused": paused}}, "one")
    (sentence,) = seen("batch-size", "one", run)
    assert said in sentence


@pytest.mark.parametrize(
    ("layer", "batch", "said"),
    [(0.1, 0.95, ["stuck at", "With BN it is at"]), (0.21, 0.19, ["not stuck", "stuck, too"])],
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
    assert {said["later"], *batch_size.LOOKS} < set(found.plan.shown)
    assert (said["looks"], said["looked_from"]) == (3, 160)
    assert batch_size.LOOKS[-1] == said["raised_at"], "all of them before the change acts"
    assert found.break_config("eight").batch_size == said["eight"] == 8
    assert found.break_config("one").batch_size == 1
    assert found.break_config("two").batch_size == 2
    (faster,) = found.break_plan("higher-rate").changes
    assert faster.step == said["rate_raised_at"]
    assert faster.values == {"learning_rate": said["high_rate"]}
