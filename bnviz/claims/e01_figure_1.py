"""E1: figure 1 of Ioffe & Szegedy 2015, repeated on images of digits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bnviz.claims.runs import accuracies, accuracies_after, snapshots
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.records import NetworkRecord, Snapshot

# `EVERY`: steps between two samples of the percentiles. `LAST`: last step.
EVERY, LAST = 50, 2500
STUCK, EARLY, MIDDLE = 25, 50, 250

KNOBS: KnobValues = {
    "depth": 3, "activation": "sigmoid", "init": "normal", "init_std": 0.1, "learning_rate": 1.0
}  # fmt: skip
TRAP_KNOBS: KnobValues = {**KNOBS, "init_std": 0.01, "learning_rate": 0.1}
SCALED: dict[str, KnobValues] = {
    scaling: {**KNOBS, "input_scaling": scaling, "norms": ("none",)}
    for scaling in ("standardize", "per_feature", "binary", "unit")
}

AT_STUCK, AT_EARLY, AT_LAST = (
    in_lab(KNOBS, "percentiles", step) for step in (STUCK, EARLY, LAST)
)  # fmt: skip
TRAP_AT_LAST = in_lab(TRAP_KNOBS, "percentiles", LAST)
STANDARDIZED, PER_FEATURE, BINARY, UNIT = (
    in_lab(knobs, step=MIDDLE) for knobs in SCALED.values()
)  # fmt: skip

STATEMENTS = (
    earlier("plain-50", at_most(0.2), PERCENT, AT_EARLY),
    earlier("ahead-50", at_least(0.3), POINTS, AT_EARLY, difference=True),
    earlier("plain-end", between(0.97, 0.99), PERCENT, AT_LAST),
    earlier("batch-end", between(0.97, 0.99), PERCENT, AT_LAST),
    # The network without BN is a fair comparison only if it learns in the end, even if slowly.
    quoted("wander", at_least(3), TIMES, AT_LAST, comparator="plain-end"),
    earlier("middle-standardize", between(0.79, 0.87), PERCENT, STANDARDIZED),
    earlier("middle-per-feature", between(0.89, 0.93), PERCENT, PER_FEATURE),
    earlier("middle-binary", between(0.09, 0.26), PERCENT, BINARY),
    earlier("middle-unit", between(0.09, 0.26), PERCENT, UNIT),
    earlier("stuck", at_most(0.2), PERCENT, TRAP_AT_LAST),
    earlier("stuck-wander", at_most(1), TIMES, TRAP_AT_LAST, comparator="trap-batch"),
    found_here("plain-25", at_most(0.2), PERCENT, AT_STUCK, instead_of="plain-50"),
    found_here("ahead-25", at_least(0.3), POINTS, AT_STUCK, difference=True),
    found_here("level-end", between(-0.03, 0.03), POINTS, AT_LAST,
               instead_of="plain-end", difference=True, comparator="plain-end"),
    found_here("middle-order", at_least(0.3), POINTS, PER_FEATURE,
               instead_of="middle-per-feature", difference=True),
    found_here("stuck-path", at_most(1), TIMES, TRAP_AT_LAST,
               instead_of="stuck-wander", comparator="trap-batch"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    path, trap = (
        snapshots(seed, knobs, range(0, LAST + 1, EVERY), "percentiles")
        for knobs in (KNOBS, TRAP_KNOBS)
    )
    stuck = accuracies_after(seed, KNOBS, STUCK)
    early, end, trapped = (
        accuracies(shot.networks) for shot in (path[EARLY // EVERY], path[-1], trap[-1])
    )
    standardized, per_feature, binary, unit = (
        accuracies_after(seed, knobs, MIDDLE)["none"] for knobs in SCALED.values()
    )
    return {
        "plain-50": early["none"],
        "plain-25": stuck["none"],
        "ahead-25": stuck["batch"] - stuck["none"],
        "ahead-50": early["batch"] - early["none"],
        "plain-end": end["none"],
        "level-end": end["batch"] - end["none"],
        "batch-end": end["batch"],
        "wander": _ratio(path, _extent),
        "middle-standardize": standardized,
        "middle-per-feature": per_feature,
        "middle-order": min(standardized, per_feature) - max(binary, unit),
        "middle-binary": binary,
        "middle-unit": unit,
        "stuck": trapped["none"],
        "trap-batch": trapped["batch"],
        "stuck-wander": _ratio(trap, _extent),
        "stuck-path": _ratio(trap, _length),
    }


def _ratio(path: list[Snapshot], measured: Callable[[np.ndarray], np.ndarray]) -> float:
    """Return the ratio, without BN ÷ with BN, of a statistic of the last layer's medians [T, 8]."""
    plain, batch = (
        measured(np.stack([_last_medians(shot.networks[norm]) for shot in path]))
        for norm in ("none", "batch")
    )
    return float(np.median(plain / batch))


def _last_medians(record: NetworkRecord) -> np.ndarray:
    return np.asarray(record.probes["percentiles"]["unit"][-1, :, 1])


def _extent(medians: np.ndarray) -> np.ndarray:
    return np.asarray(np.ptp(medians, axis=0))


def _length(medians: np.ndarray) -> np.ndarray:
    return np.asarray(np.abs(np.diff(medians, axis=0)).sum(0))


CLAIM = Claim(STATEMENTS, measure)
