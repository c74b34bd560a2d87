"""E1: the first figure of Ioffe & Szegedy 2015, replayed on digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Comparator, Statement, Watch, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.records import Snapshot

# The path of the percentiles is sampled this often.
EVERY, LAST = 50, 2500
STUCK, EARLY = 25, 50
MIDDLE = 250

NETWORK = "sigmoid 3×100, batch 60"
SETTING = f"{NETWORK}, initial σ 0.1, rate 1"
STANDARDIZED = f"{SETTING}, standardized inputs"
TRAP = f"{NETWORK}, initial σ 0.01, rate 0.1, standardized inputs"
RANGE = "highest less lowest median of a unit, plain ÷ BN, median of 8 units"
SCALED = "How inputs are scaled decides what a plain network has learned by step 250"
EARLIER, FOUND = "earlier run", "found here"

KNOBS: dict[str, Any] = {
    "depth": 3, "activation": "sigmoid", "init": "normal", "init_std": 0.1, "learning_rate": 1.0
}  # fmt: skip
TRAP_KNOBS = {**KNOBS, "init_std": 0.01, "learning_rate": 0.1}
# A network is no straw man for being slow: what counts is whether it learns in the end.
PLAIN = Comparator("plain-end", f"the plain network at step {LAST:,}")
PERCENTILES = ("percentiles",)


def _scaled_knobs(scaling: str) -> dict[str, Any]:
    return {**KNOBS, "input_scaling": scaling, "norms": ("none",)}


def _scaled(scaling: str) -> Watch:
    return Watch(_scaled_knobs(scaling), (), MIDDLE)


STATEMENTS = (
    Statement(
        key="plain-50",
        text=f"At step {EARLY} the plain network is at chance.",
        setting=STANDARDIZED,
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
        watch=Watch(KNOBS, PERCENTILES, EARLY),
    ),
    Statement(
        key="ahead-50",
        text=f"At step {EARLY} the plain network is still at chance, where BN has most digits "
        "right.",
        setting=STANDARDIZED,
        quantity="accuracy, BN less plain",
        expected=at_least(0.3),
        source=EARLIER,
        lead=f"At step {EARLY} a plain sigmoid network is still at chance, where BN has most "
        "digits right (rate 1).",
        difference=True,
        watch=Watch(KNOBS, PERCENTILES, EARLY),
    ),
    Statement(
        key="plain-end",
        text=f"By step {LAST:,} the plain network reaches 98 % too.",
        setting=STANDARDIZED,
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
        watch=Watch(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="batch-end",
        text=f"By step {LAST:,} BN reaches 98 %.",
        setting=STANDARDIZED,
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
        watch=Watch(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="wander",
        text="The medians of the plain network’s last sigmoids wander several times as far as "
        "those of BN.",
        setting=f"{STANDARDIZED}, to step {LAST:,}",
        quantity=RANGE,
        expected=at_least(3),
        source="Ioffe & Szegedy 2015, Fig. 1",
        lead="Inputs of a plain network’s last sigmoids wander several times as far as with BN, "
        "which pins them by construction.",
        comparator=PLAIN,
        watch=Watch(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="middle-standardize",
        text=f"{SCALED}: standardized by one mean and deviation.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.79, 0.87),
        source=EARLIER,
        watch=_scaled("standardize"),
    ),
    Statement(
        key="middle-per-feature",
        text=f"{SCALED}: each input standardized by its own mean and deviation.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.89, 0.93),
        source=EARLIER,
        watch=_scaled("per_feature"),
    ),
    Statement(
        key="middle-binary",
        text=f"{SCALED}: binary, as in the paper.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.09, 0.26),
        source=EARLIER,
        watch=_scaled("binary"),
    ),
    Statement(
        key="middle-unit",
        text=f"{SCALED}: raw, divided by 16.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.09, 0.26),
        source=EARLIER,
        watch=_scaled("unit"),
    ),
    Statement(
        key="stuck",
        text="From smaller weights at a lower rate the plain network never learns.",
        setting=f"{TRAP}, step {LAST:,}",
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
        watch=Watch(TRAP_KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="stuck-wander",
        text="The percentiles of a plain network that is stuck get less far than those of BN: what "
        "is stuck does not shift.",
        setting=f"{TRAP}, to step {LAST:,}",
        quantity=RANGE,
        expected=at_most(1),
        source=EARLIER,
        comparator=Comparator("trap-batch", "the BN network"),
        watch=Watch(TRAP_KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="plain-25",
        text=f"At step {STUCK} the plain network is at chance.",
        setting=STANDARDIZED,
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        instead_of="plain-50",
        watch=Watch(KNOBS, PERCENTILES, STUCK),
    ),
    Statement(
        key="ahead-25",
        text=f"At step {STUCK} the plain network is at chance, where BN has most digits right.",
        setting=STANDARDIZED,
        quantity="accuracy, BN less plain",
        expected=at_least(0.3),
        source=FOUND,
        difference=True,
        watch=Watch(KNOBS, PERCENTILES, STUCK),
    ),
    Statement(
        key="level-end",
        text=f"By step {LAST:,} the two networks are level within 3 points.",
        setting=STANDARDIZED,
        quantity="accuracy, BN less plain",
        expected=between(-0.03, 0.03),
        source=FOUND,
        instead_of="plain-end",
        difference=True,
        comparator=PLAIN,
        watch=Watch(KNOBS, PERCENTILES, LAST),
    ),
    Statement(
        key="middle-order",
        text="Standardized in either way, inputs let the plain network learn sooner than binary or "
        "raw ones.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="lower accuracy of the first two less higher accuracy of the others",
        expected=at_least(0.3),
        source=FOUND,
        instead_of="middle-per-feature",
        difference=True,
        watch=_scaled("per_feature"),
    ),
    Statement(
        key="stuck-path",
        text="The percentiles of a plain network that is stuck go a shorter way than those of BN, "
        "though they get farther by it.",
        setting=f"{TRAP}, to step {LAST:,}",
        quantity=f"path of a unit’s median, sampled every {EVERY} steps, plain ÷ BN, median of 8 "
        "units",
        expected=at_most(1),
        source=FOUND,
        instead_of="stuck-wander",
        comparator=Comparator("trap-batch", "the BN network"),
        watch=Watch(TRAP_KNOBS, PERCENTILES, LAST),
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
    """Something of the medians of the last layer's units over time [T, 8], plain ÷ BN."""
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
    note="The paper uses MNIST as binary images and 50,000 steps, and states neither the learning "
    "rate nor the initial standard deviation nor the optimizer: rate 1 and σ 0.1 are ours.",
)
