"""E10: smoothness of the loss along the gradient (Santurkar et al. 2018, Fig. 4)."""

from __future__ import annotations

from collections.abc import Callable

from bnviz.claims.runs import TORCH_INIT, accuracy, geometric_mean, snapshots
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    Expectation,
    KnobValues,
    Statement,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.records import NetworkRecord

MEASURED_STEPS = (10, 20, 50, 100, 200)
QUANTITIES = ("range", "predictiveness", "beta")
HE, GLOROT = {"init": "he"}, {"init": "glorot"}


def _knobs(depth: int, rate: float, init: KnobValues) -> KnobValues:
    return {"activation": "relu", "depth": depth, "learning_rate": rate, **init}


SETTINGS = {
    "shallow": _knobs(3, 0.1, HE),
    "slow": _knobs(3, 0.01, HE),
    "deep": _knobs(8, 0.1, HE),
    "slow-glorot": _knobs(3, 0.01, GLOROT),
    "glorot": _knobs(3, 0.1, GLOROT),
    "deep-glorot": _knobs(8, 0.1, GLOROT),
    "deeper-glorot": _knobs(12, 0.1, GLOROT),
    "deep-small": _knobs(8, 0.1, TORCH_INIT),
    "shallow-small": _knobs(3, 0.1, TORCH_INIT),
}
DECLARED = ("shallow", "slow", "deep")


def _stated(
    kind: Callable[..., Statement], setting: str, name: str, expected: Expectation,
    instead_of: str = "",
) -> Statement:  # fmt: skip
    return kind(
        f"{setting}-{name}", expected, TIMES,
        in_lab(SETTINGS[setting], "landscape", MEASURED_STEPS[-1]),
        part="" if setting in DECLARED else "found", comparator=f"{setting}-plain",
        instead_of=f"{instead_of}-{name}" if instead_of else None,
    )  # fmt: skip


def _each(
    kind: Callable[..., Statement], setting: str, expected: Expectation, instead_of: str = ""
) -> list[Statement]:
    """Return one statement per quantity."""
    return [_stated(kind, setting, name, expected, instead_of) for name in QUANTITIES]


STATEMENTS = (
    *_each(quoted, "shallow", at_most(1)),
    *_each(earlier, "slow", at_least(1)),
    *_each(found_here, "slow-glorot", at_least(1), "slow"),
    *_each(found_here, "glorot", at_most(1)),
    *_each(earlier, "deep", at_least(1)),
    # The ratio crosses 1 at a depth between three and twelve layers. The depths of these two
    # settings are close to that depth.
    _stated(found_here, "deep-glorot", "beta", between(1 / 2, 2), "deep"),
    _stated(found_here, "deep-glorot", "range", at_most(1), "deep"),
    _stated(found_here, "deep-glorot", "predictiveness", at_most(1), "deep"),
    _stated(found_here, "deeper-glorot", "beta", at_least(1), "deep"),
    _stated(found_here, "deeper-glorot", "predictiveness", at_least(1 / 2), "deep"),
    _stated(found_here, "deeper-glorot", "range", between(1 / 3, 3), "deep"),
    *_each(found_here, "deep-small", at_least(1), "deep"),
    _stated(found_here, "shallow-small", "range", at_most(1)),
    _stated(found_here, "shallow-small", "predictiveness", at_least(1)),
    _stated(found_here, "shallow-small", "beta", at_least(1)),
)


def measure(seed: int) -> ClaimValues:
    return {key: value for each in DECLARED for key, value in _in(each, seed).items()}


def measure_found(seed: int) -> ClaimValues:
    found = [each for each in SETTINGS if each not in DECLARED]
    return {key: value for each in found for key, value in _in(each, seed).items()}


def _in(setting: str, seed: int) -> ClaimValues:
    """Geometric means over the watched steps of each quantity's ratio, with BN ÷ without BN."""
    shots = snapshots(seed, SETTINGS[setting], MEASURED_STEPS, "landscape")
    ratios = {
        f"{setting}-{name}": geometric_mean(
            _value(shot.networks["batch"], name) / _value(shot.networks["none"], name)
            for shot in shots
        )
        for name in QUANTITIES
    }
    return {f"{setting}-plain": accuracy(shots[-1].networks["none"]), **ratios}


def _value(record: NetworkRecord, name: str) -> float:
    values = record.probes["landscape"]
    if name == "range":
        return float(values["loss_high"] - values["loss_low"])
    return float(values[name])


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"found": measure_found},
    other_numbers={"steps": ", ".join(map(str, MEASURED_STEPS))},
)
