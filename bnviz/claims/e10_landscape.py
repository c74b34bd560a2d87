"""E10: is the loss smoother along the gradient with BN? (Santurkar et al. 2018, Fig. 4)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bnviz.claims.runs import accuracy, geometric_mean, play
from bnviz.claims.statement import (
    Claim,
    Expectation,
    Kind,
    Statement,
    Unit,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

WATCHED = (10, 20, 50, 100, 200)
QUANTITIES = ("range", "predictiveness", "beta")
# The standard deviation of torch's own initial weights for 100 inputs, 1/√(3·100).
SMALL = {"init": "normal", "init_std": 0.058}
SETTINGS: dict[str, dict[str, Any]] = {
    "shallow": {"depth": 3, "learning_rate": 0.1, "init": "he"},
    "slow": {"depth": 3, "learning_rate": 0.01, "init": "he"},
    "deep": {"depth": 8, "learning_rate": 0.1, "init": "he"},
    "slow-glorot": {"depth": 3, "learning_rate": 0.01, "init": "glorot"},
    "glorot": {"depth": 3, "learning_rate": 0.1, "init": "glorot"},
    "deep-glorot": {"depth": 8, "learning_rate": 0.1, "init": "glorot"},
    "deeper-glorot": {"depth": 12, "learning_rate": 0.1, "init": "glorot"},
    "deep-small": {"depth": 8, "learning_rate": 0.1, **SMALL},
    "shallow-small": {"depth": 3, "learning_rate": 0.1, **SMALL},
}
DECLARED = ("shallow", "slow", "deep")
FOUND_HERE = tuple(setting for setting in SETTINGS if setting not in DECLARED)


def _statement(
    setting: str, name: str, expected: Expectation, kind: Kind, instead_of: str | None = None
) -> Statement:
    return Statement(
        key=f"{setting}-{name}",
        expected=expected,
        kind=kind,
        unit=Unit.TIMES,
        part="" if setting in DECLARED else "found",
        instead_of=f"{instead_of}-{name}" if instead_of else None,
        comparator=f"{setting}-plain",
        watch=in_lab({"activation": "relu", **SETTINGS[setting]}, ("landscape",), WATCHED[-1]),
    )


def _statements(
    setting: str, expected: Expectation, kind: Kind, instead_of: str | None = None
) -> list[Statement]:
    """One a quantity."""
    return [_statement(setting, name, expected, kind, instead_of) for name in QUANTITIES]


STATEMENTS = (
    *_statements("shallow", at_most(1), Kind.PAPER),
    *_statements("slow", at_least(1), Kind.EARLIER),
    *_statements("slow-glorot", at_least(1), Kind.FOUND, "slow"),
    *_statements("glorot", at_most(1), Kind.FOUND),
    *_statements("deep", at_least(1), Kind.EARLIER),
    # Between three layers and twelve the measure turns; these two are near where it does.
    _statement("deep-glorot", "beta", between(1 / 2, 2), Kind.FOUND, "deep"),
    _statement("deep-glorot", "range", at_most(1), Kind.FOUND, "deep"),
    _statement("deep-glorot", "predictiveness", at_most(1), Kind.FOUND, "deep"),
    _statement("deeper-glorot", "beta", at_least(1), Kind.FOUND, "deep"),
    _statement("deeper-glorot", "predictiveness", at_least(1 / 2), Kind.FOUND, "deep"),
    _statement("deeper-glorot", "range", between(1 / 3, 3), Kind.FOUND, "deep"),
    *_statements("deep-small", at_least(1), Kind.FOUND, "deep"),
    _statement("shallow-small", "range", at_most(1), Kind.FOUND),
    _statement("shallow-small", "predictiveness", at_least(1), Kind.FOUND),
    _statement("shallow-small", "beta", at_least(1), Kind.FOUND),
)


def _measuring(settings: Sequence[str]) -> Callable[[int], dict[str, float]]:
    """One value a statement of some settings, and how well the plain network learned there."""
    return lambda seed: {
        key: value for setting in settings for key, value in _measured(setting, seed).items()
    }


def _measured(setting: str, seed: int) -> dict[str, float]:
    config = RunConfig(activation="relu", seed=seed, **SETTINGS[setting])
    shots = play(config, WATCHED, ("landscape",))
    found = {f"{setting}-plain": accuracy(shots[-1].networks["none"])}
    for name in QUANTITIES:
        found[f"{setting}-{name}"] = geometric_mean(
            _value(shot.networks["batch"], name) / _value(shot.networks["none"], name)
            for shot in shots
        )
    return found


def _value(record: NetworkRecord, name: str) -> float:
    values = record.probes["landscape"]
    if name == "range":
        return float(values["loss_high"] - values["loss_low"])
    return float(values[name])


CLAIM = Claim(
    STATEMENTS,
    _measuring(DECLARED),
    parts={"found": _measuring(FOUND_HERE)},
    numbers={"steps": ", ".join(map(str, WATCHED))},
)
