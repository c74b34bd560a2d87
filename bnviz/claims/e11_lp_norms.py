"""E11: divided by other averages than the standard deviation (Santurkar et al. 2018)."""

from __future__ import annotations

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Statement, at_least, between
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

STEPS = 600
NORMS = ("none", "batch", "l1", "linf")
# Rows of the drift probe.
BEFORE, AFTER = 0, 1

SETTING = f"tanh 6×100, rate 0.1, step {STEPS}"
SLOW = "sigmoid 3×100, rate 0.1, step 300"
SHIFT = "W₁ ÷ σ between step 0 and now, mean of the layers"
SHIFTS_MORE = f"{SHIFT}, of what the nonlinearity gets, ÷ the same of the plain network"
PAPER = "Santurkar et al. 2018"

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
        key="l1-shift-batch",
        text="Seen in its place: they shift more than with BN, before the norm.",
        setting=SETTING,
        quantity=f"{SHIFT}, of W h, ÷ the same with BN",
        expected=at_least(1),
        source="found here",
        instead_of="l1-shift",
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
        source="found here",
        instead_of="linf-shift",
    ),
    Statement(
        key="linf-shift-sigmoid",
        text="They shift more than in a plain network that has hardly begun to learn.",
        setting=SLOW,
        quantity=SHIFTS_MORE,
        expected=at_least(1),
        source="found here",
        instead_of="linf-shift",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    _, end = play(RunConfig(norms=NORMS, seed=seed), (0, STEPS), ("drift",))
    slow = RunConfig(norms=("none", "linf"), depth=3, activation="sigmoid", seed=seed)
    slowly = {
        norm: _shift(record, AFTER)
        for norm, record in play(slow, (0, 300), ("drift",))[-1].networks.items()
    }
    reached = {norm: accuracy(record) for norm, record in end.networks.items()}
    before, after = (
        {norm: _shift(record, row) for norm, record in end.networks.items()}
        for row in (BEFORE, AFTER)
    )
    return {
        "l1": reached["l1"] - reached["batch"],
        "linf": reached["linf"] - reached["batch"],
        "l1-shift": after["l1"] / after["none"],
        "l1-shift-batch": before["l1"] / before["batch"],
        "linf-shift": after["linf"] / after["none"],
        "linf-shift-batch": after["linf"] / after["batch"],
        "linf-shift-sigmoid": slowly["linf"] / slowly["none"],
    }


def _shift(record: NetworkRecord, row: int) -> float:
    return float(record.probes["drift"]["w1_start"][row].mean())


CLAIM = Claim(STATEMENTS, measure)
