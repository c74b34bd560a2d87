"""Rules of the lesson *Does it regularize?*, tested on synthetic runs."""

from statistics import fmean, median

import pytest

from bnviz.lessons import does_it_regularize
from bnviz.lessons.does_it_regularize import AT_EQUAL_FIT, AT_THE_END
from bnviz.lessons.lesson import LEVEL
from tests.every_case import every_case
from tests.lessons.made_by_hand import judged, made, seen, seen_numbers
from tests.lessons.observing import lesson, observed

EARLY, LATE, AFTER = (getattr(does_it_regularize, name) for name in ("EARLY", "LATE", "AFTER"))
NETWORKS = does_it_regularize.NETWORKS
SMOOTHED, EQUAL = does_it_regularize.SMOOTHED, does_it_regularize.EQUAL


def _line(at, norm, key):
    if key == "loss":
        return at.line("loss", f"{norm}.test_loss")
    return at.line("fit_gap", f"{norm}.fit.{key}")


def _mean(at, norm, key, steps=LATE):
    line = _line(at, norm, key)
    return fmean(line[step] for step in steps)


def _equal(at, norm):
    """Return the step at which training accuracy reaches `EQUAL`, and the test accuracy at that
    step.
    """
    train, test = (_line(at, norm, key) for key in ("accuracy", "test_accuracy"))
    windows = (AFTER[first : first + SMOOTHED] for first in range(len(AFTER) - SMOOTHED + 1))
    for steps in windows:
        if fmean(train[step] for step in steps) >= EQUAL:
            return steps[-1], fmean(test[step] for step in steps)
    raise AssertionError(f"{norm} never reaches {EQUAL}")


def _change(at, key):
    return _mean(at, "batch", key) - _mean(at, "none", key)


CHARTED = {
    **{f"{name}_{key}": lambda at, norm=norm, of=of, steps=steps: _mean(at, norm, of, steps)
       for norm, name in NETWORKS.items()
       for key, of, steps in (
           ("early", "gap", EARLY), ("late", "gap", LATE), ("train", "accuracy", LATE),
           ("test", "test_accuracy", LATE), ("loss", "loss", LATE),
       )},
    **{f"{name}_equal_at": lambda at, norm=norm: _equal(at, norm)[0]
       for norm, name in NETWORKS.items()},
    **{f"{name}_equal": lambda at, norm=norm: _equal(at, norm)[1]
       for norm, name in NETWORKS.items()},
    "same": lambda at: abs(_change(at, "test_accuracy")) <= LEVEL,
    "better": lambda at: _change(at, "test_accuracy") > LEVEL,
    "worse": lambda at: _change(at, "test_accuracy") < -LEVEL,
    "grew": lambda at: _mean(at, "batch", "gap") > _mean(at, "batch", "gap", EARLY),
    "fitted_less": lambda at: -_change(at, "accuracy") > _change(at, "test_accuracy"),
    "tests_better": lambda at: -_change(at, "accuracy") <= _change(at, "test_accuracy"),
    "less_sure": lambda at: max(
        _mean(at, norm, "loss") for norm in ("batch", "dropout")
    ) < _mean(at, "none", "loss"),
}  # fmt: skip


def told(
    gaps, losses=(1.0, 0.7, 0.6), train=(0.95, 0.91, 0.9), equal_at=(600, 650, 1100)
):  # fmt: skip
    """Return the values of a run per network: without BN, with BN, with dropout.

    Args:
        gaps: train–test gaps with 60 and with 8 images per mini-batch.
        losses: mean test losses in the last steps.
        train: mean training accuracies in the last steps.
        equal_at: steps at which mean training accuracy first reaches `EQUAL`.
    """
    found = {}
    networks = zip(NETWORKS, gaps, losses, train, equal_at, strict=True)
    for norm, (early, late), loss, fit, reached in networks:
        for step in AFTER:
            # The mean of five values reaches `EQUAL` when all five values are above it.
            known = EQUAL - 0.1 if step <= reached - 5 * 25 else EQUAL + 0.01
            found[step, norm] = {"fit.accuracy": known, "fit.test_accuracy": known - 0.25}
        for steps, gap in ((EARLY, early), (LATE, late)):
            for place, step in enumerate(steps):
                apart = 0.002 * (place - (len(steps) - 1) / 2)
                found[step, norm] = {
                    "fit.gap": gap + apart, "test_loss": loss * (1 + apart),
                    "fit.accuracy": fit + apart / 2, "fit.test_accuracy": fit - gap - apart / 2,
                }  # fmt: skip
    return found


