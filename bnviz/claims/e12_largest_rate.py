"""E12: the largest learning rate that still works (Bjorck et al. 2018)."""

from __future__ import annotations

import math

from bnviz.claims.runs import accuracy, play
from bnviz.claims.statement import Claim, Statement, at_most, between
from bnviz.config import RunConfig

RATES = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
STEPS = 600
WORKS = 0.9
PLAIN_RATES, BATCH_RATES = (0.03, 0.1, 0.3), (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)

RELU = f"ReLU 3×100, rate 1, step {STEPS}"
TANH = f"tanh 6×100, step {STEPS}"
LADDER = f"{TANH}, rates 0.01, 0.03, 0.1, 0.3, 1, 3, 10"
EARLIER = "earlier run"

STATEMENTS = (
    Statement(
        key="relu-none",
        text="At rate 1 a plain ReLU network fails.",
        setting=RELU,
        quantity="accuracy",
        expected=at_most(0.5),
        source="Bjorck et al. 2018",
    ),
    Statement(
        key="relu-none-he",
        text="It does at He's initial weights, which are larger.",
        setting=f"{RELU}, He",
        quantity="accuracy",
        expected=at_most(0.5),
        source="found here",
        instead_of="relu-none",
    ),
    Statement(
        key="relu-batch-he",
        text="There the network with BN learns.",
        setting=f"{RELU}, He",
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source="found here",
    ),
    Statement(
        key="relu-batch",
        text="With BN it learns.",
        setting=RELU,
        quantity="accuracy",
        expected=between(0.97, 0.99),
        source=EARLIER,
    ),
    Statement(
        key="tanh-none-low",
        text="The plain tanh network trains well at every rate from 0.03 to 0.3: the worst.",
        setting=TANH,
        quantity="lowest accuracy of these rates",
        expected=between(0.96, 0.98),
        source=EARLIER,
    ),
    Statement(
        key="tanh-batch-low",
        text="With BN it trains well at every rate from 0.01 to 3: the worst.",
        setting=TANH,
        quantity="lowest accuracy of these rates",
        expected=between(0.95, 0.98),
        source=EARLIER,
    ),
    Statement(
        key="fail",
        text="At rate 10 both fail.",
        setting=TANH,
        quantity="higher accuracy of the two",
        expected=at_most(0.5),
        source=EARLIER,
    ),
    Statement(
        key="wider",
        text="BN widens the usable range upwards about tenfold: its largest rate that works is "
        "about ten times that of the plain network.",
        setting=f"{LADDER}; works: accuracy of at least {WORKS:g}",
        quantity="largest rate that works, BN ÷ plain",
        expected=between(3, 30),
        source=EARLIER,
    ),
    Statement(
        key="no-better",
        text="It hardly raises the accuracy: each at its best rate, the two are within 0.02.",
        setting=LADDER,
        quantity="best accuracy, BN less plain",
        expected=between(-0.02, 0.02),
        source=EARLIER,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    config = RunConfig(depth=3, activation="relu", learning_rate=1.0, seed=seed)
    relu, he = _accuracies(config), _accuracies(config.replace(init="he"))
    found = {rate: _accuracies(RunConfig(learning_rate=rate, seed=seed)) for rate in RATES}
    largest = {
        norm: max((rate for rate in RATES if found[rate][norm] >= WORKS), default=math.nan)
        for norm in ("none", "batch")
    }
    best = {norm: max(found[rate][norm] for rate in RATES) for norm in ("none", "batch")}
    return {
        "relu-none": relu["none"],
        "relu-none-he": he["none"],
        "relu-batch-he": he["batch"],
        "relu-batch": relu["batch"],
        "tanh-none-low": min(found[rate]["none"] for rate in PLAIN_RATES),
        "tanh-batch-low": min(found[rate]["batch"] for rate in BATCH_RATES),
        "fail": max(found[10.0].values()),
        "wider": largest["batch"] / largest["none"],
        "no-better": best["batch"] - best["none"],
    }


def _accuracies(config: RunConfig) -> dict[str, float]:
    (shot,) = play(config, (STEPS,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(STATEMENTS, measure)
