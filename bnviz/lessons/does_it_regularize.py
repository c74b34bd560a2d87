"""Lesson on regularization: the train–test gap with sixty images per step, then with eight."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

from bnviz.lessons.lesson import (
    LEVEL,
    RELU,
    BatchLoses,
    Found,
    Lesson,
    Numbers,
    TryIt,
    cases,
    compared,
    either,
    schedule,
)
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change

MANY, EIGHT, WHOLE, DEPTH, NOISE = 60, 8, 240, 3, 0.5
CHANGED_AT, LAST_STEP, EVERY = 150, 1_200, 25
# Measured steps with sixty images per step, and measured steps with eight. Accuracies fluctuate, so
# they are averaged over these steps.
EARLY = tuple(range(50, CHANGED_AT + 1, EVERY))
LATE = tuple(range(900, LAST_STEP + 1, EVERY))
# Comparison at equal training accuracy: measured steps with eight images per step, the training
# accuracy, and the number of measurements that are averaged.
AFTER = tuple(range(CHANGED_AT + EVERY, LAST_STEP + 1, EVERY))
EQUAL, SMOOTHED = 0.85, 5
# A test loss counts as clearly lower if it is at most this share of the test loss without BN.
LOWER = 0.8
GHOSTS_AT, GHOSTS_LAST, LONG_LAST = 200, 600, 1_000
# Steps per second of the experiments, so that each takes at most about 15 seconds.
BREAK_RATE = 90
NETWORKS = {"none": "plain", "batch": "batch", "dropout": "dropout"}
# Test accuracy with BN minus test accuracy without BN, at equal training accuracy and over seeds 0
# to 19: median, lowest and highest difference.
SEEDS = 20
AT_EQUAL_FIT: Numbers = {
    "equal_median": 0.0089, "equal_lowest": -0.0323, "equal_highest": 0.0245,
}  # fmt: skip
AT_THE_END: Numbers = {
    "test_median": 0.0131, "test_lowest": -0.0304, "test_highest": 0.0399,
}  # fmt: skip


def judge(observed: Observation) -> Found:
    """Judge the claim: BN widens the train–test gap at 60 images per step and narrows it at 8."""
    early, late = (_means(observed, "gap", NETWORKS, steps) for steps in (EARLY, LATE))
    train, test = (_means(observed, key, NETWORKS, LATE) for key in ("accuracy", "test_accuracy"))
    loss = {norm: _loss(observed, norm, LATE) for norm in NETWORKS}
    wider, narrower = early["batch"] > early["none"], late["batch"] < late["none"]
    fewer_fitted = narrower and train["none"] - train["batch"] > test["batch"] - test["none"]
    ahead = test["batch"] - test["none"]
    found = "same" if abs(ahead) <= LEVEL else "better" if ahead > 0 else "worse"
    numbers: Numbers = {
        **{f"{name}_{key}": values[norm] for norm, name in NETWORKS.items()
           for key, values in (("early", early), ("late", late), ("train", train), ("test", test),
                               ("loss", loss))},
        **cases("same", "better", "worse", found=found),
        "grew": late["batch"] > early["batch"],
        "fitted_less": fewer_fitted, "tests_better": narrower and not fewer_fitted,
        "less_sure": max(loss["batch"], loss["dropout"]) < loss["none"],
        **{key: value for norm, name in NETWORKS.items()
           for key, value in _at_equal_fit(observed, norm, name).items()},
    }  # fmt: skip
    answer = ("small" if wider else "always") if narrower else "never"
    return wider and narrower, numbers, answer


def _at_equal_fit(observed: Observation, norm: str, name: str) -> Numbers:
    """Return the step at which training accuracy reaches `EQUAL`, and test accuracy at that step.

    Accuracies are means of the last `SMOOTHED` measurements. If training accuracy does not reach
    `EQUAL`, the step and the test accuracy are None.
    """
    train, test = ([_fit(observed, step, norm, key) for step in AFTER]
                   for key in ("accuracy", "test_accuracy"))  # fmt: skip
    for end, step in enumerate(AFTER[SMOOTHED - 1 :], SMOOTHED):
        if fmean(train[end - SMOOTHED : end]) >= EQUAL:
            return {f"{name}_equal_at": step, f"{name}_equal": fmean(test[end - SMOOTHED : end])}
    return {f"{name}_equal_at": None, f"{name}_equal": None}


def _fit(observed: Observation, step: int, norm: str, key: str) -> float:
    return observed.value(step, norm, "fit", key).item()


def _means(
    observed: Observation, key: str, norms: Iterable[str], steps: Sequence[int]
) -> dict[str, float]:
    """Average one value of the `fit` probe over some steps, by norm."""
    return {norm: fmean(_fit(observed, step, norm, key) for step in steps) for norm in norms}


def _loss(observed: Observation, norm: str, steps: Sequence[int]) -> float:
    return fmean(observed.at(step, norm).test_loss for step in steps)


def _loss_share(observed: Observation, norm: str, steps: Sequence[int]) -> float:
    """Return mean test loss of a network ÷ mean test loss without BN, over some steps."""
    return _loss(observed, norm, steps) / _loss(observed, "none", steps)


def _from_the_start(observed: Observation) -> Numbers:
    """Compare train–test gaps and losses with and without BN if every step uses eight images."""
    late, loss = (
        _means(observed, "gap", ("none", "batch"), LATE),
        _loss_share(observed, "batch", LATE),
    )
    narrower = late["batch"] < late["none"]
    return {
        "plain": late["none"], "batch": late["batch"], "loss_share": loss,
        **either("narrower", "wider", narrower),
    }  # fmt: skip


def _ghosts(observed: Observation) -> Numbers:
    """Compare the train–test gap and the test loss of BN over whole mini-batches with those of
    ghost batch norm (BN over parts of mini-batches).
    """
    gaps = _means(observed, "gap", ("none", "batch", "ghost"), (GHOSTS_AT,))
    whole, parts = (_loss_share(observed, norm, (GHOSTS_LAST,)) for norm in ("batch", "ghost"))
    lower = parts <= LOWER
    return {
        "plain": gaps["none"], "batch": gaps["batch"], "ghost": gaps["ghost"],
        "whole_share": whole, "ghost_share": parts,
        **either("lower", "not_lower", lower),
    }  # fmt: skip


def _both(observed: Observation) -> Numbers:
    """Compare the test accuracies of no norm, BN, dropout, and BN with dropout."""
    last = observed.last_step
    found = {f"{norm}_test": observed.accuracy(last, norm)
             for norm in ("none", "batch", "dropout", "batch_dropout")}  # fmt: skip
    return {**found, **compared("batch", "dropout")(observed)}


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
        (CHANGED_AT, 20), (LAST_STEP, 60), shown=(*EARLY, *AFTER),
        changes=(Change(CHANGED_AT, {"batch_size": EIGHT}),), probes=("fit",),
    ),
    charts=("fit_gap", "loss"),
    ranges={"fit.gap": (-0.03, 0.4), "loss": (0.002, 4)},
    knobs=("batch_size", "dropout"),
    free=("dropout",),
    answers=("always", "small", "never"),
    rule=judge,
    breaks=(
        TryIt(
            name="ghosts",
            knobs={
                "norms": ("none", "batch", "ghost"), "batch_size": WHOLE, "ghost_size": EIGHT,
            },
            plan=_plan(GHOSTS_LAST, GHOSTS_AT), tell=_ghosts, ends=False,
        ),
        TryIt(
            name="eight", knobs={"batch_size": EIGHT}, plan=_plan(LAST_STEP, *LATE),
            tell=_from_the_start, ends=False,
        ),
        TryIt(
            name="both", knobs={"norms": ("none", "batch", "dropout", "batch_dropout")},
            plan=_plan(LONG_LAST), tell=_both, ends=False, batch_loses=BatchLoses(to="dropout"),
        ),
    ),
    values={
        "many": MANY, "eight": EIGHT, "whole": WHOLE, "changed_at": CHANGED_AT,
        "early_from": EARLY[0], "late_from": LATE[0], "ghosts_at": GHOSTS_AT,
        "ghosts_last": GHOSTS_LAST, "long": LONG_LAST, "equal": EQUAL,
        "averaged": (SMOOTHED - 1) * EVERY, "seeds": SEEDS, **AT_EQUAL_FIT, **AT_THE_END,
    },
)  # fmt: skip
