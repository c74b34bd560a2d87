"""E10: is the loss smoother along the gradient with BN? (Santurkar et al. 2018, Fig. 4)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from bnviz.claims.runs import accuracy, geometric_mean, play
from bnviz.claims.statement import (
    Claim,
    Comparator,
    Expectation,
    Statement,
    Watch,
    at_least,
    at_most,
    between,
)
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

WATCHED = (10, 20, 50, 100, 200)
STEPS = f"steps {', '.join(str(step) for step in WATCHED)}"

QUANTITIES = {
    "range": "range of the loss from ½ to 4 steps along −g",
    "predictiveness": "largest change of the gradient from ½ to 4 steps along −g",
    "beta": "effective β from ½ to 4 steps along −g",
}
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
WORDS = {
    "shallow": "ReLU 3×100, He, rate 0.1",
    "slow": "ReLU 3×100, He, rate 0.01",
    "deep": "ReLU 8×100, He, rate 0.1",
    "slow-glorot": "ReLU 3×100, Glorot, rate 0.01",
    "glorot": "ReLU 3×100, Glorot, rate 0.1",
    "deep-glorot": "ReLU 8×100, Glorot, rate 0.1",
    "deeper-glorot": "ReLU 12×100, Glorot, rate 0.1",
    "deep-small": "ReLU 8×100, initial σ 0.058, rate 0.1",
    "shallow-small": "ReLU 3×100, initial σ 0.058, rate 0.1",
}


def _statement(
    setting: str, name: str, text: str, expected: Expectation, source: str,
    instead_of: str | None = None, lead: str = "",
) -> Statement:  # fmt: skip
    return Statement(
        key=f"{setting}-{name}",
        text=text,
        lead=lead,
        setting=f"{WORDS[setting]}, {STEPS}",
        quantity=f"{QUANTITIES[name]}, BN ÷ plain, geometric mean",
        expected=expected,
        source=source,
        part="" if setting in DECLARED else "found",
        instead_of=f"{instead_of}-{name}" if instead_of else None,
        comparator=Comparator(f"{setting}-plain", "the plain network"),
        watch=Watch({"activation": "relu", **SETTINGS[setting]}, ("landscape",), WATCHED[-1]),
    )


def _statements(
    setting: str, text: str, expected: Expectation, source: str, instead_of: str | None = None,
    lead: str = "",
) -> list[Statement]:  # fmt: skip
    """One a quantity; the lead is that of β, the smoothness as such."""
    return [
        _statement(
            setting, name, text, expected, source, instead_of, lead if name == "beta" else ""
        )
        for name in QUANTITIES
    ]


PAPER, EARLIER, FOUND = "Santurkar et al. 2018", "earlier run", "found here"
EIGHT = "From Glorot’s initial weights eight layers are {}, by this measure."
TWELVE = "From Glorot’s initial weights twelve layers are rougher with BN, by this measure."
# Between three layers and twelve the measure turns; these two are near where it does.
EIGHT_ALIKE = (
    "From Glorot’s initial weights eight layers are as rough with BN as without to within a factor "
    "of two, by this measure."
)
TWELVE_NOT_SMOOTHER = (
    "From Glorot’s initial weights twelve layers with BN are at least half as rough as without, by "
    "this measure."
)
SMALL_THREE = "From initial weights as small as torch’s own three layers are {}, by this measure."
ROUGHER, SMOOTHER = "rougher with BN", "smoother with BN"

STATEMENTS = (
    *_statements(
        "shallow", "The loss is smoother with BN.", at_most(1), PAPER,
        lead="From He’s initial weights the loss of three ReLU layers is smoother with BN at rate "
        "0.1, by effective β.",
    ),
    *_statements("slow", "At a lower rate the loss is rougher with BN.", at_least(1), EARLIER),
    *_statements(
        "slow-glorot", "At a lower rate the loss is rougher with BN from Glorot’s initial weights, "
        "which are smaller than He’s.", at_least(1), FOUND, "slow",
    ),
    *_statements(
        "glorot", "From Glorot’s initial weights the loss is smoother with BN at the higher rate: "
        "the rate turns it.", at_most(1), FOUND,
    ),
    *_statements("deep", "In a deeper network the loss is rougher with BN.", at_least(1), EARLIER),
    _statement("deep-glorot", "beta", EIGHT_ALIKE, between(1 / 2, 2), FOUND, "deep"),
    _statement("deep-glorot", "range", EIGHT.format(SMOOTHER), at_most(1), FOUND, "deep"),
    _statement("deep-glorot", "predictiveness", EIGHT.format(SMOOTHER), at_most(1), FOUND, "deep"),
    _statement(
        "deeper-glorot", "beta", TWELVE, at_least(1), FOUND, "deep",
        "From Glorot’s initial weights the loss of twelve ReLU layers is rougher with BN, by "
        "effective β.",
    ),
    _statement(
        "deeper-glorot", "predictiveness", TWELVE_NOT_SMOOTHER, at_least(1 / 2), FOUND, "deep"
    ),
    _statement(
        "deeper-glorot", "range", "From Glorot’s initial weights twelve layers are as rough with "
        "BN as without to within a factor of three, which is a wide band, by this measure.",
        between(1 / 3, 3), FOUND, "deep",
    ),
    *_statements(
        "deep-small", "From initial weights as small as torch’s own eight layers are rougher with "
        "BN.", at_least(1), FOUND, "deep",
    ),
    _statement("shallow-small", "range", SMALL_THREE.format(SMOOTHER), at_most(1), FOUND),
    _statement("shallow-small", "predictiveness", SMALL_THREE.format(ROUGHER), at_least(1), FOUND),
    _statement("shallow-small", "beta", SMALL_THREE.format(ROUGHER), at_least(1), FOUND),
)  # fmt: skip


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
    note="The size of the initial weights decides as much as rate and depth do: where the plain "
    "network’s weights are small its gradient is small, and so is what can change of it. The three "
    "measures need not agree: each has its row. Range and change of the gradient are not divided "
    "by the loss reached: the network further on has less of both.",
    parts={"found": _measuring(FOUND_HERE)},
)
