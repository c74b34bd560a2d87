"""Rules of the lesson *Up and down a deep stack*, tested on synthetic runs."""

import numpy as np
import pytest

from bnviz.lessons import depth
from bnviz.presets import PRESETS
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, printed, seen, seen_numbers
from tests.lessons.observing import broken, lesson, observed, ran

SIZES = "gradients.grad_pre_activation_rms"
# Number of growth factors between neighbouring layers, from the last of fifty hidden layers down to
# the second. The output layer does not count.
FACTORS = 48


def grown(factor, count=50, output=7.0, first=None):
    """Return gradient sizes that grow by `factor` per layer towards the first layer. If `first` is
    given, the gradient grows by that factor from layer 2 to layer 1.
    """
    sizes = [factor ** (count - 1 - layer) for layer in range(count)]
    return (sizes[0] if first is None else first * sizes[1], *sizes[1:], output)


def drawn(at, norm, step):
    """Return the gradient norm of each hidden layer, as the chart shows it."""
    return at.value("gradient_by_layer", f"{norm}.{SIZES}", step)[:-1]


def per_layer(at, norm, step):
    """Return the growth factor per layer in the chart, from the last hidden layer down to
    layer 2.
    """
    sizes = drawn(at, norm, step)
    return (sizes[1] / sizes[-1]) ** (1 / FACTORS)


def last_accuracy(at, norm):
    """Return the last accuracy, or 0 for a network that stopped, whose line ends early."""
    return at.line("accuracy", f"{norm}.test_accuracy").get(150, 0)


CHARTED = {
    "batch": lambda at: last_accuracy(at, "batch"),
    "plain": lambda at: last_accuracy(at, "none"),
    "batch_stopped": "a network that stopped has no line after this step, and a mark there",
    "plain_stopped": "a network that stopped has no line after this step, and a mark there",
    "batch_top": lambda at: drawn(at, "batch", 0)[-1],
    "batch_low": lambda at: drawn(at, "batch", 0)[1],
    "batch_growth": lambda at: np.exp(
        np.log(at.value("growth", "batch.gradients.growth", 0)[1:-1]).mean()
    ),
    "batch_whole": lambda at: drawn(at, "batch", 0)[1] / drawn(at, "batch", 0)[-1],
    "batch_early": lambda at: per_layer(at, "batch", 10),
    "plain_growth": lambda at: per_layer(at, "none", 0),
    "plain_end": lambda at: per_layer(at, "none", 150),
    "plain_fades": lambda at: (
        abs(per_layer(at, "none", 0) - 1) <= 0.05
        and per_layer(at, "none", 150) < 0.95
        and last_accuracy(at, "none") <= 0.35
    ),
    "plain_learns": lambda at: last_accuracy(at, "none") >= 0.85,
    "plain_infinite": "a network that stopped has no line after this step, and a mark there",
}


HELD = {
    (0, "batch"): {SIZES: grown(1.22)}, (0, "none"): {SIZES: grown(1.01)},
    (10, "batch"): {SIZES: grown(0.98, first=8.96)}, (10, "none"): {SIZES: grown(0.93)},
    (150, "batch"): {"accuracy": 0.21, SIZES: grown(0.97)},
    (150, "none"): {"accuracy": 0.11, SIZES: grown(0.86)},
    (170, "none"): {"accuracy": 0.9}, (170, "batch"): {"accuracy": 0.9},
}  # fmt: skip


