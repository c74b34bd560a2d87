"""E13: the stability edge, without BN and with BN (Cohen et al. 2021; Lyu et al. 2022)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import TORCH_INIT, accuracies_after, accuracy, begin, normal, snapshots
from bnviz.claims.statement import (
    PERCENT,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
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

# λ has reached the edge at the first measured step with ηλ/2 of at least `ARRIVED`.
ARRIVED = 0.95
PRODUCTS, TOLERANCE = 25, 5e-3
RISE, LATE, WHOLE = range(0, 1001, 100), range(1000, 2001, 100), range(0, 2001, 100)
MULTIPLES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
CATAPULT_STEPS = 300

FULL: KnobValues = {
    "dataset": "circles", "loss": "squared", "batch_size": 1000, "norms": ("none",), "depth": 3,
    "width": 32,
}  # fmt: skip
RELU: KnobValues = {**FULL, "activation": "relu", "init": "he"}
SLOW: KnobValues = {**FULL, "learning_rate": 0.1}
HIGHER: KnobValues = {**FULL, "learning_rate": 0.2}
HEAVY: KnobValues = {**FULL, "learning_rate": 0.3, "momentum": 0.5}
LIGHTER: KnobValues = {**FULL, "learning_rate": 0.25, "momentum": 0.3}
FULL_BATCH: KnobValues = {**FULL, "norms": ("batch",), "learning_rate": 0.05}
FULL_BATCH_RELU: KnobValues = {**RELU, "norms": ("batch",), "learning_rate": 0.5}
LOWER_RELU: KnobValues = {**FULL_BATCH_RELU, "learning_rate": 0.2}

PAIR: KnobValues = {"learning_rate": 0.3}
SMALL: KnobValues = {**PAIR, "norms": ("none",), **TORCH_INIT}
BATCH: KnobValues = {"norms": ("batch",), "learning_rate": 1.0}


def _seen(knobs: KnobValues, step: int) -> LabLink:
    return in_lab(knobs, "sharpness", step)


STATEMENTS = (
    quoted("below", at_most(0.8), TIMES, _seen(SLOW, 0)),
    quoted("rises", about(1, 0.05), TIMES, _seen(SLOW, 1000)),
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
    earlier("full-above", at_least(2), TIMES, _seen(FULL_BATCH, 0), part="full-batch"),
    quoted("full-settles", about(1, 0.1), TIMES, _seen(FULL_BATCH, 2000), part="full-batch"),
    earlier("full-above-relu", at_least(2), TIMES, _seen(FULL_BATCH_RELU, 0), part="full-batch"),
    quoted("full-settles-relu", about(1, 0.15), TIMES, _seen(FULL_BATCH_RELU, 2000),
           part="full-batch"),
    quoted("full-learns", at_most(0.05), TIMES, in_lab(FULL_BATCH, step=2000), part="full-batch"),
    found_here("catapult-tanh-wider", between(3, 6), part="catapult", instead_of="catapult-tanh"),
    found_here("catapult-relu-wider", between(8, 24), part="catapult", instead_of="catapult-relu"),
    found_here("corrects-share", at_most(0.3), TIMES, _seen(BATCH, 300),
               part="share", instead_of="corrects"),
    found_here("full-settles-lower", about(1, 0.1), TIMES, _seen(LOWER_RELU, 2000),
               part="full-lower", instead_of="full-settles-relu"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    return {**_full_batch(seed), **_pair(seed), **_batch(seed)}


def _full_batch(seed: int) -> ClaimValues:
    """Measure full-batch training, in which λ rises to the stability edge."""
    path = _path(seed, SLOW, WHOLE)
    rise, later = path[: len(RISE)], path[len(RISE) - 1 :]
    return {
        "below": rise[0],
        "rises": _after_arrival(rise),
        "hovers": float(np.median(later)),
        "momentum": max(_path(seed, HEAVY, LATE)),
        "catapult-tanh": _largest_that_works(seed, FULL),
        "catapult-relu": _largest_that_works(seed, RELU),
    }


def measure_higher(seed: int) -> ClaimValues:
    return {"hovers-higher": float(np.median(_path(seed, HIGHER, LATE)))}


def measure_lighter(seed: int) -> ClaimValues:
    return {"momentum-lower": max(_path(seed, LIGHTER, LATE))}


def measure_full_batch(seed: int) -> ClaimValues:
    tanh, relu = begin(seed, FULL_BATCH), begin(seed, FULL_BATCH_RELU)
    losses = [_loss(tanh), _loss(relu)]
    (start, *late), (relu_start, *relu_late) = (
        _path_of(experiment, seed, (0, *LATE)) for experiment in (tanh, relu)
    )
    shares = [_loss(tanh) / losses[0], _loss(relu) / losses[1]]
    return {
        "full-above": start,
        "full-settles": float(np.median(late)),
        "full-above-relu": relu_start,
        "full-settles-relu": float(np.median(relu_late)),
        "full-learns": float(np.max(shares)),
    }


def measure_full_lower(seed: int) -> ClaimValues:
    return {"full-settles-lower": float(np.median(_path(seed, LOWER_RELU, LATE)))}


def measure_catapult(seed: int) -> ClaimValues:
    return {
        "catapult-tanh-wider": _largest_that_works(seed, FULL),
        "catapult-relu-wider": _largest_that_works(seed, RELU),
    }


def _after_arrival(path: Sequence[float]) -> float:
    """Median of the values from the first that is at least `ARRIVED`, or NaN if there is none."""
    arrival = next((index for index, value in enumerate(path) if value >= ARRIVED), None)
    return math.nan if arrival is None else float(np.median(path[arrival:]))


def _path(seed: int, knobs: KnobValues, steps: Iterable[int]) -> list[float]:
    """ηλ/(2(1 + β)) of the full-batch loss after each of `steps`."""
    return _path_of(begin(seed, knobs), seed, steps)


def _path_of(experiment: Experiment, seed: int, steps: Iterable[int]) -> list[float]:
    config, found = experiment.config, []
    for step in steps:
        experiment.advance(step)
        curvature = _largest_curvature(experiment, seed)
        found.append(config.learning_rate * curvature / (2 * (1 + config.momentum)))
    return found


def _loss(experiment: Experiment) -> float:
    (network,) = experiment.snapshot().networks.values()
    return float(network.loss)


def _largest_that_works(seed: int, knobs: KnobValues) -> float:
    """Last k in `MULTIPLES` before the first k for which rate k/λ does not lower the loss, or 0."""
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
    """Largest eigenvalue of the Hessian of the full-batch loss of the only network.

    It is exact to 0.1 %, even if |λ_min| is six times as large (tanh with BN, seed 64, step 0).
    """
    (network,), data = experiment.networks.values(), experiment.data
    inputs, labels = map(torch.from_numpy, (data.train_inputs, data.train_labels))
    gradient, product = hessian(network, inputs, labels)
    noise = normal(random_numbers(seed, 13), len(gradient))
    start = gradient / gradient.norm() + 0.3 * (noise / noise.norm()).to(gradient.dtype)
    found = run_to_end(
        ends_in_pieces(
            product, start, most=PRODUCTS, least=6, tolerance=TOLERANCE, low_tolerance=1.0
        )
    )
    return float(found.high)


def _pair(seed: int) -> ClaimValues:
    start, later = (shot.networks for shot in snapshots(seed, PAIR, (0, 100), "sharpness"))
    return {
        "falls": _lambda(start["none"]) / _lambda(later["none"]),
        "beyond-plain": PAIR["learning_rate"] * _lambda(start["none"]) / 2,
        "happily": accuracies_after(seed, PAIR, 300)["none"],
        "negative": _lambda(start["batch"], "min") / _lambda(start["batch"]),
        "negative-later": _lambda(later["batch"], "min") / _lambda(later["batch"]),
    }


def _batch(seed: int) -> ClaimValues:
    start, later = (
        shot.networks["batch"] for shot in snapshots(seed, BATCH, (0, 300), "sharpness", "weights")
    )
    return {
        "beyond-batch": BATCH["learning_rate"] * _lambda(start) / 2,
        "learns": accuracy(later),
        "grow": float((_hidden_norms(later) / _hidden_norms(start)).min()),
        "corrects": BATCH["learning_rate"] * _lambda(later) / 2,
    }


def measure_share(seed: int) -> ClaimValues:
    start, later = (
        shot.networks["batch"] for shot in snapshots(seed, BATCH, (0, 300), "sharpness")
    )
    return {"corrects-share": _lambda(later) / _lambda(start)}


def measure_small(seed: int) -> ClaimValues:
    start, later = (shot.networks["none"] for shot in snapshots(seed, SMALL, (0, 100), "sharpness"))
    return {"falls-small": _lambda(start) / _lambda(later)}


def measure_scaled_back(seed: int) -> ClaimValues:
    """Measure the curvature after the trained weights are scaled back to their initial norms."""
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
        "full-batch": measure_full_batch,
        "full-lower": measure_full_lower,
        "catapult": measure_catapult,
        "share": measure_share,
    },
)
