"""E12: largest learning rate at which a network still learns (Bjorck et al. 2018)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from bnviz.claims.runs import accuracies_after
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
)

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
# Ratio of successive learning rates that are tried between the largest rate of the ladder that
# works and the next rate of the ladder, which fails.
FINE_STEP = 10**0.1
STEPS = 600
WORKS = 0.9
PLAIN_RATES, BATCH_RATES = (0.03, 0.1, 0.3), (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

RELU_KNOBS: KnobValues = {"depth": 3, "activation": "relu", "learning_rate": 1.0}
HE_KNOBS: KnobValues = {**RELU_KNOBS, "init": "he"}
HIGHER_KNOBS: KnobValues = {**HE_KNOBS, "learning_rate": 2.0}
RELU, HE, HIGHER = (in_lab(knobs, step=STEPS) for knobs in (RELU_KNOBS, HE_KNOBS, HIGHER_KNOBS))


def _at(rate: float) -> LabLink:
    return in_lab({"learning_rate": rate}, step=STEPS)


STATEMENTS = (
    earlier("relu-none", at_most(0.5), PERCENT, RELU),
    found_here("relu-none-he", at_most(0.5), PERCENT, HE, part="he", instead_of="relu-none"),
    found_here("relu-batch-he", between(0.97, 0.99), PERCENT, HE, part="he"),
    earlier("relu-batch", between(0.97, 0.99), PERCENT, RELU),
    earlier("tanh-none-low", between(0.96, 0.98), PERCENT, _at(0.3)),
    earlier("tanh-batch-low", between(0.95, 0.98), PERCENT, _at(3.0)),
    earlier("fail", at_most(0.5), PERCENT, _at(10.0)),
    earlier("wider", between(5, 20), TIMES, _at(1.0)),
    earlier("no-better", between(-0.02, 0.02), POINTS, _at(0.1),
            difference=True, comparator="plain-best"),
    found_here("relu-none-higher", at_most(0.5), PERCENT, HIGHER,
               part="higher", instead_of="relu-none"),
    found_here("tanh-none-works", at_least(WORKS), PERCENT, _at(0.3),
               part="low", instead_of="tanh-none-low"),
    found_here("tanh-batch-works", at_least(WORKS), PERCENT, _at(3.0),
               part="low", instead_of="tanh-batch-low"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    relu = accuracies_after(seed, RELU_KNOBS, STEPS)
    by_rate = {rate: accuracies_after(seed, {"learning_rate": rate}, STEPS) for rate in RATES}
    none, batch = ({rate: by_rate[rate][norm] for rate in RATES} for norm in ("none", "batch"))
    return {
        "relu-none": relu["none"],
        "relu-batch": relu["batch"],
        "tanh-none-low": min(none[rate] for rate in PLAIN_RATES),
        "tanh-batch-low": min(batch[rate] for rate in BATCH_RATES),
        "fail": max(none[10.0], batch[10.0]),
        "wider": _limit(seed, "batch", batch) / _limit(seed, "none", none),
        "no-better": max(batch.values()) - max(none.values()),
        "plain-best": max(none.values()),
    }


def measure_he(seed: int) -> ClaimValues:
    end = accuracies_after(seed, HE_KNOBS, STEPS)
    return {"relu-none-he": end["none"], "relu-batch-he": end["batch"]}


def measure_higher(seed: int) -> ClaimValues:
    end = accuracies_after(seed, {**HIGHER_KNOBS, "norms": ("none",)}, STEPS)
    return {"relu-none-higher": end["none"]}


def measure_low(seed: int) -> ClaimValues:
    none, batch = (
        min(
            accuracies_after(seed, {"learning_rate": rate, "norms": (norm,)}, STEPS)[norm]
            for rate in rates
        )
        for norm, rates in (("none", PLAIN_RATES), ("batch", BATCH_RATES))
    )
    return {"tanh-none-works": none, "tanh-batch-works": batch}


def largest_that_works(coarse: Mapping[float, bool], works: Callable[[float], bool]) -> float:
    """Largest rate that works, to within a factor of `FINE_STEP`, or NaN if no rate works.

    `coarse` maps the rates of a ladder to whether they work. `works` tries a rate between them.
    """
    largest = max((rate for rate, good in coarse.items() if good), default=math.nan)
    fails = min((rate for rate in coarse if rate > largest), default=largest)
    rate = largest * FINE_STEP
    # Skip a rate that equals the next, already failed, rate of the ladder up to rounding.
    while rate < fails / 1.01 and works(rate):
        largest, rate = rate, rate * FINE_STEP
    return largest


def _limit(seed: int, norm: str, accuracies: Mapping[float, float]) -> float:
    """Largest learning rate at which a network reaches an accuracy of `WORKS`."""

    def works(rate: float) -> bool:
        knobs = {"learning_rate": rate, "norms": (norm,)}
        return accuracies_after(seed, knobs, STEPS)[norm] >= WORKS

    return largest_that_works({rate: value >= WORKS for rate, value in accuracies.items()}, works)


CLAIM = Claim(
    STATEMENTS, measure, parts={"he": measure_he, "higher": measure_higher, "low": measure_low}
)
