"""E8: internal covariate shift as the change of gradients (Santurkar et al. 2018, Def. 2.1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from bnviz.claims.runs import accuracy, geometric_mean, snapshots
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.records import Snapshot

MEASURED_STEPS = (20, 50, 100, 200)


def _knobs(activation: str, depth: int, rate: float) -> KnobValues:
    init = "he" if activation == "relu" else "glorot"
    return {"activation": activation, "init": init, "depth": depth, "learning_rate": rate}


RELU, FAST_TANH = _knobs("relu", 3, 0.1), _knobs("tanh", 8, 0.1)
SLOW_RELU, SLOW_DEEP_RELU = _knobs("relu", 3, 0.01), _knobs("relu", 8, 0.01)
TANH, DEEP_TANH = _knobs("tanh", 3, 0.01), _knobs("tanh", 8, 0.01)

IN_RELU, IN_SLOW_DEEP_RELU, IN_TANH, IN_DEEP_TANH, IN_FAST_TANH = (
    in_lab(knobs, "ics", MEASURED_STEPS[-1])
    for knobs in (RELU, SLOW_DEEP_RELU, TANH, DEEP_TANH, FAST_TANH)
)

STATEMENTS = (
    quoted("raises-relu", at_least(1), TIMES, IN_RELU, comparator="plain-relu"),
    calculated("lowers-tanh", at_most(1), TIMES, IN_DEEP_TANH, comparator="plain-tanh"),
    earlier("cosine-tanh", at_most(0), watch=IN_DEEP_TANH, comparator="plain-tanh"),
    earlier("cosine-relu", at_least(0), watch=IN_RELU, comparator="plain-relu"),
    earlier("relative-tanh", between(2, 4), TIMES, IN_DEEP_TANH, comparator="plain-tanh"),
    earlier("angle-tanh", at_least(1.5), TIMES, IN_DEEP_TANH, comparator="plain-tanh"),
    earlier("relative-relu", at_most(0.7), TIMES, IN_RELU, comparator="plain-relu"),
    earlier("angle-relu", at_most(0.7), TIMES, IN_RELU, comparator="plain-relu"),
    found_here("raises-tanh", at_least(1), TIMES, IN_DEEP_TANH,
               part="elsewhere", instead_of="raises-relu", comparator="plain-tanh"),
    found_here("lowers-relu", at_most(1), TIMES, IN_RELU,
               part="elsewhere", instead_of="lowers-tanh", comparator="plain-relu"),
    found_here("slow-relu", at_most(1), TIMES, IN_SLOW_DEEP_RELU,
               part="elsewhere", comparator="plain-slow-relu"),
    found_here("slow-tanh", at_least(1), TIMES, IN_TANH,
               part="elsewhere", comparator="plain-slow-tanh"),
    found_here("depth", at_least(1.5), TIMES, IN_DEEP_TANH,
               part="elsewhere", comparator="plain-slow-tanh"),
    found_here("rate", at_most(0.7), TIMES, IN_FAST_TANH,
               part="elsewhere", comparator="plain-rates"),
)  # fmt: skip


class _Effect(NamedTuple):
    """Effect of BN on the gradients' shift: ratios with BN ÷ without BN, and a cosine difference.

    `change` is ‖G − G′‖₂, `relative` is ‖G − G′‖₂ ÷ ‖G‖₂, `plain` is the accuracy without BN.
    """

    change: float
    relative: float
    angle: float
    cosine: float
    plain: float


def measure(seed: int) -> ClaimValues:
    relu, tanh = _effect(seed, RELU), _effect(seed, DEEP_TANH)
    return {
        "raises-relu": relu.change,
        "lowers-tanh": tanh.change,
        "cosine-tanh": tanh.cosine,
        "cosine-relu": relu.cosine,
        "relative-tanh": tanh.relative,
        "angle-tanh": tanh.angle,
        "relative-relu": relu.relative,
        "angle-relu": relu.angle,
        "plain-relu": relu.plain,
        "plain-tanh": tanh.plain,
    }


def measure_elsewhere(seed: int) -> ClaimValues:
    relu, slow_relu, slow_deep_relu, tanh, deep_tanh, fast_tanh = (
        _effect(seed, knobs)
        for knobs in (RELU, SLOW_RELU, SLOW_DEEP_RELU, TANH, DEEP_TANH, FAST_TANH)
    )
    return {
        "raises-tanh": deep_tanh.change,
        "lowers-relu": relu.change,
        "slow-relu": max(slow_relu.change, slow_deep_relu.change),
        "slow-tanh": min(tanh.change, deep_tanh.change),
        "depth": deep_tanh.change / tanh.change,
        "rate": fast_tanh.change / deep_tanh.change,
        "plain-relu": relu.plain,
        "plain-tanh": deep_tanh.plain,
        "plain-slow-relu": min(slow_relu.plain, slow_deep_relu.plain),
        "plain-slow-tanh": min(tanh.plain, deep_tanh.plain),
        "plain-rates": min(deep_tanh.plain, fast_tanh.plain),
    }


def _effect(seed: int, knobs: KnobValues) -> _Effect:
    shots = snapshots(seed, knobs, MEASURED_STEPS, "ics")
    plain, batch = (_collected(shots, norm) for norm in ("none", "batch"))
    ratios = {
        name: geometric_mean(batch[name] / plain[name]) for name in ("change", "relative", "angle")
    }
    return _Effect(
        **ratios,
        cosine=float((batch["cosine"] - plain["cosine"]).mean()),
        plain=accuracy(shots[-1].networks["none"]),
    )


def _collected(shots: list[Snapshot], norm: str) -> dict[str, np.ndarray]:
    """Values of all watched steps and all layers except the first, whose gradient cannot shift."""
    probes = [shot.networks[norm].probes["ics"] for shot in shots]
    return {
        name: np.concatenate([probe[name][1:] for probe in probes]).astype(np.float64)
        for name in ("change", "relative", "angle", "cosine")
    }


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"elsewhere": measure_elsewhere},
    other_numbers={"steps": ", ".join(map(str, MEASURED_STEPS))},
)
