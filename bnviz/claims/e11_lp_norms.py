"""E11: division by sizes other than the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import off
from bnviz.claims.runs import Networks, accuracies, accuracy, normal, snapshots
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    Expectation,
    KnobValues,
    Statement,
    at_least,
    at_most,
    between,
    calculated,
    found_here,
    in_lab,
    quoted,
)
from bnviz.norms.axes import batch_axes, by_feature, values_per_feature
from bnviz.norms.base import Norm
from bnviz.norms.batch import BatchNorm
from bnviz.norms.lp import LpNorm

NORMS = ("none", "batch", "l1", "linf")
# Rows of the drift probe: before the norm, and input of the nonlinearity.
BEFORE, AFTER = 0, 1

STEPS, STILL_STEPS = 600, 100
KNOBS: KnobValues = {"norms": NORMS}
SIGMOID_KNOBS: KnobValues = {**KNOBS, "depth": 3, "activation": "sigmoid"}
STILL_KNOBS: KnobValues = {**SIGMOID_KNOBS, "depth": 13, "learning_rate": 0.01}
TANH, SIGMOID = (in_lab(knobs, "drift", STEPS) for knobs in (KNOBS, SIGMOID_KNOBS))
STILL = in_lab(STILL_KNOBS, "drift", STILL_STEPS)
# Size of the random input on which p = 2 is compared with BN.
EXAMPLES, UNITS = 60, 20


def _elsewhere(norm: str, in_sigmoid: Expectation) -> tuple[Statement, ...]:
    """Return statements for two settings; the network without BN learns only in the first."""
    instead_of = f"{norm}-shift"
    return (
        found_here(f"{norm}-shift-sigmoid", in_sigmoid, TIMES, SIGMOID, part="sigmoid",
                   instead_of=instead_of, comparator="plain-learns-sigmoid"),
        found_here(f"{norm}-shift-still", at_least(1), TIMES, STILL, part="still",
                   instead_of=instead_of, comparator="plain-learns-still"),
    )  # fmt: skip


STATEMENTS = (
    quoted("l1", between(-0.02, 0.02), POINTS, TANH, difference=True, comparator="batch-learns"),
    quoted("linf", between(-0.02, 0.02), POINTS, TANH, difference=True, comparator="batch-learns"),
    quoted("l1-shift", at_least(1), TIMES, TANH, comparator="plain-learns"),
    found_here("l1-shift-after", at_most(1), TIMES, TANH,
               instead_of="l1-shift", comparator="batch-learns"),
    found_here("l1-shift-batch", at_least(1), TIMES, TANH,
               instead_of="l1-shift", comparator="batch-learns"),
    *_elsewhere("l1", at_most(1)),
    found_here("still-learns", at_least(0.5), PERCENT, STILL, part="still"),
    quoted("linf-shift", at_least(1), TIMES, TANH, comparator="plain-learns"),
    found_here("linf-shift-batch", at_least(2), TIMES, TANH,
               instead_of="linf-shift", comparator="batch-learns"),
    *_elsewhere("linf", at_least(1)),
    calculated("l2", at_most(1e-12), TIMES),
    calculated("l2-gradient", at_most(1e-12), TIMES),
    quoted("l2-shift", at_least(1), TIMES, TANH, comparator="plain-learns"),
    *_elsewhere("l2", at_most(1)),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    end = _end(seed, KNOBS, STEPS)
    reached, before, after = accuracies(end), _shifts(end, BEFORE), _shifts(end, AFTER)
    return {
        "l1": reached["l1"] - reached["batch"],
        "linf": reached["linf"] - reached["batch"],
        **_against_plain(end),
        "l1-shift-after": after["l1"] / after["batch"],
        "l1-shift-batch": before["l1"] / before["batch"],
        "linf-shift-batch": after["linf"] / after["batch"],
        "batch-learns": reached["batch"],
        **_measure_squares(seed),
    }


def measure_sigmoid(seed: int) -> ClaimValues:
    """Measure sigmoid networks in a setting in which the network without BN learns too."""
    return _against_plain(_end(seed, SIGMOID_KNOBS, STEPS), "-sigmoid")


def measure_still(seed: int) -> ClaimValues:
    """Measure deep sigmoid networks in a setting in which the network without BN does not learn."""
    end = _end(seed, STILL_KNOBS, STILL_STEPS)
    lowest = min(accuracy(end[norm]) for norm in NORMS[1:])
    return {**_against_plain(end, "-still"), "still-learns": lowest}


def _end(seed: int, knobs: KnobValues, steps: int) -> Networks:
    return snapshots(seed, knobs, (0, steps), "drift")[-1].networks


def _against_plain(end: Networks, setting: str = "") -> dict[str, float]:
    """Shift of the nonlinearity's input with each norm ÷ without BN. The norm for p = 2 is BN."""
    after = _shifts(end, AFTER)
    return {
        f"l1-shift{setting}": after["l1"] / after["none"],
        f"linf-shift{setting}": after["linf"] / after["none"],
        f"l2-shift{setting}": after["batch"] / after["none"],
        f"plain-learns{setting}": accuracy(end["none"]),
    }


def _shifts(end: Networks, row: int) -> ClaimValues:
    """Shift between step 0 and now (W₁ ÷ σ), averaged over the layers, by norm."""
    return {
        norm: float(record.probes["drift"]["w1_start"][row].mean()) for norm, record in end.items()
    }


class _L2Norm(LpNorm):
    """Norm for p = 2. It exists only for the comparison with BN and is not in `NORMS`."""

    name = label = "ℓ2"

    def _length(self, size: Tensor) -> Tensor:
        return size.square().mean(batch_axes(size)).sqrt()

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return size / by_feature(length, size) / values_per_feature(size)


def _measure_squares(seed: int) -> dict[str, float]:
    generator = random_numbers(seed, 11)
    x, g = (normal(generator, EXAMPLES, UNITS) for _ in range(2))

    def forward_and_backward(norm: Norm) -> tuple[Tensor, Tensor]:
        y, cache = norm.forward(x, training=True)
        return y, norm.backward(g, cache)

    y, dx = forward_and_backward(_L2Norm(UNITS, dtype=torch.float64))
    batch_y, batch_dx = forward_and_backward(BatchNorm(UNITS, dtype=torch.float64))
    return {"l2": off(y, batch_y), "l2-gradient": off(dx, batch_dx)}


CLAIM = Claim(STATEMENTS, measure, parts={"sigmoid": measure_sigmoid, "still": measure_still})
