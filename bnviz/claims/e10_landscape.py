"""E10: is the loss smoother along the gradient with BN? (Santurkar et al. 2018, Fig. 4)"""

from __future__ import annotations

from typing import Any

from bnviz.claims.runs import geometric_mean, play
from bnviz.claims.statement import Claim, Expectation, Statement, at_least, at_most
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
    "slow-glorot": {"depth": 3, "learning_rate": 0.01, "init": "glorot"},
    "glorot": {"depth": 3, "learning_rate": 0.1, "init": "glorot"},
    "deep": {"depth": 8, "learning_rate": 0.1, "init": "he"},
    "deep-glorot": {"depth": 8, "learning_rate": 0.1, "init": "glorot"},
    "deep-small": {"depth": 8, "learning_rate": 0.1, **SMALL},
    "shallow-small": {"depth": 3, "learning_rate": 0.1, **SMALL},
}
WORDS = {
    "shallow": "ReLU 3×100, He, rate 0.1",
    "slow": "ReLU 3×100, He, rate 0.01",
    "slow-glorot": "ReLU 3×100, Glorot, rate 0.01",
    "glorot": "ReLU 3×100, Glorot, rate 0.1",
    "deep": "ReLU 8×100, He, rate 0.1",
    "deep-glorot": "ReLU 8×100, Glorot, rate 0.1",
    "deep-small": "ReLU 8×100, initial σ 0.058, rate 0.1",
    "shallow-small": "ReLU 3×100, initial σ 0.058, rate 0.1",
}


def _statement(
    setting: str, name: str, text: str, expected: Expectation, source: str,
    instead_of: str | None = None,
) -> Statement:  # fmt: skip
    return Statement(
        key=f"{setting}-{name}",
        text=text,
        setting=f"{WORDS[setting]}, {STEPS}",
        quantity=f"{QUANTITIES[name]}, BN ÷ plain, geometric mean",
        expected=expected,
        source=source,
        instead_of=f"{instead_of}-{name}" if instead_of else None,
    )


def _statements(
    setting: str, text: str, expected: Expectation, source: str, instead_of: str | None = None
) -> list[Statement]:
    return [_statement(setting, name, text, expected, source, instead_of) for name in QUANTITIES]


EARLIER, FOUND = "earlier run", "found here"
ROUGHER_TOO = "There three layers are rougher too: the weights turn it, not the depth."

STATEMENTS = (
    *_statements("shallow", "The loss is smoother with BN.", at_most(1), "Santurkar et al. 2018"),
    *_statements("slow", "At a lower rate the loss is rougher with BN.", at_least(1), EARLIER),
    *_statements(
        "slow-glorot", "It is where the initial weights are smaller.", at_least(1), FOUND, "slow"
    ),
    *_statements(
        "glorot", "There it is smoother at the higher rate: the rate turns it.", at_most(1), FOUND
    ),
    *_statements("deep", "In a deeper network the loss is rougher with BN.", at_least(1), EARLIER),
    _statement(
        "deep-glorot", "beta", "It is from Glorot's initial weights, from which three layers are "
        "smoother.", at_least(1), FOUND, "deep",
    ),
    *_statements(
        "deep-small", "It is where the initial weights are as small as torch's own.", at_least(1),
        FOUND, "deep",
    ),
    _statement(
        "shallow-small", "range", "There three layers are smoother: the depth turns it.",
        at_most(1), FOUND,
    ),
    _statement("shallow-small", "predictiveness", ROUGHER_TOO, at_least(1), FOUND),
    _statement("shallow-small", "beta", ROUGHER_TOO, at_least(1), FOUND),
)  # fmt: skip


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    found = {}
    for setting, knobs in SETTINGS.items():
        config = RunConfig(activation="relu", seed=seed, **knobs)
        shots = play(config, WATCHED, ("landscape",))
        for name in QUANTITIES:
            found[f"{setting}-{name}"] = geometric_mean(
                _value(shot.networks["batch"], name) / _value(shot.networks["none"], name)
                for shot in shots
            )
    stated = {statement.key for statement in STATEMENTS}
    return {key: value for key, value in found.items() if key in stated}


def _value(record: NetworkRecord, name: str) -> float:
    values = record.probes["landscape"]
    if name == "range":
        return float(values["loss_high"] - values["loss_low"])
    return float(values[name])


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="The size of the initial weights decides as much as rate and depth do: where the plain "
    "network's weights are small its gradient is small, and so is what can change of it.",
)
