"""E13: the edge of stability (Cohen et al. 2021), and what it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from bnviz.claims.runs import accuracy, advance, normal, random_numbers
from bnviz.claims.statement import Claim, Statement, about, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.probes.lanczos import ends
from bnviz.probes.sharpness import hessian
from bnviz.records import NetworkRecord

PRODUCTS, TOLERANCE = 25, 5e-3
RISE = range(0, 1001, 100)
EARLIER_ON, LATE = range(500, 1001, 50), range(1000, 2001, 100)
WHOLE = range(0, 2001, 100)

FULL = "tanh 3×32, squared loss, circles, all 1,000 points in each step, no norm"
LAB = "tanh 6×100, cross-entropy, digits, batch 60"
EDGE = "ηλ/2, λ the largest eigenvalue of the loss Hessian"
COHEN, LEWKOWYCZ, EARLIER = "Cohen et al. 2021", "Lewkowycz et al. 2020", "earlier run"
MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
LADDER = ", ".join(str(multiple) for multiple in MULTIPLES)
CATAPULT_STEPS = 300
WORKS = "largest ηλ up to which the loss is finite and lower in the end"

STATEMENTS = (
    Statement(
        key="below",
        text="Full-batch training begins below the edge: λ < 2/η.",
        setting=f"{FULL}, rate 0.1, step 0",
        quantity=EDGE,
        expected=at_most(0.8),
        source=COHEN,
    ),
    Statement(
        key="rises",
        text="λ rises to 2/η.",
        setting=f"{FULL}, rate 0.1, steps 0 to 1,000",
        quantity=f"{EDGE}, highest",
        expected=about(1, 0.1),
        source=COHEN,
    ),
    Statement(
        key="hovers",
        text="There it hovers.",
        setting=f"{FULL}, rate 0.1, steps 1,000 to 2,000",
        quantity=f"{EDGE}, median",
        expected=about(1, 0.05),
        source=COHEN,
    ),
    Statement(
        key="hovers-higher",
        text="It does at twice the rate, at which it has arrived by then.",
        setting=f"{FULL}, rate 0.2, steps 500 to 1,000",
        quantity=f"{EDGE}, median",
        expected=about(1, 0.05),
        source="found here",
        instead_of="hovers",
    ),
    Statement(
        key="momentum",
        text="With heavy-ball momentum β it is 2(1 + β)/η to which λ rises.",
        setting=f"{FULL}, rate 0.3, β = 0.5, steps 1,000 to 2,000",
        quantity="ηλ/(2(1 + β)), highest",
        expected=about(1, 0.1),
        source=COHEN,
    ),
    Statement(
        key="momentum-lower",
        text="It is at a lower rate with less momentum, at which no seed diverges.",
        setting=f"{FULL}, rate 0.25, β = 0.3, steps 1,000 to 2,000",
        quantity="ηλ/(2(1 + β)), highest",
        expected=about(1, 0.1),
        source="found here",
        instead_of="momentum",
    ),
    Statement(
        key="catapult-tanh",
        text="Under tanh the highest rate that works is 2 to 4 divided by the λ of step 0.",
        setting=f"{FULL}; η = {LADDER} ÷ λ, {CATAPULT_STEPS} steps",
        quantity=WORKS,
        expected=between(2, 4),
        source=LEWKOWYCZ,
    ),
    Statement(
        key="catapult-relu",
        text="Under ReLU it can be higher, up to about 12 divided by λ.",
        setting=f"ReLU, He, otherwise the same; η = {LADDER} ÷ λ, {CATAPULT_STEPS} steps",
        quantity=WORKS,
        expected=between(4, 12),
        source=LEWKOWYCZ,
    ),
    Statement(
        key="falls",
        text="In mini-batch training of the plain network 2/λ falls to a third within 100 steps.",
        setting=f"{LAB}, rate 0.3",
        quantity="2/λ at step 100 ÷ 2/λ at step 0",
        expected=at_most(0.5),
        source=EARLIER,
    ),
    Statement(
        key="falls-small",
        text="It falls, and much further, from initial weights as small as torch's own; from "
        "Glorot's it rises.",
        setting=f"{LAB}, rate 0.3, initial σ 0.058",
        quantity="2/λ at step 100 ÷ 2/λ at step 0",
        expected=at_most(0.5),
        source="found here",
        instead_of="falls",
    ),
    Statement(
        key="beyond-plain",
        text="A plain network can train beyond its local edge: at step 0 its rate is above 2/λ, …",
        setting=f"{LAB}, rate 0.3, step 0",
        quantity=EDGE,
        expected=at_least(1),
        source=EARLIER,
    ),
    Statement(
        key="happily",
        text="… and it learns all the same.",
        setting=f"{LAB}, rate 0.3, step 300",
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
    ),
    Statement(
        key="beyond-batch",
        text="With BN the edge is no threshold of divergence: at step 0 the rate is above 2/λ, …",
        setting=f"{LAB}, BN, rate 1, step 0",
        quantity=EDGE,
        expected=at_least(1),
        source=EARLIER,
    ),
    Statement(
        key="learns",
        text="… and the network learns all the same.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity="accuracy",
        expected=at_least(0.9),
        source=EARLIER,
    ),
    Statement(
        key="grow",
        text="Its weights grow meanwhile.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity="smallest ‖W‖ of a hidden layer ÷ the same at step 0",
        expected=at_least(1.05),
        source=EARLIER,
    ),
    Statement(
        key="corrects",
        text="By then its edge lies above the rate again.",
        setting=f"{LAB}, BN, rate 1, step 300",
        quantity=EDGE,
        expected=at_most(1),
        source=EARLIER,
    ),
    Statement(
        key="scaled-back",
        text="The growth of the weights is the smaller part of that: with each hidden layer's "
        "weights scaled back to their first size the curvature is still far below its first.",
        setting=f"{LAB}, BN, rate 1, step 300, weights scaled back",
        quantity="λ ÷ λ of step 0",
        expected=at_most(0.5),
        source="found here",
    ),
    Statement(
        key="negative",
        text="With BN the Hessian's other end is as far from 0 at the start: λ_min ≈ −λ_max.",
        setting=f"{LAB}, BN, step 0",
        quantity="λ_min ÷ λ_max",
        expected=about(-1, 0.25),
        source=EARLIER,
    ),
    Statement(
        key="negative-later",
        text="Near the start only.",
        setting=f"{LAB}, BN, rate 0.3, step 100",
        quantity="λ_min ÷ λ_max",
        expected=at_least(-0.5),
        source=EARLIER,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    slow, late = _path(seed, WHOLE, rate=0.1), _path(seed, EARLIER_ON, rate=0.2)
    rise, later = slow[: len(RISE)], slow[len(RISE) - 1 :]
    heavy, lighter = (
        _path(seed, LATE, rate=rate, momentum=momentum)
        for rate, momentum in ((0.3, 0.5), (0.25, 0.3))
    )
    return {
        "below": rise[0],
        "rises": max(rise),
        "hovers": float(np.median(later)),
        "hovers-higher": float(np.median(late)),
        "momentum": max(heavy),
        "momentum-lower": max(lighter),
        "catapult-tanh": _largest_that_works(seed, activation="tanh"),
        "catapult-relu": _largest_that_works(seed, activation="relu", init="he"),
        **_in_the_lab(seed),
    }


def _full_batch(seed: int, **knobs: Any) -> Experiment:
    base = {"dataset": "circles", "loss": "squared", "batch_size": 1000, "norms": ("none",)}
    return Experiment(RunConfig(**{**base, "depth": 3, "width": 32, "seed": seed, **knobs}))


def _path(seed: int, steps: range, *, rate: float, momentum: float = 0.0) -> list[float]:
    """ηλ/(2(1 + β)) of the full-batch loss after each of `steps`."""
    experiment, found = _full_batch(seed, learning_rate=rate, momentum=momentum), []
    for step in steps:
        advance(experiment, step)
        found.append(rate * _largest(experiment, seed) / (2 * (1 + momentum)))
    return found


def _largest_that_works(seed: int, **knobs: Any) -> float:
    """The last of `MULTIPLES` ÷ λ of step 0 before the loss fails to fall, times λ; 0 if none."""
    largest = _largest(_full_batch(seed, **knobs), seed)
    works = 0.0
    for multiple in MULTIPLES:
        experiment = _full_batch(seed, learning_rate=multiple / largest, **knobs)
        start = experiment.snapshot(()).networks["none"].loss
        advance(experiment, CATAPULT_STEPS)
        if not experiment.snapshot(()).networks["none"].loss < start:
            break
        works = float(multiple)
    return works


def _largest(experiment: Experiment, seed: int) -> float:
    """The largest eigenvalue of the Hessian of the loss of the whole training set."""
    inputs = torch.from_numpy(experiment.data.train_inputs)
    labels = torch.from_numpy(experiment.data.train_labels)
    gradient, product = hessian(experiment.networks["none"], inputs, labels)
    noise = normal(random_numbers(seed, 13), len(gradient))
    start = gradient / gradient.norm() + 0.3 * (noise / noise.norm()).to(gradient.dtype)
    found = ends(product, start, most=PRODUCTS, least=6, tolerance=TOLERANCE, low_tolerance=1.0)
    return float(found.high)


def _in_the_lab(seed: int) -> dict[str, float]:
    low = Experiment(RunConfig(learning_rate=0.3, seed=seed))
    start = low.snapshot(("sharpness",)).networks
    advance(low, 100)
    later = low.snapshot(("sharpness",)).networks
    advance(low, 300)
    small = Experiment(
        RunConfig(norms=("none",), init="normal", init_std=0.058, learning_rate=0.3, seed=seed)
    )
    small_start = small.snapshot(("sharpness",)).networks["none"]
    advance(small, 100)
    small_later = small.snapshot(("sharpness",)).networks["none"]
    high = Experiment(RunConfig(norms=("batch",), learning_rate=1.0, seed=seed))
    high_start = high.snapshot(("weights",)).networks["batch"]
    advance(high, 300)
    high_later = high.snapshot(("sharpness", "weights")).networks["batch"]
    batch, network = start["batch"], high.networks["batch"]
    for index, growth in enumerate(_hidden_norms(high_later) / _hidden_norms(high_start), 1):
        network.parameters()[f"layer {index}.weight"].div_(float(growth))
    scaled_back = high.snapshot(("sharpness",)).networks["batch"]
    return {
        "falls": _lambda(start["none"]) / _lambda(later["none"]),
        "falls-small": _lambda(small_start) / _lambda(small_later),
        "beyond-plain": 0.3 * _lambda(start["none"]) / 2,
        "happily": accuracy(low.snapshot(()).networks["none"]),
        "beyond-batch": 1.0 * _lambda(batch) / 2,
        "learns": accuracy(high_later),
        "grow": float((_hidden_norms(high_later) / _hidden_norms(high_start)).min()),
        "corrects": 1.0 * _lambda(high_later) / 2,
        "scaled-back": _lambda(scaled_back) / _lambda(batch),
        "negative": _lambda(batch, "min") / _lambda(batch),
        "negative-later": _lambda(later["batch"], "min") / _lambda(later["batch"]),
    }


def _hidden_norms(record: NetworkRecord) -> np.ndarray:
    return np.asarray(record.probes["weights"]["norm"][:-1])


def _lambda(record: NetworkRecord, end: str = "max") -> float:
    return float(record.probes["sharpness"][f"lambda_{end}"])


CLAIM = Claim(
    STATEMENTS,
    measure,
    note="In the lab λ is that of 500 fixed training examples. 2/λ there is a local edge, of now.",
)