def judge(told):
    return depth.judge(made("depth", told))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("depth").verdict(made("depth", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "stays")
    assert verdict.numbers == {
        "batch": 0.21, "plain": 0.11, "batch_growth": pytest.approx(1.22),
        "batch_top": 1, "batch_low": pytest.approx(1.22**FACTORS),
        "batch_whole": pytest.approx(1.22**FACTORS), "batch_early": pytest.approx(0.98),
        "plain_growth": pytest.approx(1.01), "plain_end": pytest.approx(0.86),
        "plain_fades": True, "plain_learns": False, "batch_stopped": None, "plain_stopped": None,
        "plain_infinite": False,
    }  # fmt: skip
    whole = f"{1.22**FACTORS:,.0f}".replace(",", "\u202f")
    early, plain = ["10", "0.98"], ["1.01", "0"]
    assert judged("depth", "held", verdict.numbers)[1:] == [early, [*plain, "0.86", "150"]]
    assert judged("depth", "did_not_hold", verdict.numbers) == [
        ["0", "1.22", "48", whole], early, plain,
    ]  # fmt: skip
    lead = texts("lessons/depth")["verdict"]["lead"]["batch"]
    assert printed("depth", lead, verdict.numbers) == [
        ["21\u00a0%", "150", "0", "1.22", "48", whole]
    ]


def test_a_gradient_of_zero_at_the_top_gives_no_factor_at_the_end():
    sizes = (*grown(0.9)[:-2], 0.0, 7.0)
    assert judge(but(HELD, 150, "none", **{SIZES: sizes}))[1]["plain_end"] is None


def test_before_training_the_reader_is_told_how_the_factors_multiply():
    found, run = lesson("depth"), made("depth", HELD)
    numbers = found.starts(run)
    whole = f"{1.22**FACTORS:,.0f}".replace(",", "\u202f")
    said = texts("lessons/depth")["starts"]
    assert printed("depth", said, numbers)[1:] == [["1.22", "48", whole], ["1.01", "0"]]
    assert numbers["batch_low"] / numbers["batch_top"] == pytest.approx(numbers["batch_whole"])
    assert numbers == {key: found.verdict(run).numbers[key] for key in numbers}
    assert found.plan.rate(0, 0) == 1 / found.named_values()["rest"], "the run pauses at step 0"
    assert found.plan.rate(1, 0) > 1


@every_case(
    ("step", "network", "told", "held"),
    [
        (0, "batch", {SIZES: grown(1.16)}, True), (0, "batch", {SIZES: grown(1.14)}, False),
        (0, "batch", {SIZES: grown(1.29)}, True), (0, "batch", {SIZES: grown(1.31)}, False),
        (150, "batch", {"accuracy": 0.34}, True), (150, "batch", {"accuracy": 0.36}, False),
        (150, "none", {"accuracy": 0.95}, True), (0, "none", {SIZES: grown(1.3)}, True),
    ],
)  # fmt: skip
def test_it_holds_where_the_gradient_explodes_and_bn_does_not_learn(step, network, told, held):
    assert judge(but(HELD, step, network, **told))[0] is held


@every_case(
    ("accuracy", "answer"),
    [(0.86, "learns"), (0.84, "slowly"), (0.36, "slowly"), (0.34, "stays")],
)
def test_the_run_gives_the_answer_that_its_network_with_bn_gives(accuracy, answer):
    assert judge(but(HELD, 150, "batch", accuracy=accuracy))[2] == answer


@every_case(
    ("factor", "end", "accuracy", "said"),
    [(1.04, 0.86, 0.34, "fades"), (1.06, 0.86, 0.34, None), (1.04, 0.86, 0.36, None),
     (0.96, 0.94, 0.2, "fades"), (0.96, 0.96, 0.2, None), (0.94, 0.86, 0.2, None),
     (1.0, 0.86, 0.86, "learns")],
)  # fmt: skip
def test_what_the_plain_network_shows_beside_it(factor, end, accuracy, said):
    told = but(HELD, 0, "none", **{SIZES: grown(factor)})
    told = but(told, 150, "none", accuracy=accuracy, **{SIZES: grown(end)})
    numbers = judge(told)[1]
    assert len(judged("depth", "held", numbers)) == (2 if said is None else 3)
    assert (numbers["plain_fades"], numbers["plain_learns"]) == (said == "fades", said == "learns")


def test_of_a_network_that_stopped_the_step_is_told_and_no_accuracy():
    found = lesson("depth").verdict(made("depth", but(HELD, 150, "none", accuracy=0, stopped=97)))
    assert (found.outcome, found.numbers["plain"], found.numbers["plain_fades"]) == (
        "held", None, False,
    )  # fmt: skip
    assert found.numbers["plain_end"] is None
    assert judged("depth", "held", found.numbers)[-1] == ["1.01", "0", "97"]
    lead = texts("lessons/depth")["verdict"]["lead"]
    assert printed("depth", lead["none"], found.numbers) == [["97"]]
    gone = lesson("depth").verdict(made("depth", but(HELD, 150, "batch", stopped=3)))
    assert printed("depth", lead["batch"], gone.numbers) == [["3"]]


def test_a_gradient_of_nothing_gives_no_number_that_is_none():
    told = but(HELD, 0, "none", **{SIZES: (0.0,) * 51})
    assert judge(told)[0] is True


TEN = {
    (0, "none"): {SIZES: grown(0.23, 10)}, (0, "batch"): {SIZES: grown(0.93, 10)},
    (300, "none"): {"accuracy": 0.1}, (300, "batch"): {"accuracy": 0.96},
}  # fmt: skip


def test_of_ten_sigmoid_layers_what_is_left_of_the_gradient_is_told():
    run = made("depth", TEN, "sigmoid")
    numbers = lesson("depth").try_named("sigmoid").tell(run)
    assert numbers == {
        "none_factor": pytest.approx(0.23), "none_left": pytest.approx(0.23**9),
        "none_parts": pytest.approx(0.23**-9), "batch_factor": pytest.approx(0.93),
        "batch_left": pytest.approx(0.93**9), "batch_parts": None,
        "rescued": True, "not_rescued": False,
    }  # fmt: skip
    assert seen_numbers("depth", "sigmoid", run) == [
        ["0", "0.23", "1", f"{0.23**-9:,.0f}".replace(",", "\u202f"), "10"],
        ["0.93", "1", "52\u00a0%", "10"], [],
    ]  # fmt: skip
    assert "BN rescues" in seen("depth", "sigmoid", run)[-1]
    for network, accuracy in (("none", 0.36), ("batch", 0.84)):
        other = made("depth", but(TEN, 300, network, accuracy=accuracy), "sigmoid")
        assert "does not rescue" in seen("depth", "sigmoid", other)[-1]


def test_of_skip_connections_it_is_told_how_far_the_gradient_still_grows():
    run = made("depth", {(0, "batch"): {SIZES: grown(1.08)}}, "skips")
    assert seen_numbers("depth", "skips", run) == [["0", "1.08", f"{1.08**FACTORS:,.0f}", "2"], []]


def test_of_orthogonal_layers_the_last_ones_singular_values_are_told():
    place = "jacobian.percentiles"
    rows = {"none": (0.99, 1.0, 1.01), "batch": (0.83, 1.0, 1.18)}
    told = {(100, norm): {place: {-1: row}, "accuracy": 0.9} for norm, row in rows.items()}
    run = made("depth", told, "straight")
    numbers = lesson("depth").try_named("straight").tell(run)
    assert (numbers["none_even"], numbers["batch_even"]) == (True, False)
    assert seen_numbers("depth", "straight", run) == [["0.99", "1.01"], ["0.83", "1.18"], []]
    assert "about the same test accuracy" in seen("depth", "straight", run)[-1]
    for row in ((0.94, 1.0, 1.0), (1.0, 1.0, 1.06)):
        other = made("depth", but(told, 100, "none", **{place: {-1: row}}), "straight")
        assert seen_numbers("depth", "straight", other)[0] == ["0.83", "1.18"], "not only turns"


def test_of_narrow_layers_the_directions_that_images_fill_are_told():
    place, last = "rank.participation", depth.NARROW.step_to_see
    told = {
        (0, "none"): {place: {-1: 1.2}}, (0, "batch"): {place: {-1: 3.1}},
        (last, "none"): {place: {-1: 1.3}}, (last, "batch"): {place: {-1: 2.9}},
    }  # fmt: skip
    run = made("depth", told, "narrow")
    assert seen_numbers("depth", "narrow", run) == [
        ["0", "16", "1.20", "3.10"], [], [str(last), "1.30", "2.90"],
    ]  # fmt: skip
    assert "BN does keep" in seen("depth", "narrow", run)[1]
    as_few = made("depth", but(told, 0, "batch", **{place: {-1: 1.7}}), "narrow")
    assert "hardly more" in seen("depth", "narrow", as_few)[1]
    config = PRESETS["e7-rank-collapse"].config()
    assert lesson("depth").config_of_try("narrow", 3) == config.replace(seed=3)


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("depth")
    said = found.named_values()
    assert (said["depth"], said["last_step"], said["early"]) == (50, 150, 10)
    assert said["early"] in found.plan.shown
    assert found.config_of_try("twenty").depth == said["twenty"] == 20
    assert found.config_of_try("twenty").learning_rate == said["low_rate"]
    assert found.config_of_try("sigmoid").depth == said["ten"] == 10
    assert said["factors"] == FACTORS == said["depth"] - depth.LOWEST
    assert (said["learns"], said["stays"]) == (depth.LEARNS, depth.STAYS) == (0.85, 0.35)
    assert found.sets_up.plan.last_step == said["ten_steps"]
    assert found.config_of_try("straight").depth == 6, "the words say six"
    assert found.config_of_try("fast").learning_rate == said["high_rate"] == 1
    plain, skips, quiet = found.series.settings.values()
    assert plain == found.config()
    assert (skips.skip, skips.branch_start, quiet.skip, quiet.branch_start) == (2, 1, 2, 0)
    assert found.config_of_try("fast") == quiet.replace(learning_rate=1.0)
    assert found.config_of_try("skips") == skips


def test_of_ten_sigmoid_layers_next_to_nothing_is_left_of_the_gradient_without_bn():
    run = broken("depth", "sigmoid")
    assert lesson("depth").try_named("sigmoid").tell(run)["none_left"] < 1e-4
    assert run.accuracy(run.last_step, "none") <= 0.15
    assert run.accuracy(run.last_step, "batch") > 0.7


def test_with_skip_connections_the_gradient_grows_far_less():
    run = broken("depth", "skips")
    with_skips = lesson("depth").try_named("skips").tell(run)["batch_whole"]
    assert with_skips < 0.1 * depth.at_start(observed("depth", 0))["batch_whole"]


@pytest.mark.verify
def test_of_ten_layers_bn_rescues_the_sigmoids_and_relu_needs_no_rescue():
    """Without BN, sigmoid networks stay at accuracy 0.10; all other networks reach 0.83 or more."""
    result = ran(lesson("depth").sets_up)
    assert result.learned("batch") == ("sigmoid", "relu")
    assert result.learned("none") == ("relu",)
    assert max(result.ends("none")[:1]) <= 0.15


@pytest.mark.verify
def test_skip_connections_are_the_remedy_and_bn_is_needed_only_for_full_branches():
    """Accuracy of networks with skip connections: with BN 0.92 to 0.95, or 0.96 to 0.97 if branches
    start at zero. Without BN 0.95 if branches start at zero.
    """
    result = ran(lesson("depth").series)
    assert result.learned("batch") == ("skips", "quiet")
    assert result.learned("none") == ("quiet",)
    assert result.ends("batch")[0] <= 0.35
    assert result.ends("none")[1] == 0, "its numbers became infinite"


def test_at_a_high_rate_bn_is_ahead_with_branches_that_begin_as_nothing():
    run = broken("depth", "fast")
    assert run.accuracy(run.last_step, "none") <= 0.2, "at chance level, or not finite"
    assert run.accuracy(run.last_step, "batch") > 0.9
    assert "the network with BN is ahead" in seen("depth", "fast", run)[0]


def test_a_small_change_grows_more_with_bn_as_the_page_says():
    run = observed("depth", 0)
    for step, times in ((0, 8), (150, 2)):
        plain, batch = (
            run.value(step, norm, "amplify", "amplified")[-1] for norm in ("none", "batch")
        )
        assert batch > times * plain > 0