HELD = told([(0.2, 0.31), (0.24, 0.26), (0.13, 0.21)], equal_at=(600, 650, 700))


def judge(run):
    return does_it_regularize.judge(made("does-it-regularize", run))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("does-it-regularize").verdict(made("does-it-regularize", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "small")
    assert verdict.numbers == {
        key: pytest.approx(value)
        for key, value in {
            "plain_early": 0.2, "batch_early": 0.24, "dropout_early": 0.13, "plain_late": 0.31,
            "batch_late": 0.26, "dropout_late": 0.21, "plain_train": 0.95, "batch_train": 0.91,
            "dropout_train": 0.9, "plain_test": 0.64, "batch_test": 0.65, "dropout_test": 0.69,
            "plain_loss": 1.0, "batch_loss": 0.7, "dropout_loss": 0.6,
            "same": True, "better": False, "worse": False, "grew": True,
            "fitted_less": True, "tests_better": False, "less_sure": True,
            "plain_equal_at": 600, "batch_equal_at": 650, "dropout_equal_at": 700,
            "plain_equal": 0.61, "batch_equal": 0.61, "dropout_equal": 0.61,
        }.items()
    }  # fmt: skip
    said = judged("does-it-regularize", "held", verdict.numbers)
    assert said[:2] == [
        ["60", "50", "150", "20.0", "24.0", "13.0"], ["8", "900", "1200", "31.0", "26.0", "21.0"],
    ]  # fmt: skip
    percents = [f"{share}\u00a0%" for share in (95, 91, 90, 64, 65, 69)]
    assert said[3] == ["900", "1200", *percents]
    assert said[5:7] == [
        ["8", "100", "85\u00a0%", "600", "650", "61.0\u00a0%", "61.0\u00a0%"],
        ["700", "61.0\u00a0%"],
    ]  # fmt: skip
    assert said[-1] == ["900", "1200", "1.00", "0.70", "0.60"]
    assert judged("does-it-regularize", "did_not_hold", verdict.numbers)[:2] == said[:2]


@every_case(
    ("early", "late", "held", "answer"),
    [(0.24, 0.26, True, "small"), (0.201, 0.309, True, "small"), (0.199, 0.26, False, "always"),
     (0.24, 0.311, False, "never"), (0.1, 0.4, False, "never")],
)  # fmt: skip
def test_it_holds_where_the_gap_is_wider_with_sixty_and_narrower_with_eight(
    early, late, held, answer
):
    run = told([(0.2, 0.31), (early, late), (0.1, 0.1)])
    found = judge(run)
    assert (found[0], found[2]) == (held, answer)


@every_case(
    ("late", "fit", "found"),
    [(0.26, 0.91, "fitted_less"), (0.26, 0.93, "tests_better"), (0.26, 0.97, "tests_better"),
     (0.32, 0.91, None)],
)  # fmt: skip
def test_a_narrower_gap_is_laid_to_the_accuracy_that_changed_more(late, fit, found):
    """Without BN the gap is 0.31 and training accuracy is 0.95."""
    run = told([(0.2, 0.31), (0.24, late), (0.1, 0.1)], train=(0.95, fit, 0.9))
    numbers = judge(run)[1]
    for case in ("fitted_less", "tests_better"):
        assert numbers[case] is (case == found)


@every_case(
    ("test", "found"),
    [(0.659, "same"), (0.661, "better"), (0.621, "same"), (0.619, "worse")],
)  # fmt: skip
def test_test_accuracy_is_told_beside_the_gap(test, found):
    """Test accuracy without BN is 0.64."""
    numbers = judge(told([(0.2, 0.31), (0.24, 0.9 - test), (0.1, 0.1)], train=(0.95, 0.9, 0.9)))[1]
    assert [case for case in ("same", "better", "worse") if numbers[case]] == [found]


def test_a_network_that_never_fits_so_well_is_not_compared_at_equal_training_accuracy():
    run = told([(0.2, 0.31), (0.24, 0.26), (0.1, 0.1)], train=(0.95, 0.9, 0.8),
               equal_at=(600, 650, 9_999))  # fmt: skip
    numbers = judge(run)[1]
    assert (numbers["batch_equal_at"], numbers["dropout_equal_at"]) == (650, None)
    said = judged("does-it-regularize", "held", numbers)
    assert ["61.0\u00a0%", "700"] not in said


@pytest.mark.verify
@pytest.mark.timeout(1800)
def test_the_differences_over_seeds_are_those_that_were_measured():
    seeds = range(does_it_regularize.SEEDS)
    runs = [does_it_regularize.judge(observed("does-it-regularize", seed))[1] for seed in seeds]
    for key, values in (("equal", AT_EQUAL_FIT), ("test", AT_THE_END)):
        found = [run[f"batch_{key}"] - run[f"plain_{key}"] for run in runs]
        measured = {"median": median(found), "lowest": min(found), "highest": max(found)}
        assert {f"{key}_{name}": value for name, value in measured.items()} == {
            name: pytest.approx(value, abs=0.005) for name, value in values.items()
        }


@pytest.mark.parametrize(("gap", "case"), [(0.30, "when every step"), (0.32, "not narrower")])
def test_of_eight_images_from_the_start_gap_and_loss_are_told(gap, case):
    run = made("does-it-regularize", told([(0.2, 0.31), (0.2, gap), (0.1, 0.2)]), "eight")
    sentences = seen("does-it-regularize", "eight", run)
    assert case in sentences[1]
    assert seen_numbers("does-it-regularize", "eight", run) == [
        ["900", "1200", "31.0", f"{100 * gap:.1f}"], [], ["70\u00a0%"],
    ]  # fmt: skip


@pytest.mark.parametrize(("loss", "case"), [(0.79, "the same images"), (0.81, "does not lower")])
def test_of_ghosts_gaps_and_losses_are_told(loss, case):
    gaps = {"none": 0.3, "batch": 0.34, "ghost": 0.22}
    run = {(200, norm): {"fit.gap": gap} for norm, gap in gaps.items()}
    run |= {(600, norm): {"test_loss": each, "fit.gap": 0.9}
            for norm, each in (("none", 2.0), ("batch", 1.8), ("ghost", 2 * loss))}  # fmt: skip
    observed = made("does-it-regularize", run, "ghosts")
    assert seen_numbers("does-it-regularize", "ghosts", observed) == [
        ["200", "30.0", "34.0", "22.0"], ["600", "90\u00a0%", f"{100 * loss:.0f}\u00a0%"], [],
    ]  # fmt: skip
    assert case in seen("does-it-regularize", "ghosts", observed)[-1]


def test_of_both_in_one_network_all_four_are_told():
    shares = {"none": 0.66, "batch": 0.61, "dropout": 0.68, "batch_dropout": 0.69}
    run = {(1000, norm): {"accuracy": share} for norm, share in shares.items()}
    observed = made("does-it-regularize", run, "both")
    assert seen_numbers("does-it-regularize", "both", observed)[0] == [
        f"{100 * share:.0f}\u00a0%" for share in shares.values()
    ]
    assert "does not replace" in seen("does-it-regularize", "both", observed)[1]


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("does-it-regularize")
    said, (changed,) = found.named_values(), found.plan.changes
    assert (changed.step, changed.values) == (said["changed_at"], {"batch_size": said["eight"]})
    assert found.config().batch_size == said["many"] == 60
    assert (said["early_from"], said["late_from"], said["last_step"]) == (50, 900, 1200)
    ghosts = found.config_of_try("ghosts")
    assert (ghosts.batch_size, ghosts.ghost_size) == (said["whole"], said["eight"])
    assert found.plan_of_try("ghosts").last_step == said["ghosts_last"]
    assert said["ghosts_at"] in found.plan_of_try("ghosts").shown
    assert found.plan_of_try("both").last_step == said["long"]
    assert "batch_dropout" in found.config_of_try("both").norms
