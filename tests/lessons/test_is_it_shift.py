"""Rules of the lesson *Is it really shift?*, tested on synthetic runs."""

from statistics import fmean, geometric_mean, median

import pytest

from bnviz.lessons import is_it_shift
from bnviz.lessons.observation import NotMeasured
from bnviz.planned_runs.execution import run_plan
from bnviz.planned_runs.gauges import GAUGES
from bnviz.records import Change
from bnviz.words.texts import texts
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, printed, seen, seen_numbers
from tests.lessons.observing import broken, lesson

CHANGE = "median_step.change"
# The last ten steps before the rate is raised.
COUNTED = range(90, 100)


def shifts(norm):
    """Return a function that reads the mean change per step of a unit's median before the rate
    rises.
    """

    def read(at):
        line = at.line("shift_per_step", f"{norm}.median_step.change")
        return fmean(line[step] for step in COUNTED)

    return read


def accuracy(norm, step):
    return lambda at: at.line("accuracy", f"{norm}.test_accuracy")[step]


NORMS = {"plain": "none", "batch": "batch", "noisy": "noisy"}
# For each number and condition in the verdict's sentences, a function that reads it from the charts
# beside them.
CHARTED = {
    **{f"{name}_shift": shifts(norm) for name, norm in NORMS.items()},
    **{f"{name}_before": accuracy(norm, 100) for name, norm in NORMS.items()},
    **{name: accuracy(norm, 300) for name, norm in NORMS.items()},
    "times_plain": lambda at: shifts("noisy")(at) / shifts("none")(at),
    "times_batch": lambda at: shifts("noisy")(at) / shifts("batch")(at),
}  # fmt: skip


def moved(norm, change, steps=COUNTED):
    """Give a network changes per step that alternate around the mean `change`."""
    return {(step, norm): {CHANGE: change * (1 + 0.1 * (-1) ** step)} for step in steps}


HELD = {
    **moved("none", 0.04), **moved("batch", 0.01), **moved("noisy", 0.36),
    (100, "none"): {"accuracy": 0.961}, (100, "batch"): {"accuracy": 0.969},
    (100, "noisy"): {"accuracy": 0.964}, (300, "none"): {"accuracy": 0.1},
    (300, "batch"): {"accuracy": 0.955},
    (300, "noisy"): {"accuracy": 0.958},
}  # fmt: skip


