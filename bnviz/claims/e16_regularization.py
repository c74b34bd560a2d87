"""E16, second part: regularization by the noise of the batch statistics, on noisy images."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from bnviz.claims.runs import begin, snapshots
from bnviz.claims.statement import (
    POINTS,
    TIMES,
    ClaimValues,
    Expectation,
    KnobValues,
    Statement,
    Unit,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.experiment import train
from bnviz.records import Snapshot

PART, NOISE_PART, ERRORS_PART = "regularizes", "moment-noise", "errors"
MANY, EIGHT, WHOLE = 60, 8, 240
STEPS, LONG = 600, 1_000
# Steps whose gaps are averaged for mini-batches of eight images.
LAST_STEPS = (900, 1_000, 1_100, 1_200)

BASE: KnobValues = {"activation": "relu", "init": "he", "depth": 3, "noise": 0.5}
SIXTY: KnobValues = {
    **BASE, "batch_size": MANY, "norms": ("none", "batch", "dropout", "batch_dropout"),
}  # fmt: skip
FEW: KnobValues = {**BASE, "batch_size": EIGHT, "norms": ("none", "batch", "dropout")}
MOMENT_NOISE: KnobValues = {**FEW, "norms": ("none", "moment_noise")}
GHOSTS: KnobValues = {
    **BASE, "batch_size": WHOLE, "ghost_size": EIGHT, "norms": ("none", "batch", "ghost"),
}  # fmt: skip


def _found(
    key: str, expected: Expectation, knobs: KnobValues, step: int, unit: Unit = TIMES
) -> Statement:
    return found_here(key, expected, unit, in_lab(knobs, "fit_gap", step), part=PART)


STATEMENTS = (
    _found("gap-sixty", at_least(0.01), SIXTY, STEPS, POINTS),
    _found("gap-dropout", at_most(-0.02), SIXTY, STEPS, POINTS),
    _found("gap-eight", at_most(-0.01), FEW, LAST_STEPS[-1], POINTS),
    _found("loss-eight", at_most(0.8), FEW, LAST_STEPS[-1]),
    _found("loss-ghosts", at_most(0.8), GHOSTS, STEPS),
    _found("loss-whole", at_least(0.75), GHOSTS, STEPS),
    _found("loss-dropout", at_most(0.9), SIXTY, LONG),
    _found("loss-both", at_most(1), SIXTY, LONG),
    quoted("gap-moment-noise", at_most(-0.01), POINTS,
           in_lab(MOMENT_NOISE, "fit_gap", LAST_STEPS[-1]), part=NOISE_PART),
    earlier("gap-without-errors", between(-0.03, 0.03), POINTS, part=NOISE_PART),
    found_here("gap-by-errors", at_most(-0.05), POINTS, part=ERRORS_PART,
               instead_of="gap-without-errors"),
)  # fmt: skip

NUMBERS = {
    "noise": BASE["noise"],
    "fit_steps": STEPS,
    "late": LAST_STEPS[0],
    "last": LAST_STEPS[-1],
}


def measure(seed: int) -> ClaimValues:
    early, late = snapshots(seed, SIXTY, (STEPS, LONG), "fit")
    few = snapshots(seed, FEW, LAST_STEPS, "fit")
    (ghosts,) = snapshots(seed, GHOSTS, (STEPS,), "fit")
    return {
        "gap-sixty": _gap(early, "batch"),
        "gap-dropout": _gap(early, "dropout"),
        "gap-eight": fmean(_gap(shot, "batch") for shot in few),
        "loss-eight": _loss(few[-1], "batch", "none"),
        "loss-ghosts": _loss(ghosts, "ghost", "none"),
        "loss-whole": _loss(ghosts, "batch", "none"),
        "loss-dropout": _loss(late, "dropout", "batch"),
        "loss-both": _loss(late, "batch_dropout", "dropout"),
    }


def measure_moment_noise(seed: int) -> ClaimValues:
    """Measure the effect of the noise alone, without batch statistics."""
    few = snapshots(seed, MOMENT_NOISE, LAST_STEPS, "fit")
    return {
        "gap-moment-noise": fmean(_gap(shot, "moment_noise") for shot in few),
        "gap-without-errors": fmean(_gap(shot, "moment_noise") for shot in _without_errors(seed)),
    }


def measure_errors(seed: int) -> ClaimValues:
    found = measure_moment_noise(seed)
    return {"gap-by-errors": found["gap-moment-noise"] - found["gap-without-errors"]}


class _NoErrors:
    """Random number generator that returns only zeros."""

    @staticmethod
    def standard_normal(size: tuple[int, ...], dtype: type) -> np.ndarray:
        return np.zeros(size, dtype)


def _without_errors(seed: int) -> list[Snapshot]:
    """Run `MOMENT_NOISE` without noise: its norms use only running averages. Return snapshots."""
    experiment = begin(seed, MOMENT_NOISE)
    for norm in experiment.networks["moment_noise"].every_norm():
        vars(norm)["random"] = _NoErrors
    return list(train(experiment, LAST_STEPS, ("fit",)))


def _gap(shot: Snapshot, norm: str) -> float:
    """Train–test gap of a network minus the gap without BN."""
    own, plain = (float(shot.networks[n].probes["fit"]["gap"]) for n in (norm, "none"))
    return own - plain


def _loss(shot: Snapshot, norm: str, other: str) -> float:
    return shot.networks[norm].test_loss / shot.networks[other].test_loss
