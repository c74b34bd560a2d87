"""E13: the edge of stability (Cohen et al. 2021), and what it is not."""

from __future__ import annotations

import numpy as np
import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import TORCH_INIT, accuracies_after, accuracy, begin, normal, snapshots
from bnviz.claims.statement import (
    PERCENT,
    TIMES,
    Claim,
    Knobs,
    Values,
    Watch,
    about,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.experiment import Experiment
from bnviz.pieces import run_to_end
from bnviz.probes.lanczos import ends_in_pieces
from bnviz.probes.sharpness import hessian
from bnviz.records import NetworkRecord

PRODUCTS, TOLERANCE = 25, 5e-3
RISE, LATE, WHOLE = range(0, 1001, 100), range(1000, 2001, 100), range(0, 2001, 100)
MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
CATAPULT_STEPS = 300

FULL: Knobs = {
    "dataset": "circles", "loss": "squared", "batch_size": 1000, "norms": ("none",), "depth": 3,
    "width": 32,
}  # fmt: skip
RELU: Knobs = {**FULL, "activation": "relu", "init": "he"}
SLOW: Knobs = {**FULL, "learning_rate": 0.1}
HIGHER: Knobs = {**FULL, "learning_rate": 0.2}
HEAVY: Knobs = {**FULL, "learning_rate": 0.3, "momentum": 0.5}
LIGHTER: Knobs = {**FULL, "learning_rate": 0.25, "momentum": 0.3}

PAIR: Knobs = {"learning_rate": 0.3}
SMALL: Knobs = {**PAIR, "norms": ("none",), **TORCH_INIT}
BATCH: Knobs = {"norms": ("batch",), "learning_rate": 1.0}


def _seen(knobs: Knobs, step: int) -> Watch:
    """At one step, in the chart of the sharpness."""
    return in_lab(knobs, "sharpness", step)


STATEMENTS = (
    quoted("below", at_most(0.8), TIMES, _seen(SLOW, 0)),
    quoted("rises", about(1, 0.1), TIMES, _seen(SLOW, 1000)),
    quoted("hovers", about(1, 0.05), TIMES, _seen(SLOW, 2000)),
    found_here("hovers-higher", about(1, 0.05), TIMES, _seen(HIGHER, 2000),
               part="higher", instead_of="hovers"),
    quoted("momentum", about(1, 0.1), TIMES, _seen(HEAVY, 2000)),
    found_here("momentum-lower", about(1, 0.1), TIMES, _seen(LIGHTER, 2000),
               part="lighter", instead_of="momentum"),
    quoted("catapult-tanh", between(2, 4)),
    quoted("catapult-relu", between(4, 12)),
    earlier("falls", at_most(0.5), TIMES, _seen(PAIR, 100)),
    found_here("falls-small", at_most(0.5), TIMES, _seen(SMALL, 100),
               part="small", instead_of="falls"),
    earlier("beyond-plain", at_least(1), TIMES, _seen(PAIR, 0)),
    earlier("happily", at_least(0.9), PERCENT, _seen(PAIR, 300)),
    earlier("beyond-batch", at_least(1), TIMES, _seen(BATCH, 0)),
    earlier("learns", at_least(0.9), PERCENT, _seen(BATCH, 300)),
    earlier("grow", at_least(1.05), TIMES, in_lab(BATCH, "weights", 300)),
    earlier("corrects", at_most(1), TIMES, _seen(BATCH, 300)),
    found_here("scaled-back", at_most(0.5), TIMES, part="scaled-back"),
    earlier("negative", about(-1, 0.25), TIMES, _seen(PAIR, 0)),
    earlier("negative-later", at_least(-0.5), TIMES, _seen(PAIR, 100)),
)  # fmt: skip


def measure(seed: int) -> Values:
    """One value a declared statement."""
    return {**_full_batch(seed), **_pair(seed), **_batch(seed)}


def _full_batch(seed: int) -> Values:
    """Full-batch training, in which λ rises to the edge of stability."""
    path = _path(seed, SLOW, WHOLE)
    rise, later = path[: len(RISE)], path[len(RISE) - 1 :]
    return {
        "below": rise[0],
        "rises": max(rise),
        "hovers": float(np.median(later)),
        "momentum": max(_path(seed, HEAVY, LATE)),
        "catapult-tanh": _largest_that_works(seed, FULL),
        "catapult-relu": _largest_that_works(seed, RELU),
    }


def measure_higher(seed: int) -> Values:
    """Full-batch training at twice the rate."""
    return {"hovers-higher": float(np.median(_path(seed, HIGHER, LATE)))}


def measure_lighter(seed: int) -> Values:
    """Full-batch training with less momentum."""
    return {"momentum-lower": max(_path(seed, LIGHTER, LATE))}


def _path(seed: int, knobs: Knobs, steps: range) -> list[float]:
    """ηλ/(2(1 + β)) of the full-batch loss after each of `steps`."""
    experiment, found = begin(seed, knobs), []
    config = experiment.config
    for step in steps:
        experiment.advance(step)
        curvature = _largest_curvature(experiment, seed)
        found.append(config.learning_rate * curvature / (2 * (1 + config.momentum)))
    return found


def _largest_that_works(seed: int, knobs: Knobs) -> float:
    """The last of `MULTIPLES` ÷ λ of step 0 before the loss fails to fall, times λ; 0 if none."""
    curvature = _largest_curvature(begin(seed, knobs), seed)
    works = 0.0
    for multiple in MULTIPLES:
        rate = {"learning_rate": multiple / curvature}
        start, end = (
            shot.networks["none"].loss
            for shot in snapshots(seed, {**knobs, **rate}, (0, CATAPULT_STEPS))
        )
        if not end < start:
            break
        works = float(multiple)
    return works


def _largest_curvature(experiment: Experiment, seed: int) -> float:
    """The largest eigenvalue of the Hessian of the loss of the whole training set."""
    data = experiment.data
    inputs, labels = map(torch.from_numpy, (data.train_inputs, data.train_labels))
    gradient, product = hessian(experiment.networks["none"], inputs, labels)
    noise = normal(random_numbers(seed, 13), len(gradient))
    start = gradient / gradient.norm() + 0.3 * (noise / noise.norm()).to(gradient.dtype)
    found = run_to_end(
        ends_in_pieces(
            product, start, most=PRODUCTS, least=6, tolerance=TOLERANCE, low_tolerance=1.0
        )
    )
    return float(found.high)


def _pair(seed: int) -> Values:
    """Both networks of the lab at rate 0.3."""
    start, later = (shot.networks for shot in snapshots(seed, PAIR, (0, 100), "sharpness"))
    return {
        "falls": _lambda(start["none"]) / _lambda(later["none"]),
        "beyond-plain": PAIR["learning_rate"] * _lambda(start["none"]) / 2,
        "happily": accuracies_after(seed, PAIR, 300)["none"],
        "negative": _lambda(start["batch"], "min") / _lambda(start["batch"]),
        "negative-later": _lambda(later["batch"], "min") / _lambda(later["batch"]),
    }


def _batch(seed: int) -> Values:
    """The lab's network with BN at rate 1."""
    start, later = (
        shot.networks["batch"] for shot in snapshots(seed, BATCH, (0, 300), "sharpness", "weights")
    )
    return {
        "beyond-batch": BATCH["learning_rate"] * _lambda(start) / 2,
        "learns": accuracy(later),
        "grow": float((_hidden_norms(later) / _hidden_norms(start)).min()),
        "corrects": BATCH["learning_rate"] * _lambda(later) / 2,
    }


def measure_small(seed: int) -> Values:
    """The lab's plain network from smaller initial weights."""
    start, later = (shot.networks["none"] for shot in snapshots(seed, SMALL, (0, 100), "sharpness"))
    return {"falls-small": _lambda(start) / _lambda(later)}


def measure_scaled_back(seed: int) -> Values:
    """The curvature of a trained network with BN whose weights have their first size again."""
    experiment = begin(seed, BATCH)
    start = experiment.snapshot(("sharpness", "weights")).networks["batch"]
    experiment.advance(300)
    later, network = experiment.snapshot(("weights",)), experiment.networks["batch"]
    growth = _hidden_norms(later.networks["batch"]) / _hidden_norms(start)
    for weight, factor in zip(network.hidden_weights(), growth, strict=True):
        weight.div_(float(factor))
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
)
