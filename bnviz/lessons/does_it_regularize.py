"""Does it regularize: the gap between training and test, with sixty images a step and eight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from bnviz.lessons.lesson import (
    RELU,
    BatchLoses,
    BreakIt,
    Found,
    Lesson,
    Numbers,
    cases,
    compared,
    either,
    schedule,
)
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change

MANY, EIGHT, WHOLE, DEPTH, NOISE = 60, 8, 240, 3, 0.5
CHANGED_AT, LAST_STEP = 150, 1_200
# The gap varies from step to step: with sixty images, and with eight, it is the mean of these.
EARLY, LATE = (50, 100, CHANGED_AT), (900, 1_000, 1_100, LAST_STEP)
# A loss on the test set that is at most this share of the plain network's is clearly lower.
LOWER = 0.8
GHOSTS_AT, GHOSTS_LAST, LONG_LAST = 200, 600, 1_000
# Steps a second: a break shows what it has to show within a quarter of a minute.
BREAK_RATE = 90
NETWORKS = {"none": "plain", "batch": "batch", "dropout": "dropout"}


def judge(watched: Watched) -> Found:
    """Held where BN's gap is wider than the plain one with sixty images and narrower with eight."""
    early, late = (_gaps(watched, NETWORKS, steps) for steps in (EARLY, LATE))
    loss = _loss_share(watched, "batch", LATE)
    wider, narrower = early["batch"] > early["none"], late["batch"] < late["none"]
    numbers: Numbers = {
        **{f"{name}_early": early[norm] for norm, name in NETWORKS.items()},
        **{f"{name}_late": late[norm] for norm, name in NETWORKS.items()},
        **{f"{name}_train": _fit(watched, LAST_STEP, norm, "accuracy")
           for norm, name in NETWORKS.items()},
        **{f"{name}_test": watched.accuracy(LAST_STEP, norm) for norm, name in NETWORKS.items()},
        "loss_share": loss,
        "dropout_loss_share": _loss_share(watched, "dropout", LATE),
        **_what_moved(watched, late["batch"] - late["none"]),
    }  # fmt: skip
    answer = ("small" if wider else "always") if narrower else "never"
    return wider and narrower and loss <= LOWER, numbers, answer


def _what_moved(watched: Watched, gap: float) -> Numbers:
    """How BN changes both accuracies with eight images, and which of them narrows the gap more.

    Args:
        watched: the run.
        gap: the gap with BN minus the gap without.
    """
    own, plain = (fmean(_fit(watched, step, norm, "accuracy") for step in LATE)
                  for norm in ("batch", "none"))  # fmt: skip
    train = own - plain
    test = train - gap
    found = None if gap >= 0 else "fitted_less" if -train > test else "tests_better"
    return {
        "train_change": train, "test_change": test,
        **cases("fitted_less", "tests_better", found=found),
    }  # fmt: skip


def _fit(watched: Watched, step: int, norm: str, key: str) -> float:
    """One value of the probe, 0 to 1."""
    return watched.value(step, norm, "fit", key).item()


def _gaps(watched: Watched, norms: Iterable[str], steps: Sequence[int]) -> dict[str, float]:
    """The accuracy on the training set less that on the test set: mean of some steps, by norm."""
    return {norm: fmean(_fit(watched, step, norm, "gap") for step in steps) for norm in norms}


def _loss_share(watched: Watched, norm: str, steps: Sequence[int]) -> float:
    """A network's loss on the test set by the plain one's, of the means of some steps."""
    own, plain = (fmean(watched.at(step, each).test_loss for step in steps)
                  for each in (norm, "none"))  # fmt: skip
    return own / plain


def _from_the_start(watched: Watched) -> Numbers:
    """The gaps and losses of networks that had eight images a step from the start."""
    late, loss = _gaps(watched, ("none", "batch"), LATE), _loss_share(watched, "batch", LATE)
    narrower = late["batch"] < late["none"]
    return {
        "plain": late["none"], "batch": late["batch"], "loss_share": loss,
        **either("narrower", "wider", narrower),
    }  # fmt: skip


def _ghosts(watched: Watched) -> Numbers:
    """The gaps of BN over a whole mini-batch and over parts of it, and what both come to."""
    gaps = _gaps(watched, ("none", "batch", "ghost"), (GHOSTS_AT,))
    whole, parts = (_loss_share(watched, norm, (GHOSTS_LAST,)) for norm in ("batch", "ghost"))
    lower = parts <= LOWER
    return {
        "plain": gaps["none"], "batch": gaps["batch"], "ghost": gaps["ghost"],
        "whole_share": whole, "ghost_share": parts,
        **either("lower", "not_lower", lower),
    }  # fmt: skip


def _both(watched: Watched) -> Numbers:
    """Test accuracies with sixty images all the way: BN, dropout, and both in one network."""
    last = watched.last_step
    found = {f"{norm}_test": watched.accuracy(last, norm)
             for norm in ("none", "batch", "dropout", "batch_dropout")}  # fmt: skip
    return {**found, **compared("batch", "dropout")(watched)}


def _plan(last_step: int, *shown: int) -> Plan:
    return schedule((last_step, BREAK_RATE), shown=shown, probes=("fit",))


LESSON = Lesson(
    name="does-it-regularize",
    minutes=8,
    setting={
        **RELU, "depth": DEPTH, "noise": NOISE,
        "norms": tuple(NETWORKS), "batch_size": MANY,
    },
    plan=schedule(
        (CHANGED_AT, 20), (LAST_STEP, 60), shown=(*EARLY, *LATE),
        changes=(Change(CHANGED_AT, {"batch_size": EIGHT}),), probes=("fit",),
    ),
    charts=("fit_gap", "loss"),
    knobs=("batch_size", "dropout"),
    free=("dropout",),
    answers=("always", "small", "never"),
    rule=judge,
    breaks=(
        BreakIt(
            name="eight", knobs={"batch_size": EIGHT}, plan=_plan(LAST_STEP, *LATE),
            tell=_from_the_start, ends=False,
        ),
        BreakIt(
            name="ghosts",
            knobs={
                "norms": ("none", "batch", "ghost"), "batch_size": WHOLE, "ghost_size": EIGHT,
            },
            plan=_plan(GHOSTS_LAST, GHOSTS_AT), tell=_ghosts, ends=False,
        ),
        BreakIt(
            name="both", knobs={"norms": ("none", "batch", "dropout", "batch_dropout")},
            plan=_plan(LONG_LAST), tell=_both, ends=False, batch_loses=BatchLoses(to="dropout"),
        ),
    ),
    values={
        "many": MANY, "eight": EIGHT, "whole": WHOLE, "changed_at": CHANGED_AT,
        "early_from": EARLY[0], "late_from": LATE[0], "ghosts_at": GHOSTS_AT,
        "ghosts_last": GHOSTS_LAST, "long": LONG_LAST,
    },
)  # fmt: skip
