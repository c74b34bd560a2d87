"""E11: divided by other averages than the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracy, normal, play
from bnviz.claims.statement import Claim, Kind, Statement, Unit, at_least, at_most, between, in_lab
from bnviz.config import RunConfig
from bnviz.norms.axes import batch_axes, by_feature, values_per_feature
from bnviz.norms.base import Norm
from bnviz.norms.batch import BatchNorm
from bnviz.norms.lp import LpNorm
from bnviz.records import NetworkRecord

NORMS = ("none", "batch", "l1", "linf")
# Rows of the drift probe.
BEFORE, AFTER = 0, 1

STEPS, STILL_STEPS = 600, 100
KNOBS: dict[str, Any] = {"norms": NORMS}
SIGMOID_KNOBS: dict[str, Any] = {**KNOBS, "depth": 3, "activation": "sigmoid"}
STILL_KNOBS: dict[str, Any] = {
    **KNOBS, "depth": 13, "activation": "sigmoid", "learning_rate": 0.01,
}  # fmt: skip
WATCH, WATCH_SIGMOID = (in_lab(knobs, ("drift",), STEPS) for knobs in (KNOBS, SIGMOID_KNOBS))
WATCH_STILL = in_lab(STILL_KNOBS, ("drift",), STILL_STEPS)
# Of the numbers on which p = 2 is compared with BN.
EXAMPLES, UNITS = 60, 20

STATEMENTS = (
    Statement(
        key="l1",
        expected=between(-0.02, 0.02),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="batch-learns",
        watch=WATCH,
    ),
    Statement(
        key="linf",
        expected=between(-0.02, 0.02),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="batch-learns",
        watch=WATCH,
    ),
    Statement(
        key="l1-shift",
        expected=at_least(1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-learns",
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-after",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        instead_of="l1-shift",
        comparator="batch-learns",
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-batch",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        instead_of="l1-shift",
        comparator="batch-learns",
        watch=WATCH,
    ),
    Statement(
        key="l1-shift-sigmoid",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="sigmoid",
        instead_of="l1-shift",
        comparator="plain-learns-sigmoid",
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="l1-shift-still",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="still",
        instead_of="l1-shift",
        comparator="plain-learns-still",
        watch=WATCH_STILL,
    ),
    Statement(
        key="still-learns",
        expected=at_least(0.5),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="still",
        watch=WATCH_STILL,
    ),
    Statement(
        key="linf-shift",
        expected=at_least(1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-learns",
        watch=WATCH,
    ),
    Statement(
        key="linf-shift-batch",
        expected=at_least(2),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        instead_of="linf-shift",
        comparator="batch-learns",
        watch=WATCH,
    ),
    Statement(
        key="linf-shift-sigmoid",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="sigmoid",
        instead_of="linf-shift",
        comparator="plain-learns-sigmoid",
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="linf-shift-still",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="still",
        instead_of="linf-shift",
        comparator="plain-learns-still",
        watch=WATCH_STILL,
    ),
    Statement(key="l2", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(key="l2-gradient", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(
        key="l2-shift",
        expected=at_least(1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        comparator="plain-learns",
        watch=WATCH,
    ),
    Statement(
        key="l2-shift-sigmoid",
        expected=at_most(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="sigmoid",
        instead_of="l2-shift",
        comparator="plain-learns-sigmoid",
        watch=WATCH_SIGMOID,
    ),
    Statement(
        key="l2-shift-still",
        expected=at_least(1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="still",
        instead_of="l2-shift",
        comparator="plain-learns-still",
        watch=WATCH_STILL,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement of the tanh networks and of p = 2."""
    end = _end(seed, KNOBS, STEPS)
    reached = {norm: accuracy(record) for norm, record in end.items()}
    before, after = _shifts(end, BEFORE), _shifts(end, AFTER)
    return {
        "l1": reached["l1"] - reached["batch"],
        "linf": reached["linf"] - reached["batch"],
        "l1-shift": after["l1"] / after["none"],
        "l1-shift-after": after["l1"] / after["batch"],
        "l1-shift-batch": before["l1"] / before["batch"],
        "linf-shift": after["linf"] / after["none"],
        "linf-shift-batch": after["linf"] / after["batch"],
        "l2-shift": after["batch"] / after["none"],
        "batch-learns": reached["batch"],
        "plain-learns": reached["none"],
        **_measure_squares(seed),
    }


def measure_sigmoid(seed: int) -> dict[str, float]:
    """Sigmoid networks of which the plain one learns too."""
    return _against_plain(_end(seed, SIGMOID_KNOBS, STEPS), "sigmoid")


def measure_still(seed: int) -> dict[str, float]:
    """Deep sigmoid networks, of which the plain one does not learn."""
    end = _end(seed, STILL_KNOBS, STILL_STEPS)
    lowest = min(accuracy(end[norm]) for norm in NORMS[1:])
    return {**_against_plain(end, "still"), "still-learns": lowest}


def _end(seed: int, knobs: Mapping[str, Any], steps: int) -> dict[str, NetworkRecord]:
    return play(RunConfig(**knobs, seed=seed), (0, steps), ("drift",))[-1].networks


def _against_plain(end: Mapping[str, NetworkRecord], setting: str) -> dict[str, float]:
    """The shift of what the nonlinearity gets, of each norm ÷ the plain network; BN is p = 2."""
    after = _shifts(end, AFTER)
    return {
        f"l1-shift-{setting}": after["l1"] / after["none"],
        f"linf-shift-{setting}": after["linf"] / after["none"],
        f"l2-shift-{setting}": after["batch"] / after["none"],
        f"plain-learns-{setting}": accuracy(end["none"]),
    }


def _shifts(end: Mapping[str, NetworkRecord], row: int) -> dict[str, float]:
    """The shift, W₁ ÷ σ between step 0 and now, of each network: mean of the layers."""
    return {
        norm: float(record.probes["drift"]["w1_start"][row].mean()) for norm, record in end.items()
    }


class _L2Norm(LpNorm):
    """p = 2. It is made for the comparison with BN alone, and is not in `NORMS`."""

    name = label = "ℓ2"

    def _length(self, size: Tensor) -> Tensor:
        return size.square().mean(batch_axes(size)).sqrt()

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return size / by_feature(length, size) / values_per_feature(size)


def _measure_squares(seed: int) -> dict[str, float]:
    """How far p = 2 is from BN: outputs and gradients."""
    generator = random_numbers(seed, 11)
    x, g = (normal(generator, EXAMPLES, UNITS) for _ in range(2))
    outcomes: list[tuple[Tensor, Tensor]] = []
    norms: tuple[Norm, ...] = (
        _L2Norm(UNITS, dtype=torch.float64), BatchNorm(UNITS, dtype=torch.float64),
    )  # fmt: skip
    for norm in norms:
        y, cache = norm.forward(x, training=True)
        outcomes.append((y, norm.backward(g, cache)))
    (y, dx), (batch_y, batch_dx) = outcomes
    return {
        "l2": float((y - batch_y).abs().max() / batch_y.abs().max()),
        "l2-gradient": float((dx - batch_dx).abs().max() / batch_dx.abs().max()),
    }


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"sigmoid": measure_sigmoid, "still": measure_still},
    numbers={"steps": STEPS, "still_steps": STILL_STEPS, "examples": EXAMPLES, "units": UNITS},
)