def judge(told):
    return is_it_shift.judge(made("is-it-shift", told))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("is-it-shift").verdict(made("is-it-shift", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "both")
    assert verdict.numbers == {
        "plain_shift": pytest.approx(0.04),
        "batch_shift": pytest.approx(0.01),
        "noisy_shift": pytest.approx(0.36),
        "times_plain": pytest.approx(9), "times_batch": pytest.approx(36),
        "plain_before": 0.961, "batch_before": 0.969, "noisy_before": 0.964,
        "plain": 0.1, "batch": 0.955, "noisy": 0.958,
    }  # fmt: skip
    told = [
        ["90", "100", "0.040", "0.010", "0.360"], ["9", "36"],
        ["100", "96.1\u00a0%", "96.9\u00a0%", "96.4\u00a0%"],
    ]  # fmt: skip
    assert judged("is-it-shift", "held", verdict.numbers) == told
    assert judged("is-it-shift", "did_not_hold", verdict.numbers) == [told[0], told[2]]
    lead = texts("lessons/is-it-shift")["verdict"]["lead"]
    assert [printed("is-it-shift", lead[norm], verdict.numbers)[0] for norm in lead] == [
        ["10\u00a0%"], ["96\u00a0%"], ["9", "96\u00a0%"],
    ]  # fmt: skip
    bare = {**verdict.numbers, "times_plain": None}
    assert printed("is-it-shift", lead["noisy"], bare) == [["96\u00a0%"]]


def test_a_live_run_has_each_number_as_an_array_of_one():
    run = made("is-it-shift", HELD)
    numbers = is_it_shift.judge(run)[1]
    for snapshot in run.snapshots:
        for record in snapshot.networks.values():
            values = record.probes["median_step"]
            values |= {key: value.reshape(1) for key, value in values.items()}
    assert is_it_shift.judge(run)[1] == numbers


@every_case(
    ("norm", "moves", "held"),
    [("noisy", 0.121, True), ("noisy", 0.119, False), ("none", 0.119, True),
     ("none", 0.121, False)],
)  # fmt: skip
def test_it_holds_where_inputs_are_noisy_three_times_as_far_as_without_bn(norm, moves, held):
    assert judge({**HELD, **moved(norm, moves)})[0] is held


@every_case(
    ("norm", "accuracy", "held"),
    [("noisy", 0.86, True), ("noisy", 0.84, False), ("none", 0.19, True), ("none", 0.21, False),
     ("batch", 0.5, True)],
)  # fmt: skip
def test_it_holds_where_the_noisy_network_survives_and_the_plain_one_falls(norm, accuracy, held):
    assert judge(but(HELD, 300, norm, accuracy=accuracy))[0] is held


@every_case(
    ("noisy", "before", "answer"),
    [(0.86, 0.3, "both"), (0.84, 0.87, "only"), (0.84, 0.868, "weak"), (0.1, 0.3, "weak")],
)
def test_the_run_says_who_survived_and_of_a_noisy_one_that_did_not_how_it_was_before(
    noisy, before, answer
):
    told = but(but(HELD, 300, "noisy", accuracy=noisy), 100, "noisy", accuracy=before)
    told = but(told, 100, "batch", accuracy=0.969)
    assert judge(told)[2] == answer


@pytest.mark.parametrize(("norm", "accuracy"), [("none", 0.21), ("batch", 0.84)])
def test_where_the_plain_one_does_not_fall_or_bn_does_it_gives_none_of_the_answers(norm, accuracy):
    assert judge(but(HELD, 300, norm, accuracy=accuracy))[2] is None


def test_a_network_that_does_not_move_at_all_is_no_yardstick():
    held, numbers, _ = judge({**HELD, **moved("none", 0.0), **moved("batch", 0.0)})
    assert held is True
    assert (numbers["times_plain"], numbers["times_batch"]) == (None, None)
    assert len(judged("is-it-shift", "held", numbers)) == 2


DEEP = {
    **moved("none", 1e-6), **moved("batch", 0.02), **moved("noisy", 0.35),
    (200, "none"): {"accuracy": 0.1}, (200, "batch"): {"accuracy": 0.97},
    (200, "noisy"): {"accuracy": 0.967},
}  # fmt: skip


def test_of_the_dead_network_its_steadiness_is_told():
    run = made("is-it-shift", DEEP, "deep")
    numbers = lesson("is-it-shift").try_named("deep").tell(run)
    assert numbers == {
        "plain_shift": pytest.approx(1e-6), "batch_shift": pytest.approx(0.02),
        "noisy_shift": pytest.approx(0.35), "plain": 0.1, "batch": 0.97, "noisy": 0.967,
        "still": True, "moves": False,
    }  # fmt: skip
    assert seen_numbers("is-it-shift", "deep", run) == [
        ["90", "100", "1e-6", "0.02", "0.35"], ["10\u00a0%"], ["97\u00a0%", "97\u00a0%"],
    ]  # fmt: skip
    assert "do not make a network learn" in seen("is-it-shift", "deep", run)[1]
    moving = made("is-it-shift", {**DEEP, **moved("none", 0.0011)}, "deep")
    assert "still move in this run" in seen("is-it-shift", "deep", moving)[1]


GAUGED = (20, 50, 100, 200)


def gradients(times, layers, **ends):
    """Return gradient shifts. `times` is the geometric mean of the ratios of the shift with BN to
    the shift without BN.
    """
    told = {}
    for place, step in enumerate(GAUGED):
        plain = [0.5 + 0.1 * layer + 0.01 * place for layer in range(layers + 1)]
        # Layer 1 has no layers below that change its gradient, so its 7.0 must not count. The
        # values of the other layers scatter around the mean.
        batch = [7.0, *(times * value * (2.0 if layer % 2 else 0.5)
                        for layer, value in enumerate(plain[1:]))]  # fmt: skip
        told[step, "none"], told[step, "batch"] = {"ics.change": plain}, {"ics.change": batch}
    for norm, accuracy in ends.items():
        told = but(told, 200, norm, accuracy=accuracy)
    return told


@every_case(
    ("of", "layers", "times", "case"),
    [("gradients-up", 8, 4.6, "raises"), ("gradients-up", 8, 1.09, "hardly changes"),
     ("gradients-up", 8, 0.92, "hardly changes"), ("gradients-up", 8, 0.5, "lowers")],
)  # fmt: skip
def test_what_bn_does_to_the_gradients_is_told_over_layers_and_steps(of, layers, times, case):
    run = made("is-it-shift", gradients(times, layers, none=0.905, batch=0.942), of)
    numbers = lesson("is-it-shift").try_named(of).tell(run)
    assert numbers["times"] == pytest.approx(times)
    told = seen("is-it-shift", of, run)
    assert case in told[1]
    assert "And yet the network with BN is ahead" in told[2]
    assert seen_numbers("is-it-shift", of, run) == [
        [f"{times:.2f}"], [], ["94.2\u00a0%", "90.5\u00a0%"],
    ]  # fmt: skip


def test_an_odd_number_of_layers_counts_as_it_is():
    run = made("is-it-shift", gradients(0.26, 3, none=0.961, batch=0.972), "gradients-down")
    ratios = [0.26 * factor for factor in (0.5, 2.0, 0.5)]
    numbers = lesson("is-it-shift").try_named("gradients-down").tell(run)
    assert numbers["times"] == pytest.approx(geometric_mean(ratios))
    told = seen("is-it-shift", "gradients-down", run)
    assert "lowers" in told[1]
    assert "about the same test accuracy" in told[2]


def test_where_a_gradient_vanished_no_ratio_is_told():
    told = but(gradients(2.0, 8), 100, "none", ics__change={3: 0.0})
    run = made("is-it-shift", told, "gradients-up")
    numbers = lesson("is-it-shift").try_named("gradients-up").tell(run)
    assert (numbers["times"], numbers["raises"], numbers["lowers"]) == (None, False, False)


def test_what_is_not_yet_measured_is_waited_for():
    run = made("is-it-shift", gradients(2.0, 8), "gradients-up")
    run.snapshots[-1].networks["batch"].measured_at["ics"] = 199
    with pytest.raises(NotMeasured, match="ics at step 200"):
        lesson("is-it-shift").try_named("gradients-up").tell(run)


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found, said = lesson("is-it-shift"), lesson("is-it-shift").named_values()
    assert found.plan.changes == (Change(said["raised_at"], {"learning_rate": said["raised_to"]}),)
    assert (said["learning_rate"], said["raised_to"], said["counted_from"]) == (0.1, 1.0, 90)
    assert set(COUNTED) <= set(found.plan.shown)
    deep = found.config_of_try("deep")
    assert (deep.depth, deep.activation, deep.norms) == (13, "relu", ("none", "batch", "noisy"))
    up, down = (found.config_of_try(of) for of in ("gradients-up", "gradients-down"))
    assert (up.depth, up.activation, up.learning_rate) == (8, "tanh", said["slow"])
    assert (down.depth, down.activation, down.learning_rate) == (3, "relu", said["fast"])
    settings = found.series.settings
    assert (settings["tanh-slow"], settings["relu-fast"]) == (up, down)
    small, slow = settings["relu-small"], settings["relu-slow"]
    assert [(each.depth, each.activation, each.init) for each in (down, small, slow)] == [
        (3, "relu", "he"), (3, "relu", "normal"), (3, "relu", "glorot"),
    ]  # fmt: skip
    assert (small.init_std, small.learning_rate) == (0.058, said["fast"]), "as small as torch's"
    assert slow.learning_rate == said["slow"] == 0.01
    assert found.series.ratios.gauges == tuple(GAUGES)
    assert found.series.ratios.steps == GAUGED


def test_no_account_is_marked_right_and_each_has_its_words_and_pages():
    own = texts("lessons/is-it-shift")["own_verdict"]
    assert tuple(own["accounts"]) == lesson("is-it-shift").accounts
    for account in own["accounts"].values():
        assert account.keys() == {"label", "line", "shown", "pages"}
        assert "**For it:**" in account["shown"]
        assert "**Against it:**" in account["shown"]
    assert "marked right" in own["question"]


@pytest.mark.verify
def test_the_sign_belongs_to_the_setting_and_two_measures_of_smoothness_disagree():
    """Each ratio checked here is on the same side of 1 for every seed from 0 to 19."""
    series = lesson("is-it-shift").series
    plan, found = series.plan, {}
    for name, config in series.settings.items():
        runs = (run_plan(config.replace(seed=n), plan, probes=plan.probes) for n in range(3))
        each = [series.measured(name, list(run)).ratios for run in runs]
        found[name] = {gauge: median(ratios[gauge] for ratios in each) for gauge in GAUGES}
    assert max(found["relu-fast"].values()) < 0.8
    assert min(found["tanh-slow"].values()) > 1.3
    assert found["relu-small"]["loss_range"] < 0.5
    assert found["relu-small"]["effective_beta"] > 1.1
    assert found["relu-slow"]["loss_range"] > 1.2


@pytest.mark.verify
def test_a_dead_network_is_the_steadiest_and_worth_nothing():
    run = broken("is-it-shift", "deep")
    told = seen("is-it-shift", "deep", run)
    assert "do not make a network learn" in told[1]
    numbers = lesson("is-it-shift").try_named("deep").tell(run)
    assert numbers["plain_shift"] < 1e-4 < 0.2 < numbers["noisy_shift"]
    assert numbers["plain"] < 0.2 < 0.85 < min(numbers["batch"], numbers["noisy"])
