"""E20: does BN keep small changes of the weights from growing with depth? (IS15, section 3.3)"""

from __future__ import annotations

from typing import Any

from bnviz.claims.e06_gradient_growth import growth_of
from bnviz.claims.runs import play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    about,
    at_least,
    at_most,
    in_lab,
)
from bnviz.config import RunConfig

TANH_DEPTH, RELU_DEPTH, DEEP = 6, 20, 50
TRAINED = 100
RELU_GROWTH = growth_of("relu")

TANH: dict[str, Any] = {"depth": TANH_DEPTH, "activation": "tanh"}
RELU: dict[str, Any] = {"depth": RELU_DEPTH, "activation": "relu", "init": "he"}
FIFTY: dict[str, Any] = {**RELU, "depth": DEEP, "width": 50}

FRESH, PROBE = "fresh", "amplify"


def _of(key: str, expected: Any, setting: dict[str, Any], step: int, **others: Any) -> Statement:
    """A statement of what the probe measures, in one setting at one step."""
    return Statement(
        key=key, expected=expected, unit=others.pop("unit", Unit.TIMES),
        watch=in_lab(setting, (PROBE,), step), **others,
    )  # fmt: skip


STATEMENTS = (
    _of("tanh", at_most(1), TANH, 0, kind=Kind.PAPER),
    _of("relu", at_most(1), RELU, 0, kind=Kind.PAPER),
    _of("trained", at_most(1), TANH, TRAINED, kind=Kind.PAPER),
    _of(
        "by-layer", about(RELU_GROWTH, 0.03), RELU, 0,
        kind=Kind.CALCULATION, unit=Unit.TIMES_A_LAYER,
    ),
    _of("tanh-more", at_least(1.2), TANH, 0, kind=Kind.FOUND, part=FRESH, instead_of="tanh"),
    _of("relu-more", at_least(3), RELU, 0, kind=Kind.FOUND, part=FRESH, instead_of="relu"),
    _of(
        "trained-more", at_least(1.3), TANH, TRAINED,
        kind=Kind.FOUND, part=FRESH, instead_of="trained",
    ),
    _of("fifty-more", at_least(5), FIFTY, 0, kind=Kind.FOUND, part=FRESH),
)  # fmt: skip


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    start, trained = (found["batch"] for found in _amplified(seed, TANH, (0, TRAINED)))
    (relu,) = (found["batch"] for found in _amplified(seed, RELU, (0,)))
    return {
        "tanh": start,
        "relu": relu,
        "trained": trained,
        "by-layer": relu ** (1 / (RELU_DEPTH - 1)),
    }


def measure_fresh(seed: int) -> dict[str, float]:
    """What was stated after it had been seen on other seeds: with BN ÷ without."""
    start, trained = _amplified(seed, TANH, (0, TRAINED))
    (relu,), (fifty,) = (_amplified(seed, setting, (0,)) for setting in (RELU, FIFTY))
    return {
        "tanh-more": start["batch"] / start["none"],
        "relu-more": relu["batch"] / relu["none"],
        "trained-more": trained["batch"] / trained["none"],
        "fifty-more": fifty["batch"] / fifty["none"],
    }


def _amplified(
    seed: int, setting: dict[str, Any], steps: tuple[int, ...]
) -> list[dict[str, float]]:
    """At some steps, by network, the change of the last hidden layer ÷ that of layer 1."""
    shots = play(RunConfig(**setting, seed=seed), steps, (PROBE,))
    return [
        {norm: float(each.probes[PROBE]["amplified"][-1]) for norm, each in shot.networks.items()}
        for shot in shots
    ]


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={FRESH: measure_fresh},
    numbers={
        "tanh_depth": TANH_DEPTH,
        "relu_depth": RELU_DEPTH,
        "deep": DEEP,
        "trained": TRAINED,
        "growth": RELU_GROWTH,
    },
)
