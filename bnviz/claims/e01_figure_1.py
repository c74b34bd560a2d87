"""E1: the first figure of Ioffe & Szegedy 2015, replayed on digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.records import Snapshot

# The path of the percentiles is sampled this often.
EVERY, LAST = 50, 2500
STUCK, EARLY = 25, 50
MIDDLE = 250


KNOBS: dict[str, Any] = {
    "depth": 3, "activation": "sigmoid", "init": "normal", "init_std": 0.1, "learning_rate": 1.0
}  # fmt: skip
TRAP_KNOBS = {**KNOBS, "init_std": 0.01, "learning_rate": 0.1}
PERCENTILES = ("percentiles",)


def _scaled_knobs(scaling: str) -> dict[str, Any]:
    return {**KNOBS, "input_scaling": scaling, "norms": ("none",)}


def _scaled(scaling: str) -> Watch:
    return in_lab(_scaled_knobs(scaling), (), MIDDLE)


STATEMENTS = (
    Statement(
        key="plain-50",
        expected=at_most(0.2),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(KNOBS, PERCENTILES, EARLY),
    ),
    Statement(
        key="ahead-50",
        expected=at_least(0.3),
        kind=Kind.EARLIER,
        unit=Unit.POINTS,
        difference=True,
        watch=in_lab(KNOBS, PERCENTILES, EARLY),
    ),
    Statement(
        key="plain-end",
        expected=between(0.97, 0.99),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="batch-end",
        expected=between(0.97, 0.99),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(KNOBS, PERCENTILES, LAST),
    ),
    # A network is no straw man for being slow: what counts is whether it learns in the end.
    Statement(
        key="wander",
        expected=at_least(3),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-end",
        watch=in_lab(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="middle-standardize",
        expected=between(0.79, 0.87),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_scaled("standardize"),
    ),
    Statement(
        key="middle-per-feature",
        expected=between(0.89, 0.93),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_scaled("per_feature"),
    ),
    Statement(
        key="middle-binary",
        expected=between(0.09, 0.26),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_scaled("binary"),
    ),
    Statement(
        key="middle-unit",
        expected=between(0.09, 0.26),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_scaled("unit"),
    ),
    Statement(
        key="stuck",
        expected=at_most(0.2),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(TRAP_KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="stuck-wander",
        expected=at_most(1),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        comparator="trap-batch",
        watch=in_lab(TRAP_KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="plain-25",
        expected=at_most(0.2),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        instead_of="plain-50",
        watch=in_lab(KNOBS, PERCENTILES, STUCK),
    ),
    Statement(
        key="ahead-25",
        expected=at_least(0.3),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        difference=True,
        watch=in_lab(KNOBS, PERCENTILES, STUCK),
    ),
    Statement(
        key="level-end",
        expected=between(-0.03, 0.03),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        instead_of="plain-end",
        difference=True,
        comparator="plain-end",
        watch=in_lab(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="middle-order",
        expected=at_least(0.3),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        instead_of="middle-per-feature",
        difference=True,
        watch=_scaled("per_feature"),
    ),
    Statement(
        key="stuck-path",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        instead_of="stuck-wander",
        comparator="trap-batch",
        watch=in_lab(TRAP_KNOBS, PERCENTILES, LAST),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    config = RunConfig(seed=seed, **KNOBS)
    (before,) = play(config, (STUCK,))
    path = _path(config)
    trap = _path(RunConfig(seed=seed, **TRAP_KNOBS))
    early, end = (path[step // EVERY].networks for step in (EARLY, LAST))
    per_feature, binary, unit = (
        _middle(seed, scaling) for scaling in ("per_feature", "binary", "unit")
    )
    standardized = accuracy(path[MIDDLE // EVERY].networks["none"])
    return {
        "plain-50": accuracy(early["none"]),
        "plain-25": accuracy(before.networks["none"]),
        "ahead-25": accuracy(before.networks["batch"]) - accuracy(before.networks["none"]),
        "ahead-50": accuracy(early["batch"]) - accuracy(early["none"]),
        "plain-end": accuracy(end["none"]),
        "level-end": accuracy(end["batch"]) - accuracy(end["none"]),
        "batch-end": accuracy(end["batch"]),
        "wander": _ratio(path, _extent),
        "middle-standardize": standardized,
        "middle-per-feature": per_feature,
        "middle-order": min(standardized, per_feature) - max(binary, unit),
        "middle-binary": binary,
        "middle-unit": unit,
        "stuck": accuracy(trap[-1].networks["none"]),
        "trap-batch": accuracy(trap[-1].networks["batch"]),
        "stuck-wander": _ratio(trap, _extent),
        "stuck-path": _ratio(trap, _length),
    }


def _path(config: RunConfig) -> list[Snapshot]:
    return play(config, range(0, LAST + 1, EVERY), ("percentiles",))


def _middle(seed: int, scaling: str) -> float:
    (shot,) = play(RunConfig(seed=seed, **_scaled_knobs(scaling)), (MIDDLE,))
    return accuracy(shot.networks["none"])


def _ratio(path: list[Snapshot], measured: Callable[[np.ndarray], np.ndarray]) -> float:
    """A statistic of the medians over time [T, 8] of the last layer's units, plain ÷ BN."""
    found = {}
    for norm in ("none", "batch"):
        units = np.stack([shot.networks[norm].probes["percentiles"]["unit"] for shot in path])
        found[norm] = measured(units[:, -1, :, 1])
    return float(np.median(found["none"] / found["batch"]))


def _extent(medians: np.ndarray) -> np.ndarray:
    return np.asarray(np.ptp(medians, axis=0))


def _length(medians: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(np.diff(medians, axis=0)).sum(0))


CLAIM = Claim(
    STATEMENTS,
    measure,
    numbers={"stuck": STUCK, "early": EARLY, "middle": MIDDLE, "last": LAST, "every": EVERY},
)
