"""E16, second part: whether the noise of the statistics keeps a network from fitting its examples.

Of noisy images, so many are learned by heart that a gap opens between training and test set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from bnviz.claims.runs import play
from bnviz.claims.statement import (
    Expectation,
    Kind,
    Statement,
    Unit,
    at_least,
    at_most,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.records import Snapshot

PART = "regularizes"
MANY, EIGHT, WHOLE = 60, 8, 240
STEPS, LONG = 600, 1_000
# With eight images a step the gap is the mean of these.
LAST_STEPS = (900, 1_000, 1_100, 1_200)

BASE: dict[str, Any] = {"activation": "relu", "init": "he", "depth": 3, "noise": 0.5}
SIXTY: dict[str, Any] = {
    **BASE, "batch_size": MANY, "norms": ("none", "batch", "dropout", "batch_dropout"),
}  # fmt: skip
FEW: dict[str, Any] = {**BASE, "batch_size": EIGHT, "norms": ("none", "batch", "dropout")}
GHOSTS: dict[str, Any] = {
    **BASE, "batch_size": WHOLE, "ghost_size": EIGHT, "norms": ("none", "batch", "ghost"),
}  # fmt: skip


def _found(
    key: str, expected: Expectation, setting: Mapping[str, Any], step: int,
    unit: Unit = Unit.POINTS, charts: tuple[str, ...] = ("fit_gap",),
) -> Statement:  # fmt: skip
    return Statement(
        key=key, expected=expected, kind=Kind.FOUND, unit=unit, part=PART,
        watch=in_lab(setting, charts, step),
    )  # fmt: skip


STATEMENTS = (
    _found("gap-sixty", at_least(0.01), SIXTY, STEPS),
    _found("gap-dropout", at_most(-0.02), SIXTY, STEPS),
    _found("gap-eight", at_most(-0.01), FEW, LAST_STEPS[-1]),
    _found("loss-eight", at_most(0.8), FEW, LAST_STEPS[-1], Unit.TIMES),
    _found("loss-ghosts", at_most(0.8), GHOSTS, STEPS, Unit.TIMES),
    _found("loss-whole", at_least(0.75), GHOSTS, STEPS, Unit.TIMES),
    _found("loss-dropout", at_most(0.9), SIXTY, LONG, Unit.TIMES),
    _found("loss-both", at_most(1), SIXTY, LONG, Unit.TIMES),
)


NUMBERS = {
    "many": MANY,
    "eight": EIGHT,
    "whole": WHOLE,
    "noise": BASE["noise"],
    "fit_steps": STEPS,
    "long": LONG,
    "late": LAST_STEPS[0],
    "last": LAST_STEPS[-1],
}


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    early, late = _play(SIXTY, (STEPS, LONG), seed)
    few = _play(FEW, LAST_STEPS, seed)
    (ghosts,) = _play(GHOSTS, (STEPS,), seed)
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


def _play(setting: Mapping[str, Any], steps: Sequence[int], seed: int) -> list[Snapshot]:
    return play(RunConfig(**setting, seed=seed), steps, ("fit",))


def _gap(shot: Snapshot, norm: str) -> float:
    """How much wider a network's gap between training and test set is than the plain one's."""
    own, plain = (float(shot.networks[n].probes["fit"]["gap"]) for n in (norm, "none"))
    return own - plain


def _loss(shot: Snapshot, norm: str, other: str) -> float:
    """A network's loss on the test set ÷ another one's."""
    return shot.networks[norm].test_loss / shot.networks[other].test_loss
