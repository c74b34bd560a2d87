"""E1: the first figure of Ioffe & Szegedy 2015, replayed on digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Statement, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.records import Snapshot

# The path of the percentiles is sampled this often.
EVERY, LAST = 50, 2500
STUCK, EARLY = 25, 50
MIDDLE = 250

NETWORK = "sigmoid 3×100, batch 60"
SETTING = f"{NETWORK}, initial σ 0.1, rate 1"
TRAP = f"{NETWORK}, initial σ 0.01, rate 0.1"
RANGE = "highest less lowest median of a unit, plain ÷ BN, median of 8 units"
EARLIER, FOUND = "earlier run", "found here"

STATEMENTS = (
    Statement(
        key="plain-50",
        text="At step 50 the plain network is at chance.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
    ),
    Statement(
        key="plain-25",
        text="At step 25 it is in every seed; by step 50 some begin to learn.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy",
        expected=at_most(0.2),
        source=FOUND,
        instead_of="plain-50",
    ),
    Statement(
        key="ahead-50",
        text="At step 50 BN is far ahead.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy, BN less plain",
        expected=at_least(0.3),
        source=EARLIER,
    ),
    Statement(
        key="ahead-25",
        text="So it is at step 25.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy, BN less plain",
        expected=at_least(0.3),
        source=FOUND,
    ),
    Statement(
        key="plain-end",
        text="By step 2,500 the plain network reaches 0.98 too.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
    ),
    Statement(
        key="level-end",
        text="Seen in its place: by step 2,500 the two are level within 0.03.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy, BN less plain",
        expected=between(-0.03, 0.03),
        source=FOUND,
        instead_of="plain-end",
    ),
    Statement(
        key="batch-end",
        text="By step 2,500 BN reaches 0.98.",
        setting=f"{SETTING}, standardized inputs",
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
    ),
    Statement(
        key="wander",
        text="The medians of the plain network's last sigmoids wander several times as far.",
        setting=f"{SETTING}, standardized inputs, to step {LAST:,}",
        quantity=RANGE,
        expected=at_least(3),
        source="Ioffe & Szegedy 2015, Fig. 1",
    ),
    Statement(
        key="middle-standardize",
        text="How inputs are scaled decides the middle: standardized by one mean and deviation.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.79, 0.87),
        source=EARLIER,
    ),
    Statement(
        key="middle-per-feature",
        text="How inputs are scaled decides the middle: each standardized by its own.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.89, 0.93),
        source=EARLIER,
    ),
    Statement(
        key="middle-order",
        text="Seen in its place, the order: standardized in either way, inputs let the plain "
        "network learn sooner than binary or raw ones.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="lower accuracy of the first two less higher accuracy of the others",
        expected=at_least(0.3),
        source=FOUND,
        instead_of="middle-per-feature",
    ),
    Statement(
        key="middle-binary",
        text="How inputs are scaled decides the middle: binary, as in the paper.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.09, 0.26),
        source=EARLIER,
    ),
    Statement(
        key="middle-unit",
        text="How inputs are scaled decides the middle: raw, divided by 16.",
        setting=f"{SETTING}, step {MIDDLE}, plain",
        quantity="accuracy",
        expected=between(0.09, 0.26),
        source=EARLIER,
    ),
    Statement(
        key="stuck",
        text="From smaller weights at a lower rate the plain network never learns.",
        setting=f"{TRAP}, standardized inputs, step {LAST:,}",
        quantity="accuracy",
        expected=at_most(0.2),
        source=EARLIER,
    ),
    Statement(
        key="stuck-wander",
        text="Then the plain network's percentiles get less far than those of BN: what is stuck "
        "does not shift.",
        setting=f"{TRAP}, standardized inputs, to step {LAST:,}",
        quantity=RANGE,
        expected=at_most(1),
        source=EARLIER,
    ),
    Statement(
        key="stuck-path",
        text="Seen in its place: they go a shorter way, though they get farther by it.",
        setting=f"{TRAP}, standardized inputs, to step {LAST:,}",
        quantity=f"path of a unit's median, sampled every {EVERY} steps, plain ÷ BN, median of 8 "
        "units",
        expected=at_most(1),
        source=FOUND,
        instead_of="stuck-wander",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    (before,) = play(_config(seed), (STUCK,))
    path = _path(_config(seed))
    trap = _path(_config(seed, init_std=0.01, learning_rate=0.1))
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
        "stuck-wander": _ratio(trap, _extent),
        "stuck-path": _ratio(trap, _length),
    }


def _config(seed: int, **knobs: Any) -> RunConfig:
    base = {"depth": 3, "activation": "sigmoid", "init": "normal", "init_std": 0.1}
    return RunConfig(**{**base, "learning_rate": 1.0, "seed": seed, **knobs})


def _path(config: RunConfig) -> list[Snapshot]:
    return play(config, range(0, LAST + 1, EVERY), ("percentiles",))


def _middle(seed: int, scaling: str) -> float:
    config = _config(seed, input_scaling=scaling, norms=("none",))
    (shot,) = play(config, (MIDDLE,))
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
