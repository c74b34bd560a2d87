"""Rules of the lesson *What γ and β give back*, tested on synthetic runs."""

from dataclasses import replace

import pytest

from bnviz.charts.chart import chart_texts
from bnviz.charts.time_axis import end_labels
from bnviz.config import RunConfig
from bnviz.lessons import scale_and_shift
from bnviz.lessons.observation import NotMeasured
from bnviz.lessons.words import Filling
from bnviz.norms import NORMS
from bnviz.ui.lessons.words import lesson_words
from bnviz.words.texts import texts
from tests.charts.conftest import make_view
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.observing import broken, lesson

NAME = "scale-and-shift"
TEST_STEPS = (520, 540, 560, 580, 600)


def final_accuracy(norm):
    return lambda charted: charted.line("accuracy", f"{norm}.test_accuracy")[600]


def in_layer_1(norm, name, column):
    """Return a function that reads the units' 10th or 90th percentile (thin line) in layer 1."""
    field = f"{norm}.affine.{name}"
    return lambda charted: charted.value("affine", field, 600, column=column)[0]


CHARTED = {
    **{norm: final_accuracy(norm) for norm in scale_and_shift.NETWORKS},
    "shift_low": in_layer_1("batch_shift", "beta", 0),
    "shift_high": in_layer_1("batch_shift", "beta", 2),
    "scale_low": in_layer_1("batch_scale", "gamma", 0),
    "scale_high": in_layer_1("batch_scale", "gamma", 2),
}  # fmt: skip
ENDS = {"batch": 0.991, "batch_scale": 0.512, "batch_shift": 0.973, "batch_bare": 0.504}


def told(**ends):
    found = {(600, norm): {"accuracy": end} for norm, end in {**ENDS, **ends}.items()}
    found[600, "batch_shift"] |= {"affine.beta": ((-1.42, 0.2, 1.51), (-0.2, 0.0, 1.73))}
    found[600, "batch_scale"] |= {"affine.gamma": ((0.97, 1.0, 1.02), (0.9, 0.98, 1.1))}
    # Values after the last step must not count.
    return found | {(640, norm): {"accuracy": 0.1} for norm in scale_and_shift.NETWORKS}


def judge(given):
    return scale_and_shift.judge(made(NAME, given))


def test_every_number_is_read_where_its_sentence_says():
    held, numbers, answer = judge(told())
    assert (held, answer) == (True, "shift")
    assert numbers == {
        **ENDS, "shift_low": -1.42, "shift_high": 1.51, "scale_low": 0.97, "scale_high": 1.02,
    }  # fmt: skip
    both = [["600", "99.1\u00a0%", "97\u00a0%"], ["51\u00a0%", "50\u00a0%", "50\u00a0%"]]
    assert judged(NAME, "did_not_hold", numbers) == both
    *found, moons = judged(NAME, "held", numbers)
    assert found == [*both, ["0", "1", "−1.42", "1.51"], ["1", "1", "0.97", "1.02"]]
    assert len(moons) == 2, "two claims"


@every_case(
    ("network", "end", "held"),
    [("batch", 0.751, True), ("batch", 0.749, False), ("batch_shift", 0.751, True),
     ("batch_shift", 0.749, False), ("batch_scale", 0.649, True), ("batch_scale", 0.651, False),
     ("batch_bare", 0.649, True), ("batch_bare", 0.651, False)],
)  # fmt: skip
def test_it_holds_only_where_both_with_a_shift_close_the_ring_and_the_others_guess(
    network, end, held
):
    found, _, answer = judge(told(**{network: end}))
    assert (found, answer) == (held, "shift" if held else None)


@every_case(
    ("ends", "answer"),
    [
        ((0.8, 0.8, 0.8, 0.8), "all"), ((0.8, 0.8, 0.8, 0.7), None), ((0.6, 0.6, 0.6, 0.6), None),
        ((0.8, 0.8, 0.6, 0.6), "scale"), ((0.8, 0.8, 0.7, 0.6), None),
        ((0.8, 0.6, 0.8, 0.6), "shift"),
    ],
)  # fmt: skip
def test_which_networks_told_the_rings_apart_has_a_name(ends, answer):
    networks = dict(zip(scale_and_shift.NETWORKS, ends, strict=True))
    held, _, found = judge(told(**networks))
    assert found == answer
    assert held == (answer == "shift")


