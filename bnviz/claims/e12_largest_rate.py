"""E12: the largest learning rate that still works (Bjorck et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Kind, Statement, Unit, Watch, at_most, between, in_lab
from bnviz.config import RunConfig

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
# Where one of those works and the next one does not, rates between them are a tenth of a decade
# apart.
FINE_STEP = 10**0.1
STEPS = 600
WORKS = 0.9
PLAIN_RATES, BATCH_RATES = (0.03, 0.1, 0.3), (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

RELU_KNOBS: dict[str, Any] = {"depth": 3, "activation": "relu", "learning_rate": 1.0}
HE_KNOBS: dict[str, Any] = {**RELU_KNOBS, "init": "he"}


def _at(rate: float) -> Watch:
    """The lab with both tanh networks at a rate."""
    return in_lab({"learning_rate": rate}, step=STEPS)


STATEMENTS = (
    Statement(
        key="relu-none",
        expected=at_most(0.5),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(RELU_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-none-he",
        expected=at_most(0.5),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="he",
        instead_of="relu-none",
        watch=in_lab(HE_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-batch-he",
        expected=between(0.97, 0.99),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="he",
        watch=in_lab(HE_KNOBS, step=STEPS),
    ),
    Statement(
        key="relu-batch",
        expected=between(0.97, 0.99),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=in_lab(RELU_KNOBS, step=STEPS),
    ),
    Statement(
        key="tanh-none-low",
        expected=between(0.96, 0.98),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_at(0.3),
    ),
    Statement(
        key="tanh-batch-low",
        expected=between(0.95, 0.98),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_at(3.0),
    ),
    Statement(
        key="fail", expected=at_most(0.5), kind=Kind.EARLIER, unit=Unit.PERCENT, watch=_at(10.0)
    ),
    Statement(
        key="wider", expected=between(5, 20), kind=Kind.EARLIER, unit=Unit.TIMES, watch=_at(1.0)
    ),
    Statement(
        key="no-better",
        expected=between(-0.02, 0.02),
        kind=Kind.EARLIER,
        unit=Unit.POINTS,
        difference=True,
        comparator="plain-best",
        watch=_at(0.1),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    relu = _accuracies(seed, RELU_KNOBS)
    found = {rate: _accuracies(seed, {"learning_rate": rate}) for rate in RATES}
    best = {norm: max(found[rate][norm] for rate in RATES) for norm in ("none", "batch")}
    limits = {
        norm: _limit(seed, norm, {rate: found[rate][norm] for rate in RATES})
        for norm in ("none", "batch")
    }
    return {
        "relu-none": relu["none"],
        "relu-batch": relu["batch"],
        "tanh-none-low": min(found[rate]["none"] for rate in PLAIN_RATES),
        "tanh-batch-low": min(found[rate]["batch"] for rate in BATCH_RATES),
        "fail": max(found[10.0].values()),
        "wider": limits["batch"] / limits["none"],
        "no-better": best["batch"] - best["none"],
        "plain-best": best["none"],
    }


def measure_he(seed: int) -> dict[str, float]:
    """What is stated of He's initial weights."""
    reached = _accuracies(seed, HE_KNOBS)
    return {"relu-none-he": reached["none"], "relu-batch-he": reached["batch"]}


def largest_that_works(coarse: Mapping[float, bool], works: Callable[[float], bool]) -> float:
    """The largest rate that works, to a tenth of a decade; NaN: none.

    Args:
        coarse: of each rate of a ladder, whether it works.
        works: the same of any rate between two of them, which takes a run.
    """
    largest = max((rate for rate, good in coarse.items() if good), default=math.nan)
    fails = min((rate for rate in coarse if rate > largest), default=largest)
    rate = largest * FINE_STEP
    # One that is the next of the ladder but for rounding is known to fail.
    while rate < fails / 1.01 and works(rate):
        largest, rate = rate, rate * FINE_STEP
    return largest


def _limit(seed: int, norm: str, accuracies: Mapping[float, float]) -> float:
    """The largest rate at which a network reaches `WORKS`."""
    return largest_that_works(
        {rate: value >= WORKS for rate, value in accuracies.items()},
        lambda rate: _accuracies(seed, {"learning_rate": rate, "norms": (norm,)})[norm] >= WORKS,
    )


def _accuracies(seed: int, knobs: Mapping[str, Any]) -> dict[str, float]:
    (shot,) = play(RunConfig(**knobs, seed=seed), (STEPS,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"he": measure_he},
    numbers={"steps": STEPS, "works": WORKS},
)
