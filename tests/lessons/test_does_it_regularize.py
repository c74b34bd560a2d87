"""The rules of *Does it regularize?*, on runs made by hand."""

import pytest

from bnviz.lessons import does_it_regularize
from tests.every_case import every_case
from tests.lessons.made_by_hand import but, judged, made, seen, seen_numbers
from tests.lessons.watching import lesson

EARLY, LATE = (50, 100, 150), (900, 1000, 1100, 1200)


def told(gaps, losses=(1.0, 0.7, 0.6), train=(0.95, 0.91, 0.9)):
    """Gaps of plain network, BN and dropout with sixty images and with eight; losses, and
    accuracies on the training set, of the last steps. The steps lie evenly around both, so that
    only their mean gives them.
    """
    found = {}
    for norm, (early, late), loss, fit in zip(
        ("none", "batch", "dropout"), gaps, losses, train, strict=True
    ):
        for steps, gap in ((EARLY, early), (LATE, late)):
            for place, step in enumerate(steps):
                apart = 0.02 * (place - (len(steps) - 1) / 2)
                found[step, norm] = {
                    "fit.gap": gap + apart, "test_loss": loss * (1 + apart),
                    "fit.accuracy": fit + apart / 2,
                }  # fmt: skip
    return found


HELD = told([(0.2, 0.31), (0.24, 0.26), (0.13, 0.21)])
for norm, (train, test) in {
    "none": (0.96, 0.65), "batch": (0.91, 0.64), "dropout": (0.87, 0.66)
}.items():  # fmt: skip
    HELD = but(HELD, 1200, norm, fit__accuracy=train, accuracy=test)


def judge(run):
    return does_it_regularize.judge(made("does-it-regularize", run))


def test_every_number_is_read_where_its_sentence_says():
    verdict = lesson("does-it-regularize").verdict(made("does-it-regularize", HELD))
    assert (verdict.outcome, verdict.answer) == ("held", "small")
    assert verdict.numbers == {
        key: pytest.approx(value)
        for key, value in {
            "plain_early": 0.2, "batch_early": 0.24, "dropout_early": 0.13, "plain_late": 0.31,
            "batch_late": 0.26, "dropout_late": 0.21, "plain_train": 0.96, "batch_train": 0.91,
            "dropout_train": 0.87, "plain_test": 0.65, "batch_test": 0.64, "dropout_test": 0.66,
            "loss_share": 0.7, "dropout_loss_share": 0.6, "train_change": -0.0425,
            "test_change": 0.0075, "fitted_less": True, "tests_better": False,
        }.items()
    }  # fmt: skip
    said = [
        ["60", "50", "150", "20.0", "24.0", "13.0"], ["8", "900", "1200", "31.0", "26.0", "21.0"],
        ["−4.2", "0.8"], [], ["1200", *(f"{share}\u00a0%" for share in (96, 91, 87, 65, 64, 66))],
        ["70\u00a0%", "60\u00a0%"],
    ]  # fmt: skip
    for outcome in ("held", "did_not_hold"):
        assert judged("does-it-regularize", outcome, verdict.numbers) == said


@every_case(
    ("early", "late", "loss", "held", "answer"),
    [(0.24, 0.26, 0.79, True, "small"), (0.24, 0.26, 0.81, False, "small"),
     (0.201, 0.309, 0.7, True, "small"), (0.199, 0.26, 0.7, False, "always"),
     (0.24, 0.311, 0.7, False, "never"), (0.1, 0.4, 0.7, False, "never")],
)  # fmt: skip
def test_it_holds_where_the_gap_is_wider_with_sixty_and_narrower_with_eight(
    early, late, loss, held, answer
):
    run = told([(0.2, 0.31), (early, late), (0.1, 0.1)], (1.0, loss, 0.9))
    found = judge(run)
    assert (found[0], found[2]) == (held, answer)


@every_case(
    ("late", "fit", "found"),
    [(0.26, 0.91, "fitted_less"), (0.26, 0.93, "tests_better"), (0.26, 0.97, "tests_better"),
     (0.32, 0.91, None)],
)  # fmt: skip
def test_a_narrower_gap_is_laid_to_the_accuracy_that_changed_more(late, fit, found):
    """Without BN the gap is 0.31, and 0.95 of the training images are right."""
    run = told([(0.2, 0.31), (0.24, late), (0.1, 0.1)], train=(0.95, fit, 0.9))
    numbers = judge(run)[1]
    for case in ("fitted_less", "tests_better"):
        assert numbers[case] is (case == found)


@pytest.mark.parametrize(("gap", "case"), [(0.30, "begin with sixty"), (0.32, "not narrower")])
def test_of_eight_images_from_the_start_gap_and_loss_are_told(gap, case):
    run = made("does-it-regularize", told([(0.2, 0.31), (0.2, gap), (0.1, 0.2)]), "eight")
    sentences = seen("does-it-regularize", "eight", run)
    assert case in sentences[1]
    assert seen_numbers("does-it-regularize", "eight", run) == [
        ["900", "1200", "31.0", f"{100 * gap:.1f}"], [], ["70\u00a0%"],
    ]  # fmt: skip


@pytest.mark.parametrize(("loss", "case"), [(0.79, "Same steps"), (0.81, "not bring")])
def test_of_ghosts_gaps_and_losses_are_told(loss, case):
    gaps = {"none": 0.3, "batch": 0.34, "ghost": 0.22}
    run = {(200, norm): {"fit.gap": gap} for norm, gap in gaps.items()}
    run |= {(600, norm): {"test_loss": each, "fit.gap": 0.9}
            for norm, each in (("none", 2.0), ("batch", 1.8), ("ghost", 2 * loss))}  # fmt: skip
    watched = made("does-it-regularize", run, "ghosts")
    assert seen_numbers("does-it-regularize", "ghosts", watched) == [
        ["200", "30.0", "34.0", "22.0"], ["90\u00a0%", f"{100 * loss:.0f}\u00a0%"], [],
    ]  # fmt: skip
    assert case in seen("does-it-regularize", "ghosts", watched)[-1]


def test_of_both_in_one_network_all_four_are_told():
    shares = {"none": 0.66, "batch": 0.61, "dropout": 0.68, "batch_dropout": 0.69}
    run = {(1000, norm): {"accuracy": share} for norm, share in shares.items()}
    watched = made("does-it-regularize", run, "both")
    assert seen_numbers("does-it-regularize", "both", watched)[0] == [
        f"{100 * share:.0f}\u00a0%" for share in shares.values()
    ]
    assert "does not replace" in seen("does-it-regularize", "both", watched)[1]


def test_what_the_words_say_of_the_setting_is_what_the_run_does():
    found = lesson("does-it-regularize")
    said, (changed,) = found.named_values(), found.plan.changes
    assert (changed.step, changed.values) == (said["changed_at"], {"batch_size": said["eight"]})
    assert found.config().batch_size == said["many"] == 60
    assert (said["early_from"], said["late_from"], said["last_step"]) == (50, 900, 1200)
    ghosts = found.break_config("ghosts")
    assert (ghosts.batch_size, ghosts.ghost_size) == (said["whole"], said["eight"])
    assert found.break_plan("ghosts").last_step == said["ghosts_last"]
    assert said["ghosts_at"] in found.break_plan("ghosts").shown
    assert found.break_plan("both").last_step == said["long"]
    assert "batch_dropout" in found.break_config("both").norms
