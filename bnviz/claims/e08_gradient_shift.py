"""E8: internal covariate shift as the change of gradients (Santurkar et al. 2018, Def. 2.1)."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from bnviz.claims.runs import accuracy, geometric_mean, play
from bnviz.claims.statement import Claim, Kind, Statement, Unit, Watch, at_least, at_most, in_lab
from bnviz.config import RunConfig

WATCHED = (20, 50, 100, 200)
INITS = {"relu": "he", "tanh": "glorot"}

ELSEWHERE = "elsewhere"


def _knobs(activation: str, depth: int, rate: float) -> dict[str, Any]:
    return {
        "activation": activation, "init": INITS[activation], "depth": depth, "learning_rate": rate
    }  # fmt: skip


SHALLOW_RELU, DEEP_TANH = _knobs("relu", 3, 0.1), _knobs("tanh", 8, 0.01)
SLOW_RELU = {depth: _knobs("relu", depth, 0.01) for depth in (3, 8)}
SLOW_TANH = {depth: _knobs("tanh", depth, 0.01) for depth in (3, 8)}
FAST_TANH = _knobs("tanh", 8, 0.1)


def _watch(knobs: dict[str, Any]) -> Watch:
    return in_lab(knobs, ("ics",), WATCHED[-1])


STATEMENTS = (
    Statement(
        key="raises-relu",
        expected=at_least(1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-relu",
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="lowers-tanh",
        expected=at_most(1),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        comparator="plain-tanh",
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="cosine-tanh",
        expected=at_most(0),
        kind=Kind.EARLIER,
        comparator="plain-tanh",
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="cosine-relu",
        expected=at_least(0),
        kind=Kind.EARLIER,
        comparator="plain-relu",
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="raises-tanh",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        instead_of="raises-relu",
        comparator="plain-tanh",
        watch=_watch(DEEP_TANH),
    ),
    Statement(
        key="lowers-relu",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        instead_of="lowers-tanh",
        comparator="plain-relu",
        watch=_watch(SHALLOW_RELU),
    ),
    Statement(
        key="slow-relu",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        comparator="plain-slow-relu",
        watch=_watch(SLOW_RELU[8]),
    ),
    Statement(
        key="slow-tanh",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        comparator="plain-slow-tanh",
        watch=_watch(SLOW_TANH[3]),
    ),
    Statement(
        key="depth",
        expected=at_least(1.5),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        comparator="plain-slow-tanh",
        watch=_watch(SLOW_TANH[8]),
    ),
    Statement(
        key="rate",
        expected=at_most(0.7),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=ELSEWHERE,
        comparator="plain-rates",
        watch=_watch(FAST_TANH),
    ),
)


class _Effect(NamedTuple):
    """BN's effect on the shift: a ratio, and a difference of cosines; plain accuracy at the end."""

    change: float
    cosine: float
    plain: float


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared, and what it compares with."""
    relu, tanh = _effect(seed, SHALLOW_RELU), _effect(seed, DEEP_TANH)
    return {
        "raises-relu": relu.change,
        "lowers-tanh": tanh.change,
        "cosine-tanh": tanh.cosine,
        "cosine-relu": relu.cosine,
        "plain-relu": relu.plain,
        "plain-tanh": tanh.plain,
    }


def measure_elsewhere(seed: int) -> dict[str, float]:
    """One value a statement that was found."""
    relu, fast = _effect(seed, SHALLOW_RELU), _effect(seed, FAST_TANH)
    slow_relu, slow_tanh = (
        {depth: _effect(seed, knobs) for depth, knobs in settings.items()}
        for settings in (SLOW_RELU, SLOW_TANH)
    )
    deep, shallow = slow_tanh[8], slow_tanh[3]
    return {
        "raises-tanh": deep.change,
        "lowers-relu": relu.change,
        "slow-relu": max(effect.change for effect in slow_relu.values()),
        "slow-tanh": min(effect.change for effect in slow_tanh.values()),
        "depth": deep.change / shallow.change,
        "rate": fast.change / deep.change,
        "plain-relu": relu.plain,
        "plain-tanh": deep.plain,
        "plain-slow-relu": min(effect.plain for effect in slow_relu.values()),
        "plain-slow-tanh": min(effect.plain for effect in slow_tanh.values()),
        "plain-rates": min(deep.plain, fast.plain),
    }


def _effect(seed: int, knobs: dict[str, Any]) -> _Effect:
    shots = play(RunConfig(seed=seed, **knobs), WATCHED, ("ics",))

    def collected(norm: str, value: str) -> np.ndarray:
        # Below the first layer there is nothing that could change its gradient.
        rows = [shot.networks[norm].probes["ics"][value][1:] for shot in shots]
        return np.concatenate(rows).astype(np.float64)

    return _Effect(
        geometric_mean(collected("batch", "change") / collected("none", "change")),
        float((collected("batch", "cosine") - collected("none", "cosine")).mean()),
        accuracy(shots[-1].networks["none"]),
    )


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={ELSEWHERE: measure_elsewhere},
    numbers={"steps": ", ".join(map(str, WATCHED))},
)
