"""Rules of the lesson *Why not whiten?*, tested on synthetic runs."""

from statistics import fmean, median

import numpy as np
import pytest

from bnviz.lessons import whitening
from bnviz.lessons.observation import NotMeasured
from bnviz.probes.axis import ZERO_EIGENVALUE
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import lesson

# Test accuracies at the five early steps, with BN, IterNorm and ZCA.
EARLY = {
    15: (0.90, 0.85, 0.80), 20: (0.92, 0.87, 0.84), 25: (0.94, 0.90, 0.88),
    30: (0.95, 0.92, 0.90), 40: (0.96, 0.94, 0.93),
}  # fmt: skip
SECONDS = {"batch": 0.002, "iternorm": 0.007, "zca": 0.009}
ORDER = ("batch", "iternorm", "zca")


def _early(at, norm):
    line = at.line("accuracy", f"{norm}.test_accuracy")
    return fmean(line[step] for step in whitening.TEST_STEPS)


def _longer(at, norm):
    own, batch = (at.line("cost", f"{each}.seconds_per_step") for each in (norm, "batch"))
    return median(own[step] / batch[step] for step in (*whitening.TEST_STEPS, whitening.LAST_STEP))


def _zeros(at):
    return np.sum(at.value("spectrum", "batch.spectrum.eigenvalues") < ZERO_EIGENVALUE)


CHARTED = {
    **{f"{norm}_early": lambda at, norm=norm: _early(at, norm) for norm in ORDER},
    **{norm: lambda at, norm=norm: at.value("accuracy", f"{norm}.test_accuracy")
       for norm in ORDER},
    **{f"{norm}_longer": lambda at, norm=norm: _longer(at, norm) for norm in ("iternorm", "zca")},
    **{f"{norm}_correlation":
       lambda at, norm=norm: np.nanmean(at.value("rank", f"{norm}.rank.correlation"))
       for norm in ORDER},
    "zeros": _zeros,
}  # fmt: skip


def correlations(mean):
    """Return correlations of six layers with the mean `mean`. The last layer has NaN, because its
    units do not vary.
    """
    return {"rank.correlation": [mean - 0.02, mean + 0.02, mean, mean - 0.01, mean + 0.01, np.nan]}


def run(early=EARLY, seconds=SECONDS, **changed):
    told = {
        (step, norm): {"accuracy": value, "seconds": seconds[norm]}
        for step, values in early.items() for norm, value in zip(ORDER, values, strict=True)
    }  # fmt: skip
    ends = {"batch": (0.97, 0.25), "iternorm": (0.955, 0.14), "zca": (0.945, 0.12)}
    for norm, (accuracy, mean) in ends.items():
        told[100, norm] = {
            "accuracy": accuracy, "seconds": seconds[norm], **correlations(mean),
            "spectrum.zeros": {-1: 41},
        }  # fmt: skip
    return made("whitening", {**told, **changed})


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("whitening").verdict(run())
    assert (verdict.outcome, verdict.answer) == ("held", "slower")
    assert verdict.numbers == {
        "batch_early": pytest.approx(0.934), "iternorm_early": pytest.approx(0.896),
        "zca_early": pytest.approx(0.87), "iternorm_longer": pytest.approx(3.5),
        "zca_longer": pytest.approx(4.5), "batch": 0.97, "iternorm": 0.955, "zca": 0.945,
        "batch_correlation": pytest.approx(0.25), "iternorm_correlation": pytest.approx(0.14),
        "zca_correlation": pytest.approx(0.12), "zeros": 41,
    }  # fmt: skip
    said = [
        ["5", "15", "40", "93.4\u00a0%", "89.6\u00a0%", "87.0\u00a0%"],
        ["100", "97.0\u00a0%", "95.5\u00a0%", "94.5\u00a0%"],
        ["3.5", "4.5"], ["0.25", "0.14", "0.12"], ["60", "41", "100"],
    ]  # fmt: skip
    assert judged("whitening", "held", verdict.numbers) == said
    assert judged("whitening", "did_not_hold", verdict.numbers) == said[:4]


