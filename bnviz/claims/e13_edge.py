"""E13: the edge of stability (Cohen et al. 2021), and what it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracy, advance, normal
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    Watch,
    about,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.pieces import run_to_end
from bnviz.probes.lanczos import ends_in_pieces
from bnviz.probes.sharpness import hessian
from bnviz.records import NetworkRecord

PRODUCTS, TOLERANCE = 25, 5e-3
RISE, LATE, WHOLE = range(0, 1001, 100), range(1000, 2001, 100), range(0, 2001, 100)

Knobs = Mapping[str, Any]
FULL_KNOBS: dict[str, Any] = {
    "dataset": "circles", "loss": "squared", "batch_size": 1000, "norms": ("none",), "depth": 3,
    "width": 32,
}  # fmt: skip
SLOW: dict[str, Any] = {**FULL_KNOBS, "learning_rate": 0.1}
HIGHER: dict[str, Any] = {**FULL_KNOBS, "learning_rate": 0.2}
HEAVY: dict[str, Any] = {**FULL_KNOBS, "learning_rate": 0.3, "momentum": 0.5}
LIGHTER: dict[str, Any] = {**FULL_KNOBS, "learning_rate": 0.25, "momentum": 0.3}
RELU: dict[str, Any] = {**FULL_KNOBS, "activation": "relu", "init": "he"}

MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
CATAPULT_STEPS = 300

PAIR: dict[str, Any] = {"learning_rate": 0.3}
# The standard deviation of torch's own initial weights for 100 inputs, 1/√(3·100).
SMALL: dict[str, Any] = {**PAIR, "norms": ("none",), "init": "normal", "init_std": 0.058}
BATCH: dict[str, Any] = {"norms": ("batch",), "learning_rate": 1.0}


def _watch(knobs: Knobs, step: int) -> Watch:
    """At one step, in the chart of the sharpness."""
    return in_lab(knobs, ("sharpness",), step)


STATEMENTS = (
    Statement(
        key="below", expected=at_most(0.8), kind=Kind.PAPER, unit=Unit.TIMES, watch=_watch(SLOW, 0)
    ),
    Statement(
        key="rises",
        expected=about(1, 0.1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=_watch(SLOW, 1000),
    ),
    Statement(
        key="hovers",
        expected=about(1, 0.05),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=_watch(SLOW, 2000),
    ),
    Statement(
        key="hovers-higher",
        expected=about(1, 0.05),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="higher",
        instead_of="hovers",
        watch=_watch(HIGHER, 2000),
    ),
    Statement(
        key="momentum",
        expected=about(1, 0.1),
        kind=Kind.PAPER,
        unit=Unit.TIMES,
        watch=_watch(HEAVY, 2000),
    ),
    Statement(
        key="momentum-lower",
        expected=about(1, 0.1),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="lighter",
        instead_of="momentum",
        watch=_watch(LIGHTER, 2000),
    ),
    Statement(key="catapult-tanh", expected=between(2, 4), kind=Kind.PAPER),
    Statement(key="catapult-relu", expected=between(4, 12), kind=Kind.PAPER),
    Statement(
        key="falls",
        expected=at_most(0.5),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(PAIR, 100),
    ),
    Statement(
        key="falls-small",
        expected=at_most(0.5),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="small",
        instead_of="falls",
        watch=_watch(SMALL, 100),
    ),
    Statement(
        key="beyond-plain",
        expected=at_least(1),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(PAIR, 0),
    ),
    Statement(
        key="happily",
        expected=at_least(0.9),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_watch(PAIR, 300),
    ),
    Statement(
        key="beyond-batch",
        expected=at_least(1),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(BATCH, 0),
    ),
    Statement(
        key="learns",
        expected=at_least(0.9),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_watch(BATCH, 300),
    ),
    Statement(
        key="grow",
        expected=at_least(1.05),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=in_lab(BATCH, ("weights",), 300),
    ),
    Statement(
        key="corrects",
        expected=at_most(1),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(BATCH, 300),
    ),
    Statement(
        key="scaled-back",
        expected=at_most(0.5),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="scaled-back",
    ),
    Statement(
        key="negative",
        expected=about(-1, 0.25),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(PAIR, 0),
    ),
    Statement(
        key="negative-later",
        expected=at_least(-0.5),
        kind=Kind.EARLIER,
        unit=Unit.TIMES,
        watch=_watch(PAIR, 100),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    return {**_full_batch(seed), **_pair(seed), **_batch(seed)}


def _begin(seed: int, knobs: Knobs) -> Experiment:
    """An experiment at step 0."""
    return Experiment(RunConfig(**knobs, seed=seed))


def _full_batch(seed: int) -> dict[str, float]:
    """Full-batch training, in which λ rises to the edge of stability."""
    path = _path(seed, SLOW, WHOLE)
    rise, later = path[: len(RISE)], path[len(RISE) - 1 :]
    return {
        "below": rise[0],
        "rises": max(rise),
        "hovers": float(np.median(later)),
        "momentum": max(_path(seed, HEAVY, LATE)),
        "catapult-tanh": _largest_that_works(seed, FULL_KNOBS),
        "catapult-relu": _largest_that_works(seed, RELU),
    }


def measure_higher(seed: int) -> dict[str, float]:
    """Full-batch training at twice the rate."""
    return {"hovers-higher": float(np.median(_path(seed, HIGHER, LATE)))}


def measure_lighter(seed: int) -> dict[str, float]:
    """Full-batch training with less momentum."""
    return {"momentum-lower": max(_path(seed, LIGHTER, LATE))}


def _path(seed: int, knobs: Knobs, steps: range) -> list[float]:
    """ηλ/(2(1 + β)) of the full-batch loss after each of `steps`."""
    experiment, found = _begin(seed, knobs), []
    config = experiment.config
    for step in steps:
        advance(experiment, step)
        curvature = _largest(experiment, seed)
        found.append(config.learning_rate * curvature / (2 * (1 + config.momentum)))
    return found


def _largest_that_works(seed: int, knobs: Knobs) -> float:
    """The last of `MULTIPLES` ÷ λ of step 0 before the loss fails to fall, times λ; 0 if none."""
    largest = _largest(_begin(seed, knobs), seed)
    works = 0.0
    for multiple in MULTIPLES:
        experiment = _begin(seed, {**knobs, "learning_rate": multiple / largest})
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
    found = run_to_end(
        ends_in_pieces(
            product, start, most=PRODUCTS, least=6, tolerance=TOLERANCE, low_tolerance=1.0
        )
    )
    return float(found.high)


def _pair(seed: int) -> dict[str, float]:
    """Both networks of the lab at rate 0.3."""
    experiment = _begin(seed, PAIR)
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
    experiment = _begin(seed, BATCH)
    start = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    advance(experiment, 300)
    later = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    return {
        "beyond-batch": BATCH["learning_rate"] * _lambda(start) / 2,
        "learns": accuracy(later),
        "grow": float((_hidden_norms(later) / _hidden_norms(start)).min()),
        "corrects": BATCH["learning_rate"] * _lambda(later) / 2,
    }


def measure_small(seed: int) -> dict[str, float]:
    """The lab's plain network from smaller initial weights."""
    experiment = _begin(seed, SMALL)
    start = experiment.snapshot(("sharpness",)).networks["none"]
    advance(experiment, 100)
    later = experiment.snapshot(("sharpness",)).networks["none"]
    return {"falls-small": _lambda(start) / _lambda(later)}


def measure_scaled_back(seed: int) -> dict[str, float]:
    """The curvature of a trained network with BN whose weights have their first size again."""
    experiment = _begin(seed, BATCH)
    start = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    advance(experiment, 300)
    later, network = experiment.snapshot(("weights",)), experiment.networks["batch"]
    growth = _hidden_norms(later.networks["batch"]) / _hidden_norms(start)
    for index, factor in enumerate(growth, 1):
        network.parameters()[f"layer {index}.weight"].div_(float(factor))
    scaled_back = experiment.snapshot(("sharpness",)).networks["batch"]
    return {"scaled-back": _lambda(scaled_back) / _lambda(start)}


def _hidden_norms(record: NetworkRecord) -> np.ndarray:
    return np.asarray(record.probes["weights"]["norm"][:-1])


def _lambda(record: NetworkRecord, end: str = "max") -> float:
    return float(record.probes["sharpness"][f"lambda_{end}"])


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={
        "higher": measure_higher,
        "lighter": measure_lighter,
        "small": measure_small,
        "scaled-back": measure_scaled_back,
    },
    numbers={"catapult_steps": CATAPULT_STEPS},
)
