"""Rules of the lesson *Two modes, one network*, tested on synthetic runs."""

import pytest

from bnviz.lessons import two_modes
from bnviz.lessons.observation import NotMeasured
from tests.charts.conftest import make_chart
from tests.every_case import every_case
from tests.lessons.made_by_hand import judged, made, seen, seen_numbers
from tests.lessons.observing import lesson


def gap(recomputed, stored, own=0.777):
    return {
        "mode_gap.population": recomputed, "mode_gap.running": stored, "mode_gap.batch": own,
    }  # fmt: skip


HELD = {
    (20, "batch"): gap(0.893, 0.561, 0.871), (200, "batch"): gap(0.967, 0.958),
}  # fmt: skip

# Lines of the upper chart: with recomputed statistics, running averages and the batch's own
# statistics.
RECOMPUTED, STORED, OWN = (f"batch.mode_gap.{of}" for of in ("population", "running", "batch"))


def at(step, line):
    return lambda charted: charted.line("mode_gap", line)[step]


def apart(step):
    return lambda charted: abs(at(step, RECOMPUTED)(charted) - at(step, STORED)(charted))


CHARTED = {
    "recomputed": at(20, RECOMPUTED), "stored": at(20, STORED), "own": at(20, OWN),
    "gap": apart(20), "end_recomputed": at(200, RECOMPUTED), "end_stored": at(200, STORED),
    "end_gap": apart(200),
}  # fmt: skip


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("two-modes").verdict(made("two-modes", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "third")
    assert verdict.numbers == {
        "recomputed": 0.893, "stored": 0.561, "own": 0.871, "gap": pytest.approx(0.332),
        "end_recomputed": 0.967, "end_stored": 0.958, "end_gap": pytest.approx(0.009),
    }  # fmt: skip
    said = [
        ["20", "33.2", "89.3\u00a0%", "56.1\u00a0%"], ["87.1\u00a0%"],
        ["200", "0.9", "96.7\u00a0%", "95.8\u00a0%"],
    ]  # fmt: skip
    for outcome in ("held", "did_not_hold"):
        assert judged("two-modes", outcome, verdict.numbers) == said


@every_case(
    ("step", "recomputed", "stored", "held"),
    [
        (200, 0.967, 0.948, True), (200, 0.967, 0.946, False), (200, 0.9, 0.919, True),
        (200, 0.9, 0.921, False), (20, 0.9, 0.799, True), (20, 0.9, 0.801, False),
        (20, 0.8, 0.95, False),
    ],
)  # fmt: skip
def test_it_holds_where_the_running_averages_are_far_behind_first_and_equal_at_the_end(
    step, recomputed, stored, held
):
    told = {**HELD, (step, "batch"): gap(recomputed, stored)}
    assert two_modes.judge(made("two-modes", told))[0] is held


@every_case(
    ("stored", "answer"),
    [(0.8, "equal"), (0.781, "equal"), (0.819, "equal"), (0.779, "little"), (0.701, "little"),
     (0.699, "third"), (0.1, "third"), (0.821, None)],
)  # fmt: skip
def test_a_difference_at_the_step_asked_for_is_one_of_the_answers_or_none(stored, answer):
    told = {**HELD, (20, "batch"): gap(0.8, stored)}
    assert two_modes.judge(made("two-modes", told))[2] == answer


def test_what_is_not_finite_names_no_image():
    told = {**HELD, (20, "batch"): gap(0.9, float("nan"))}
    numbers = two_modes.judge(made("two-modes", told))[1]
    assert (numbers["stored"], numbers["gap"]) == (0, 0.9)


def test_a_step_that_was_not_measured_is_named():
    run = made("two-modes", {}, "never")
    with pytest.raises(NotMeasured, match="step 20"):
        two_modes.judge(run)


@every_case("of", ["never", "last-only"])
@every_case(
    ("recomputed", "stored", "case"),
    [(0.955, 0.555, "apart"), (0.955, 0.934, "apart"), (0.955, 0.936, "met"),
     (0.934, 0.955, None), (0.936, 0.955, "met")],
)  # fmt: skip
def test_of_a_break_both_accuracies_at_the_end_are_told(of, recomputed, stored, case):
    run = made("two-modes", {(300, "batch"): gap(recomputed, stored)}, of)
    numbers = lesson("two-modes").try_named(of).tell(run)
    assert {name: numbers[name] for name in ("recomputed", "stored", "gap", "apart", "met")} == {
        "recomputed": recomputed, "stored": stored, "gap": pytest.approx(recomputed - stored),
        "apart": case == "apart", "met": case == "met",
    }  # fmt: skip
    shares = [f"{100 * share:.1f}\u00a0%" for share in (recomputed, stored)]
    assert seen_numbers("two-modes", of, run)[0] == shares
    assert len(seen("two-modes", of, run)) == (of == "never") + (1 if case is None else 2)


def test_without_updates_it_is_told_what_the_unit_has_instead_of_mean_0_and_variance_1():
    told = gap(0.955, 0.555) | {
        "unit_batch.mean": {(2, 4): -0.612},
        "unit_batch.var": {(2, 4): 0.74},
    }
    run = made("two-modes", {(300, "batch"): told}, "never")
    assert seen_numbers("two-modes", "never", run)[1] == ["0", "1", "−0.61", "0.74"]
    chart = make_chart("formula", lesson("two-modes").config_of_try("never"))
    chosen = {each.name: each.default for each in chart.selectors}
    assert chosen == {"layer": 2, "unit": 4}, "that one is shown first"


def test_beside_layer_norm_it_is_told_when_the_modes_of_bn_meet():
    told = {(3, "batch"): gap(0.71, 0.586), (300, "batch"): gap(0.971, 0.969),
            (300, "layer"): {"accuracy": 0.952}}  # fmt: skip
    run = made("two-modes", told, "layer-norm")
    numbers = lesson("two-modes").try_named("layer-norm").tell(run)
    assert (numbers["soon"], numbers["gap"]) == (pytest.approx(0.124), pytest.approx(0.002))
    assert numbers["layer"] == 0.952
    assert seen_numbers("two-modes", "layer-norm", run) == [
        ["12.4", "3", "0.2"], ["0.1"], ["95\u00a0%"],
    ]  # fmt: skip


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("two-modes")
    said = found.named_values()
    assert said["asked"] in found.plan.shown
    assert (said["equal"], said["apart"]) == (2, 10)
    assert said["momentum"] == found.config().norm_momentum
    assert said["remembered"] == pytest.approx(0.818, abs=5e-4)
    assert found.config_of_try("last-only").batch_size == said["last_only_batch"]
    assert found.config_of_try("layer-norm").norm_momentum == said["usual_momentum"]
    assert said["soon"] in found.plan_of_try("layer-norm").shown


def test_a_kept_frame_has_a_list_of_one_number_where_a_record_has_a_number():
    run = made("two-modes", HELD)
    for snapshot in run.snapshots:
        values = snapshot.networks["batch"].probes["mode_gap"]
        values.update({name: value.reshape(1) for name, value in values.items()})
    assert two_modes.judge(run) == two_modes.judge(made("two-modes", HELD))
