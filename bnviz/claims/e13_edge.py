"""E13: the edge of stability (Cohen et al. 2021), and what it is not."""

from __future__ import annotations

from typing import Any

import numpy as np

from bnviz.claims.e13_full_batch import EDGE, PARTS, begin, watch
from bnviz.claims.e13_full_batch import STATEMENTS as FULL_BATCH
from bnviz.claims.e13_full_batch import measure as measure_full_batch
from bnviz.claims.runs import accuracy, advance
from bnviz.claims.statement import Claim, Statement, Watch, about, at_least, at_most
from bnviz.records import NetworkRecord

PAIR: dict[str, Any] = {"learning_rate": 0.3}
# The standard deviation of torch's own initial weights for 100 inputs, 1/√(3·100).
SMALL: dict[str, Any] = {**PAIR, "norms": ("none",), "init": "normal", "init_std": 0.058}
BATCH: dict[str, Any] = {"norms": ("batch",), "learning_rate": 1.0}

LAB = "tanh 6×100, cross-entropy, digits, batch 60"
FALLS = "2/λ at step 100 ÷ 2/λ at step 0"
EARLIER, FOUND = "earlier run", "found here"

STATEMENTS = (
    *FULL_BATCH,
    Statement(
        key="falls",
        text="In mini-batch training of the plain network 2/λ falls to less than half within "
        "100 steps.",
        setting=f"{LAB}, rate 0.3",
        quantity=FALLS,
        expected=at_most(0.5),
        source=EARLIER,
        watch=watch(PAIR, 100),
    ),
    Statement(
        key="falls-small",
        text="In mini-batch training of the plain network 2/λ falls to less than half within 100 "
        "steps from initial weights as small as torch’s own.",
        setting=f"{LAB}, rate 0.3, initial σ 0.058",
        quantity=FALLS,
        expected=at_most(0.5),
        source=FOUND,
        part="small",
        instead_of="falls",
        watch=watch(SMALL, 100),
    ),
    Statement(
        key="beyond-plain",
        text="A plain network can train beyond its local edge: at step 0 its rate is above 2/λ.",
        setting=f"{LAB}, rate 0.3, step 0",
        quantity=EDGE,
        expected=at_least(1),
        source=EARLIER,
        watch=watch(PAIR, 0),
    ),
    Statement(
        key="happily",
        text="The plain network whose rate was above 2/λ at step 0 learns all the same.",
        setting=f"{LAB}, rate 0.3, step 300",
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
        watch=watch(PAIR, 300),
    ),
    Statement(
        key="beyond-batch",
        text="With BN the edge is no threshold of divergence: at step 0 the rate is above 2/λ.",
        lead="A learning rate above 2/λ of step 0 can train: with BN one several times above it "
        "(λ: largest curvature).",
        setting=f"{LAB}, BN, rate 1, step 0",
        quantity=EDGE,
        expected=at_least(1),
        source=EARLIER,
        watch=watch(BATCH, 0),
    ),
    Statement(
        key="learns",
        text="The network with BN whose rate was above 2/λ at step 0 learns all the same.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
        watch=watch(BATCH, 300),
    ),
    Statement(
        key="grow",
        text="The weights before BN grow meanwhile.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity="smallest ‖W‖ of a hidden layer ÷ the same at step 0",
        expected=at_least(1.05),
        source=EARLIER,
        watch=Watch(BATCH, ("weights",), 300),
    ),
    Statement(
        key="corrects",
        text="After 300 steps with BN the edge lies above the rate again.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity=EDGE,
        expected=at_most(1),
        source=EARLIER,
        watch=watch(BATCH, 300),
    ),
    Statement(
        key="scaled-back",
        text="The growth of the weights is the smaller part of why λ falls under BN: with each "
        "hidden layer’s weights scaled back to their first size it is still far below its first.",
        setting=f"{LAB}, BN, rate 1, step 300, weights scaled back",
        quantity="λ ÷ λ of step 0",
        expected=at_most(0.5),
        source=FOUND,
        part="scaled-back",
        watch="The lab cannot scale weights back.",
    ),
    Statement(
        key="negative",
        text="With BN the Hessian’s other end is as far from 0 at the start: λ_min ≈ −λ_max.",
        setting=f"{LAB}, BN, step 0",
        quantity="λ_min ÷ λ_max",
        expected=about(-1, 0.25),
        source=EARLIER,
        watch=watch(PAIR, 0),
    ),
    Statement(
        key="negative-later",
        text="Under BN λ_min ≈ −λ_max holds near the start only.",
        setting=f"{LAB}, BN, rate 0.3, step 100",
        quantity="λ_min ÷ λ_max",
        expected=at_least(-0.5),
        source=EARLIER,
        watch=watch(PAIR, 100),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    return {**measure_full_batch(seed), **_pair(seed), **_batch(seed)}


def measure_small(seed: int) -> dict[str, float]:
    """The lab's plain network from smaller initial weights."""
    experiment = begin(seed, SMALL)
    start = experiment.snapshot(("sharpness",)).networks["none"]
    advance(experiment, 100)
    later = experiment.snapshot(("sharpness",)).networks["none"]
    return {"falls-small": _lambda(start) / _lambda(later)}


def measure_scaled_back(seed: int) -> dict[str, float]:
    """The curvature of a trained network with BN whose weights have their first size again."""
    experiment = begin(seed, BATCH)
    start = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    advance(experiment, 300)
    later, network = experiment.snapshot(("weights",)), experiment.networks["batch"]
    growth = _hidden_norms(later.networks["batch"]) / _hidden_norms(start)
    for index, factor in enumerate(growth, 1):
        network.parameters()[f"layer {index}.weight"].div_(float(factor))
    scaled_back = experiment.snapshot(("sharpness",)).networks["batch"]
    return {"scaled-back": _lambda(scaled_back) / _lambda(start)}


def _pair(seed: int) -> dict[str, float]:
    """Both networks of the lab at rate 0.3."""
    experiment = begin(seed, PAIR)
    start = experiment.snapshot(("sharpness",)).networks
    advance(experiment, 100)
    later = experiment.snapshot(("sharpness",)).networks
    advance(experiment, 300)
    end = experiment.snapshot(()).networks
    return {
        "falls": _lambda(start["none"]) / _lambda(later["none"]),
        "beyond-plain": PAIR["learning_rate"] * _lambda(start["none"]) / 2,
        "happily": accuracy(end["none"]),
        "negative": _lambda(start["batch"], "min") / _lambda(start["batch"]),
        "negative-later": _lambda(later["batch"], "min") / _lambda(later["batch"]),
    }


def _batch(seed: int) -> dict[str, float]:
    """The lab's network with BN at rate 1."""
    experiment = begin(seed, BATCH)
    start = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    advance(experiment, 300)
    later = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    return {
        "beyond-batch": BATCH["learning_rate"] * _lambda(start) / 2,
        "learns": accuracy(later),
        "grow": float((_hidden_norms(later) / _hidden_norms(start)).min()),
        "corrects": BATCH["learning_rate"] * _lambda(later) / 2,
    }


def _hidden_norms(record: NetworkRecord) -> np.ndarray:
    return np.asarray(record.probes["weights"]["norm"][:-1])


def _lambda(record: NetworkRecord, end: str = "max") -> float:
    return float(record.probes["sharpness"][f"lambda_{end}"])


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="In the lab λ is that of 500 fixed training examples. 2/λ there is a local edge, of now. "
    "In the earlier run 2/λ of the plain network fell to a third: from 0.68 at step 0 to 0.21 at "
    "step 100.",
    parts={
        **PARTS,
        "small": measure_small,
        "scaled-back": measure_scaled_back,
    },
)
