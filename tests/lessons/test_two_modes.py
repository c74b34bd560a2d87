"""The rules of *Two modes, one network*, on runs made by hand."""

import pytest

from bnviz.lessons import two_modes
from bnviz.lessons.watched import NotMeasured
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson


def gap(recomputed, stored, own=0.777):
    return {
        "mode_gap.population": recomputed, "mode_gap.running": stored, "mode_gap.batch": own,
    }  # fmt: skip


def means(stored, mean, var):
    """Three layers of eight units, each with the same stored mean, mean and variance."""
    values = {"running_mean": stored, "mean": mean, "var": var}
    return {f"unit_batch.{name}": [[value] * 8] * 3 for name, value in values.items()}


HELD = {
    (5, "batch"): gap(0.611, 0.511), (10, "batch"): gap(0.811, 0.441),
    (20, "batch"): gap(0.893, 0.561, 0.871) | means(0.1, 0.9, 4),
    (30, "batch"): gap(0.922, 0.702), (50, "batch"): gap(0.931, 0.804),
    (200, "batch"): gap(0.967, 0.958) | means(0.7, 0.6, 0.25),
}  # fmt: skip


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("two-modes").verdict(made("two-modes", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "third")
    assert verdict.numbers == {
        "recomputed": 0.893, "stored": 0.561, "own": 0.871, "gap": pytest.approx(0.332),
        "behind": True, "widest": pytest.approx(0.37), "widest_at": 10,
        "later_gap": pytest.approx(0.127), "end_recomputed": 0.967, "end_stored": 0.958,
        "end_gap": pytest.approx(0.009), "off": pytest.approx(0.4),
        "end_off": pytest.approx(0.2),
    }  # fmt: skip
    said = [
        ["20", "89.3\u00a0%", "56.1\u00a0%", "87.1\u00a0%"], ["10", "37.0", "50", "12.7"],
        ["200", "96.7\u00a0%", "95.8\u00a0%"], ["0.40", "20", "0.20"],
    ]  # fmt: skip
    for outcome in ("held", "did_not_hold"):
        assert judged("two-modes", outcome, verdict.numbers) == said


@pytest.mark.parametrize("stored", [9.9, -9.9])
def test_how_far_off_a_stored_mean_is_is_said_of_the_median_unit(stored):
    told = but(HELD, 20, "batch", unit_batch__running_mean=[[0.1] * 8] * 2 + [[stored] * 8])
    numbers = two_modes.judge(made("two-modes", told))[1]
    assert numbers["off"] == pytest.approx(0.4)


@every_case(
    ("step", "recomputed", "stored", "held"),
    [
        (200, 0.967, 0.938, True), (200, 0.967, 0.936, False), (200, 0.9, 0.95, True),
    ],
)  # fmt: skip
def test_it_holds_only_where_the_stored_values_have_caught_up(step, recomputed, stored, held):
    told = {**HELD, (step, "batch"): gap(recomputed, stored)}
    assert two_modes.judge(made("two-modes", told))[0] is held


@every_case(("at", "apart", "held"), [
    (5, 0.101, True), (20, 0.101, True), (50, 0.101, True), (30, 0.099, False),
])  # fmt: skip
def test_it_holds_only_where_they_lay_apart_at_one_of_the_early_steps(at, apart, held):
    told = {(step, "batch"): gap(0.9, 0.9) for step in two_modes.EARLY}
    told |= {(at, "batch"): gap(0.9, 0.9 - apart), (200, "batch"): gap(0.95, 0.95)}
    held_now, numbers, _ = two_modes.judge(made("two-modes", told))
    assert held_now is held
    assert numbers["widest_at"] == at


@every_case(
    ("stored", "answer"),
    [(0.8, "equal"), (0.796, "equal"), (0.804, "equal"), (0.794, "little"), (0.701, "little"),
     (0.899, "little"), (0.699, "third"), (0.1, "third"), (0.901, None)],
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
    with pytest.raises(NotMeasured, match="step 5"):
        two_modes.judge(run)


@every_case("of", ["never", "last-only"])
@every_case(
    ("recomputed", "stored", "case"),
    [(0.955, 0.555, "apart"), (0.955, 0.924, "apart"), (0.955, 0.926, "met"),
     (0.924, 0.955, None), (0.926, 0.955, "met")],
)  # fmt: skip
def test_of_a_break_both_accuracies_at_the_end_are_told(of, recomputed, stored, case):
    run = made("two-modes", {(300, "batch"): gap(recomputed, stored)}, of)
    assert lesson("two-modes").break_named(of).tell(run) == {
        "recomputed": recomputed, "stored": stored, "gap": pytest.approx(recomputed - stored),
        "apart": case == "apart", "met": case == "met",
    }  # fmt: skip
    shares = [f"{100 * share:.1f}\u00a0%" for share in (recomputed, stored)]
    assert seen_numbers("two-modes", of, run)[0] == shares
    assert len(seen("two-modes", of, run)) == (1 if case is None else 2)


def test_beside_layer_norm_it_is_told_when_the_modes_of_bn_meet():
    told = {(3, "batch"): gap(0.71, 0.586), (300, "batch"): gap(0.971, 0.969),
            (300, "layer"): {"accuracy": 0.952}}  # fmt: skip
    run = made("two-modes", told, "layer-norm")
    numbers = lesson("two-modes").break_named("layer-norm").tell(run)
    assert (numbers["soon"], numbers["gap"]) == (pytest.approx(0.124), pytest.approx(0.002))
    assert numbers["layer"] == 0.952
    assert seen_numbers("two-modes", "layer-norm", run) == [
        ["12.4", "3", "0.2"], ["0.1"], ["95\u00a0%"],
    ]  # fmt: skip


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("two-modes")
    said = found.named_values()
    assert said["asked"] in found.plan.shown
    assert said["later"] in found.plan.shown
    assert said["momentum"] == found.config().norm_momentum
    assert said["remembered"] == pytest.approx(0.818, abs=5e-4)
    assert found.break_config("last-only").batch_size == said["last_only_batch"]
    assert found.break_config("layer-norm").norm_momentum == said["usual_momentum"]
    assert said["soon"] in found.break_plan("layer-norm").shown


def test_a_kept_frame_has_a_list_of_one_number_where_a_record_has_a_number():
    run = made("two-modes", HELD)
    for snapshot in run.snapshots:
        values = snapshot.networks["batch"].probes["mode_gap"]
        values.update({name: value.reshape(1) for name, value in values.items()})
    assert two_modes.judge(run) == two_modes.judge(made("two-modes", HELD))