@every_case(
    ("zca", "held", "answer"),
    [(0.933, False, "same"), (0.935, False, "same"), (0.928, True, "slower"),
     (0.940, False, "faster"), (0.938, False, "same")],
)  # fmt: skip
def test_it_holds_where_whitening_is_behind_on_average_of_the_early_steps(zca, held, answer):
    gap = zca - 0.934
    early = {step: (batch, middle, batch + gap) for step, (batch, middle, _) in EARLY.items()}
    assert whitening.judge(run(early))[::2] == (held, answer)


@pytest.mark.parametrize(("seconds", "held"), [(0.0041, True), (0.0039, False)])
def test_it_holds_only_where_a_step_takes_several_times_as_long(seconds, held):
    assert whitening.judge(run(seconds={**SECONDS, "zca": seconds}))[0] is held


def test_a_step_that_something_else_held_up_does_not_count():
    told = {(step, norm): {"accuracy": 0.9, "seconds": SECONDS[norm]}
            for step in (*EARLY, 100) for norm in ORDER}  # fmt: skip
    observed = made("whitening", but(but(told, 15, "batch", seconds=0.4), 20, "zca", seconds=0.9))
    assert whitening.judge(observed)[1]["zca_longer"] == pytest.approx(4.5)


def test_before_a_step_was_timed_nothing_is_judged():
    untimed = {(step, norm): {"seconds": None} for step in (*EARLY, 100) for norm in ORDER}
    with pytest.raises(NotMeasured, match="time per step"):
        whitening.judge(made("whitening", untimed))


def early(zca, of, **more):
    """Make a run of the try-it experiment `of` whose mean accuracy in the early steps is 0.8 with
    BN and `zca` with ZCA.
    """
    told = {(step, "batch"): {"accuracy": 0.8} for step in EARLY}
    told |= {(step, "zca"): {"accuracy": zca + shift} for step, shift in
             zip(EARLY, (-0.02, -0.01, 0, 0.01, 0.02), strict=True)}  # fmt: skip
    told[40, "batch"] |= more
    return made("whitening", told, of)


@every_case(
    ("zca", "said"), [(0.806, "higher"), (0.804, "the same"), (0.796, "the same"), (0.794, "lower")]
)
def test_of_eight_images_it_is_told_who_is_ahead_and_that_nothing_is_whitened(zca, said):
    observed = early(zca, "few")
    numbers, who, why = seen("whitening", "few", observed)
    assert said in who
    assert "no longer whitens" in who
    assert "centres" in why
    assert seen_numbers("whitening", "few", observed)[0] == [
        "80.0\u00a0%", f"{100 * zca:.1f}\u00a0%",
    ]  # fmt: skip
    assert f"{100 * zca:.1f}" in numbers


def test_of_many_images_the_directions_are_told():
    observed = early(0.78, "many", **{"spectrum.zeros": {-1: 3}})
    assert seen_numbers("whitening", "many", observed) == [
        ["3", "100"], ["80.0\u00a0%", "78.0\u00a0%"], [],
    ]  # fmt: skip
    assert "still lower" in seen("whitening", "many", observed)[2]
    assert "is lower with ZCA" in seen("whitening", "relu", early(0.6, "relu"))[1]


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("whitening")
    said = found.named_values()
    assert (said["batch_size"], found.config().width) == (60, 100)
    assert found.config_of_try("few").batch_size == said["few"]
    assert found.config_of_try("many").batch_size == said["many"]
    # Groups have fifteen units: more than the images in the small mini-batch, fewer than in the
    # large one.
    assert said["few"] < 15 < said["batch_size"]
    assert set(whitening.TEST_STEPS) <= set(found.plan.shown)
