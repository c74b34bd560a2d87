"""E11: divided by other averages than the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.claims.runs import accuracy, normal, play, random_numbers
from bnviz.claims.statement import Claim, Statement, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.norms.axes import batch_axes, by_feature, values_per_feature
from bnviz.norms.base import Norm
from bnviz.norms.batch import BatchNorm
from bnviz.norms.lp import LpNorm
from bnviz.records import Snapshot

STEPS = 300
NORMS = ("none", "batch", "l1", "linf")
# Rows of the drift probe.
BEFORE, AFTER = 0, 1

SETTING = f"tanh 6×100, rate 0.1, step {STEPS}"
STILL_STEPS = 100
STILL = f"sigmoid 13×100, rate 0.01, step {STILL_STEPS}, the plain network at chance"
EXAMPLES, UNITS = 60, 20
SQUARES = f"float64, random x and g, {EXAMPLES}×{UNITS}"
SHIFT = "W₁ ÷ σ between step 0 and now, mean of the layers"
SHIFTS_MORE = f"{SHIFT}, of what the nonlinearity gets, ÷ the same of the plain network"
PAPER, FOUND = "Santurkar et al. 2018", "found here"

STATEMENTS = (
    Statement(
        key="l1",
        text="Divided by the mean absolute value, a network trains about as well as with BN.",
        setting=SETTING,
        quantity="accuracy, less that of BN",
        expected=between(-0.02, 0.02),
        source=PAPER,
    ),
    Statement(
        key="linf",
        text="Divided by the largest absolute value, a network trains about as well as with BN.",
        setting=SETTING,
        quantity="accuracy, less that of BN",
        expected=between(-0.02, 0.02),
        source=PAPER,
    ),
    Statement(
        key="l1-shift",
        text="Under the mean absolute value distributions shift more than in the plain network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="l1-shift-after",
        text="Seen in its place: after the norm they shift less than with BN, …",
        setting=SETTING,
        quantity=f"{SHIFT}, of what the nonlinearity gets, ÷ the same with BN",
        expected=at_most(1),
        source=FOUND,
        instead_of="l1-shift",
    ),
    Statement(
        key="l1-shift-batch",
        text="… and before it a little more.",
        setting=SETTING,
        quantity=f"{SHIFT}, of W h, ÷ the same with BN",
        expected=at_least(1),
        source=FOUND,
        instead_of="l1-shift",
    ),
    Statement(
        key="l1-shift-still",
        text="They shift more than in a plain network that does not learn, and so hardly shifts; "
        "that says little of the norm.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        instead_of="l1-shift",
    ),
    Statement(
        key="l1-still-learns",
        text="All three norms learn there.",
        setting=STILL,
        quantity="lowest accuracy with BN, ℓ1 and ℓ∞",
        expected=at_least(0.5),
        source=FOUND,
    ),
    Statement(
        key="linf-shift",
        text="Under the largest absolute value distributions shift more than in the plain network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="linf-shift-batch",
        text="Seen in its place: they shift several times as far as with BN.",
        setting=SETTING,
        quantity=f"{SHIFT}, of what the nonlinearity gets, ÷ the same with BN",
        expected=at_least(2),
        source=FOUND,
        instead_of="linf-shift",
    ),
    Statement(
        key="linf-shift-still",
        text="They shift more than in a plain network that does not learn, and so hardly shifts.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        instead_of="linf-shift",
    ),
    Statement(
        key="l2",
        text="Divided by the root of the mean square (p = 2), the output is that of BN.",
        setting=SQUARES,
        quantity="largest difference ÷ largest output",
        expected=at_most(1e-12),
        source="calculation",
    ),
    Statement(
        key="l2-gradient",
        text="So is the gradient.",
        setting=SQUARES,
        quantity="largest difference ÷ largest gradient",
        expected=at_most(1e-12),
        source="calculation",
    ),
    Statement(
        key="l2-shift",
        text="Under p = 2, which is BN, distributions shift more than in the plain network.",
        setting=SETTING,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=PAPER,
    ),
    Statement(
        key="l2-shift-still",
        text="They shift more than in a plain network that does not learn, and so hardly shifts; "
        "that says little of the norm.",
        setting=STILL,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source=FOUND,
        instead_of="l2-shift",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    _, end = play(RunConfig(norms=NORMS, seed=seed), (0, STEPS), ("drift",))
    reached = {norm: accuracy(record) for norm, record in end.networks.items()}
    before, after = _shifts(end, BEFORE), _shifts(end, AFTER)
    deep = RunConfig(norms=NORMS, depth=13, activation="sigmoid", learning_rate=0.01, seed=seed)
    deep_end = play(deep, (0, STILL_STEPS), ("drift",))[-1]
    still = _shifts(deep_end, AFTER)
    return {
        "l1": reached["l1"] - reached["batch"],
        "linf": reached["linf"] - reached["batch"],
        "l1-shift": after["l1"] / after["none"],
        "l1-shift-after": after["l1"] / after["batch"],
        "l1-shift-batch": before["l1"] / before["batch"],
        "l1-shift-still": still["l1"] / still["none"],
        "l1-still-learns": min(accuracy(deep_end.networks[norm]) for norm in NORMS[1:]),
        "linf-shift": after["linf"] / after["none"],
        "linf-shift-batch": after["linf"] / after["batch"],
        "linf-shift-still": still["linf"] / still["none"],
        **_squares(seed),
        "l2-shift": after["batch"] / after["none"],
        "l2-shift-still": still["batch"] / still["none"],
    }


def _shifts(shot: Snapshot, row: int) -> dict[str, float]:
    """W₁ ÷ σ since step 0 of each network, mean of the layers."""
    return {
        norm: float(record.probes["drift"]["w1_start"][row].mean())
        for norm, record in shot.networks.items()
    }


class _L2Norm(LpNorm):
    """p = 2, for comparison alone: nobody would choose it beside batch normalization."""

    name = label = "ℓ2"

    def _length(self, size: Tensor) -> Tensor:
        return size.square().mean(batch_axes(size)).sqrt()

    def _length_gradient(self, size: Tensor, length: Tensor) -> Tensor:
        return size / by_feature(length, size) / values_per_feature(size)


def _squares(seed: int) -> dict[str, float]:
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
    note="How the paper fixes the mean can be read in two ways. Here values are centred, then "
    "divided; read so, p = 2 is BN.",
)
