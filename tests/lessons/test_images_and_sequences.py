"""Rules of the lesson *Feature maps and time steps*, tested on synthetic runs, and the lesson's
comparison.
"""

from statistics import fmean

import pytest

from bnviz.config import RunConfig
from bnviz.lessons import images_and_sequences
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson, ran

NAME = "images-and-sequences"
# Test accuracies with BN and without BN by step; their means are 0.91 and 0.86.
TEST_STEPS = {200: (0.90, 0.92), 225: (0.92, 0.82), 250: (0.94, 0.87), 275: (0.95, 0.89),
         300: (0.84, 0.80)}  # fmt: skip
HELD = {
    **{(step, norm): {"accuracy": value} for step, values in TEST_STEPS.items()
       for norm, value in zip(("batch", "none"), values, strict=True)},
    (300, "batch"): {
        "accuracy": 0.84, "batch_noise.mean": {0: 0.097}, "batch_noise.mean_expected": {0: 0.707},
    },
}  # fmt: skip


def _mean(at, norm):
    line = at.line("accuracy", f"{norm}.test_accuracy")
    return fmean(line[step] for step in images_and_sequences.TEST_STEPS)


CHARTED = {
    "batch": lambda at: _mean(at, "batch"),
    "plain": lambda at: _mean(at, "none"),
    "noise": lambda at: at.value("batch_noise", "batch.batch_noise.mean")[0],
    "noise_alone": lambda at: at.value("batch_noise", "batch.batch_noise.mean_expected")[0],
}


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson(NAME).verdict(made(NAME, HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "holds")
    assert verdict.numbers == {
        "batch": pytest.approx(0.91), "plain": pytest.approx(0.86), "noise": 0.097,
        "noise_alone": 0.707,
    }  # fmt: skip
    said = [
        ["5", "200", "300", "91.0\u00a0%", "86.0\u00a0%"], ["32", "2", "16", "1", "0.097", "0.707"],
        ["16"],
    ]  # fmt: skip
    assert judged(NAME, "held", verdict.numbers) == said
    assert judged(NAME, "did_not_hold", verdict.numbers) == said[:2]


@every_case(
    ("plain", "held", "answer"),
    [(0.909, True, "holds"), (0.92, False, None), (1.00, False, None), (1.02, False, "breaks")],
)
def test_it_holds_where_bn_is_not_behind(plain, held, answer):
    told = HELD
    for step in TEST_STEPS:
        told = but(told, step, "none", accuracy=plain)
    assert images_and_sequences.judge(made(NAME, told))[::2] == (held, answer)


@every_case(("of", "step"), [("connected", 300), ("recurrent", 50), ("norms", 300), ("fast", 200)])
@every_case("gap", [0.03, 0.01, -0.01, -0.03])
def test_of_a_break_it_is_told_who_is_ahead(of, step, gap):
    told = {(step, "batch"): {"accuracy": 0.5 + gap}, (step, "none"): {"accuracy": 0.5}}
    numbers = lesson(NAME).try_named(of).tell(made(NAME, told, of))
    case = "level" if abs(gap) < 0.02 else "ahead" if gap > 0 else "behind"
    assert [each for each in ("ahead", "level", "behind") if numbers[each]] == [case]


def test_of_a_sequence_the_spread_of_the_state_is_told_by_time():
    spread = [0.1, 0.25, 0.3, 0.3, 0.4, 0.4, 0.45, 0.55]
    told = {(50, "batch"): {"spread_between.spread": spread, "accuracy": 0.83},
            (50, "none"): {"accuracy": 0.92}}  # fmt: skip
    observed = made(NAME, told, "recurrent")
    assert seen_numbers(NAME, "recurrent", observed) == [["50"], ["0.100", "0.550", "8"]]
    assert "fit neither" in seen(NAME, "recurrent", observed)[1]
    narrower = made(NAME, but(told, 50, "batch", spread_between__spread=spread[::-1]), "recurrent")
    assert "fit neither" not in " ".join(seen(NAME, "recurrent", narrower))


def test_beside_norms_of_a_single_image_each_accuracy_is_told():
    told = {(300, norm): {"accuracy": value} for norm, value in
            (("none", 0.86), ("batch", 0.91), ("group", 0.92), ("instance", 0.89))}  # fmt: skip
    observed = made(NAME, told, "norms")
    assert seen_numbers(NAME, "norms", observed) == [
        [], ["86.0\u00a0%", "91.0\u00a0%", "92.0\u00a0%", "89.0\u00a0%"], [],
    ]  # fmt: skip


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson(NAME)
    said, connected = found.named_values(), found.config_of_try("connected")
    assert (said["batch_size"], said["width"], said["places"]) == (2, 16, 16)
    assert said["values"] == said["batch_size"] * said["places"]
    few, usual = found.sets_up.settings.values()
    assert few == connected
    assert usual == connected.replace(batch_size=said["usual_batch"])
    assert {each.network for each in found.series.settings.values()} == {"conv"}
    assert found.config_of_try("recurrent") == RunConfig(network="recurrent", batch_size=60)
    assert found.config_of_try("fast").learning_rate == said["fast_rate"]


def test_fully_connected_two_images_are_too_few_and_sixty_are_enough():
    result = ran(lesson(NAME).sets_up)
    (few, usual), (few_plain, usual_plain) = (result.ends(norm) for norm in ("batch", "none"))
    assert few < few_plain - 0.05
    assert usual > usual_plain - 0.03
    assert usual > 0.9