def moons(**ends):
    """Return five test accuracies per network. Their median counts as the network's accuracy."""
    ends = {"batch": 0.991, "batch_scale": 0.982, "batch_shift": 0.913, "batch_bare": 0.904, **ends}
    given = {
        (step, norm): {"accuracy": middle + off}
        for norm, middle in ends.items()
        for step, off in zip(TEST_STEPS, (0.004, 0.0, -0.2, 0.003, -0.3), strict=True)
    }
    given[600, "batch_scale"] |= {"affine.gamma": ((0.73, 0.81, 1.94), (0.92, 1.31, 1.62))}
    return given


def on_moons(given):
    return lesson(NAME).try_named("moons").tell(made(NAME, given, "moons"))


def test_of_the_moons_every_number_is_read_where_its_sentence_says():
    assert on_moons(moons()) == {
        "batch": 0.991, "batch_scale": 0.982, "batch_shift": 0.913, "batch_bare": 0.904,
        "scale_lower": 0.81, "scale_upper": 1.31, "by_scale": True,
    }  # fmt: skip
    assert seen_numbers(NAME, "moons", made(NAME, moons(), "moons")) == [
        ["99.1\u00a0%", "98\u00a0%", "91\u00a0%", "90\u00a0%", "5", "520", "600"], [],
        ["2", "1", "1.31", "1", "0.81"],
    ]  # fmt: skip


@every_case(
    ("network", "end", "by_scale"),
    [("batch", 0.951, True), ("batch", 0.949, False), ("batch_scale", 0.951, True),
     ("batch_scale", 0.949, False), ("batch_shift", 0.929, True), ("batch_shift", 0.931, False),
     ("batch_bare", 0.929, True), ("batch_bare", 0.931, False)],
)  # fmt: skip
def test_on_the_moons_the_scale_decides_where_those_with_it_bend_and_the_others_do_not(
    network, end, by_scale
):
    run = made(NAME, moons(**{network: end}), "moons")
    assert lesson(NAME).try_named("moons").tell(run)["by_scale"] is by_scale
    assert any("Here γ makes" in text for text in seen(NAME, "moons", run)) is by_scale


@pytest.mark.parametrize(("low", "by_scale"), [(2, True), (3, False)])
def test_two_low_tests_of_five_change_nothing_on_the_moons(low, by_scale):
    given = moons()
    for place, step in enumerate(TEST_STEPS):
        given = but(given, step, "batch", accuracy=0.5 if place < low else 0.97)
    numbers = on_moons(given)
    assert numbers["by_scale"] is by_scale
    assert numbers["batch"] == (0.97 if by_scale else 0.5)


@every_case("step", TEST_STEPS)
def test_moons_that_were_not_tested_at_each_of_these_steps_tell_nothing(step):
    run = made(NAME, moons(), "moons")
    without = replace(run, snapshots=[s for s in run.snapshots if s.step != step])
    with pytest.raises(NotMeasured, match=f"step {step}"):
        lesson(NAME).try_named("moons").tell(without)


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_on_the_moons_the_scale_decides_over_twenty_seeds():
    tell = lesson(NAME).try_named("moons").tell
    found = [tell(broken(NAME, "moons", seed)) for seed in range(20)]
    assert all(each["by_scale"] for each in found)
    assert all(each["scale_lower"] < 1 < each["scale_upper"] for each in found)


def digits(bare):
    given = {
        (300, "batch"): {
            "accuracy": 0.97,
            "affine.gamma": ((0.98, 1.0, 1.01),) * 5 + ((0.99, 1.0, 1.04),),
            "affine.beta": ((-0.013, 0.0, 0.006),) * 5 + ((-0.004, 0.0, 0.011),),
        },
        (300, "batch_bare"): {"accuracy": bare},
    }
    return made(NAME, given, "digits")


@every_case(
    ("bare", "case", "said"),
    [(0.96, "level", "about the same"), (0.98, "level", "about the same"),
     (0.94, "ahead", "is higher with γ and β"), (0.995, "behind", "is lower with γ and β")],
)  # fmt: skip
def test_of_the_digits_it_is_told_who_is_ahead_and_how_far_both_moved(bare, case, said):
    numbers = lesson(NAME).try_named("digits").tell(digits(bare))
    assert numbers == {
        "scale_low": 0.98, "scale_high": 1.04, "shift_most": 0.013,
        **{each: each == case for each in ("ahead", "level", "behind")},
    }  # fmt: skip
    assert said in seen(NAME, "digits", digits(bare))[0]
    assert seen_numbers(NAME, "digits", digits(bare))[1] == ["1", "0", "0.98", "1.04", "0.013", "0"]


def test_the_farther_side_of_a_shift_counts():
    run = digits(0.97)
    record = run.at(300, "batch")
    record.probes["affine"]["beta"][5, 2] = 0.02
    assert lesson(NAME).try_named("digits").tell(run)["shift_most"] == 0.02


@pytest.mark.parametrize(("stopped", "said"), [(17, "At step 17"), (None, "even at this rate")])
def test_after_the_nonlinearity_it_is_told_whether_numbers_stayed_finite(stopped, said):
    run = made(NAME, {(300, "batch"): {"stopped": stopped}}, "after")
    found = lesson(NAME).try_named("after").tell(run)
    assert found == {"stopped": stopped, "gone": stopped is not None, "goes_on": stopped is None}
    (sentence,) = seen(NAME, "after", run)
    assert said in sentence


def shaped(got=0.24, made_of=0.05):
    """Return a run with these median distances from a normal distribution over layers 2 to 6 at
    step 0: `got` for inputs, `made_of` for pre-activations. Layer 1 does not count, because it gets
    the images.
    """

    def rows(first, second):
        return [(0.9, 0.9, 0.9), *((first + off, second + off, 0.9)
                                   for off in (-0.03, 0.0, 0.01, -0.02, 0.02))]  # fmt: skip

    given = {
        (0, "none"): {"shape.distance": rows(got, made_of), "shape.zeros": rows(0.49, 0.03)},
        (300, "none"): {"shape.distance": rows(got + 0.1, made_of + 0.07)},
    }
    return made(NAME, given, "normality")


def test_how_normal_values_are_is_told_of_the_layers_above_the_first():
    assert lesson(NAME).try_named("normality").tell(shaped()) == {
        "got_start": pytest.approx(0.24), "made_start": pytest.approx(0.05),
        "got_end": pytest.approx(0.34), "made_end": pytest.approx(0.12),
        "got_zeros": pytest.approx(0.49), "made_zeros": pytest.approx(0.03),
        "nearer": True, "not_nearer": False,
    }  # fmt: skip
    assert seen_numbers(NAME, "normality", shaped()) == [
        ["24.0\u00a0%", "5.0\u00a0%"], ["300", "34.0\u00a0%", "12.0\u00a0%"], [],
        ["49\u00a0%", "0", "3\u00a0%"],
    ]  # fmt: skip


@pytest.mark.parametrize(("made_of", "said"), [(0.2, "sums are nearer to"), (0.25, "did not")])
def test_the_weights_bring_values_nearer_to_normal_or_do_not(made_of, said):
    assert said in seen(NAME, "normality", shaped(made_of=made_of))[2]


def test_what_the_words_say_of_the_setting_is_what_is_done():
    found = lesson(NAME)
    said, config = found.named_values(), found.config()
    assert found.plan_of_try("moons").shown == (0, *TEST_STEPS)
    assert (said["looks"], said["looked_from"], said["last_step"]) == (5, 520, 600)
    assert config.norms == ("batch", "batch_scale", "batch_shift", "batch_bare")
    assert (config.dataset, config.activation, config.learning_rate) == ("circles", "sigmoid", 0.3)
    assert not found.config().norm_position == found.config_of_try("after").norm_position == "after"
    assert found.config_of_try("after").learning_rate == said["high_rate"] == 3
    for of in ("digits", "after", "normality"):
        config = found.config_of_try(of)
        usual = RunConfig(norms=config.norms)
        same = {"dataset", "depth", "width", "init", "batch_size"}
        assert config.model_dump(include=same) == usual.model_dump(include=same)
        assert found.plan_of_try(of).last_step == said["digits_steps"] == 300
    settings = found.series.settings
    assert [*settings] == ["before", "after"]
    assert {each.learning_rate for each in settings.values()} == {said["usual_rate"]}
    assert {each.activation for each in settings.values()} == {"tanh"}
    assert found.series.plan.last_step == 300


def test_charts_and_sentences_have_one_name_for_one_network():
    found = lesson(NAME)
    words = lesson_words(found.name, found)
    own, called = (words.network_names(None, where) for where in ("networks", "called"))
    assert own.keys() == called.keys() == set(found.config().norms) <= NORMS.keys()
    usual = chart_texts()
    named = {**usual["norms"], **{norm: {"network": n, "short": n} for norm, n in own.items()}}
    view = replace(make_view(found.config()), texts={**usual, "norms": named})
    assert end_labels(view) == dict(own)
    # Sentences about the lesson's own run use the names that are marked in colour.
    numbers = judge(told())[1]
    said = " ".join(Filling(found.named_values(), numbers).sentences(
        texts(f"lessons/{NAME}")["verdict"]["held"]))  # fmt: skip
    assert all(f"the network {name}" in said.replace("The", "the") for name in called.values())
