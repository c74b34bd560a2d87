"""E14: batch normalization with mini-batches of one, two or four examples."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.relative_errors import largest
from bnviz.claims.runs import accuracies_after, begin_exact, first_images, gradients, normal
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
    Unit,
    about,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.config import RunConfig
from bnviz.norms.batch import BatchNorm, batch_norm_backward, batch_norm_forward
from bnviz.pieces import run_to_end
from bnviz.planned_runs.best_rate import RATES, STEPS, search_best_rates

FEATURES = 50
EXAMPLES = 12_000  # training examples per network, the same number for every batch size

KNOBS: KnobValues = {"depth": 3, "norms": ("batch", "layer")}


def _seen(batch_size: int, step: int | None = None, **knobs: Any) -> LabLink:
    """Return lab settings with this batch size, at `step` or else after `EXAMPLES` examples."""
    step = EXAMPLES // batch_size if step is None else step
    return in_lab({**KNOBS, "batch_size": batch_size, **knobs}, "gradients", step)


STATEMENTS = (
    calculated("one-output", at_most(0)),
    calculated("one-gradient", at_most(0)),
    quoted("one-refused", at_least(2), Unit.LAYERS),
    calculated("two-signs", at_most(1e-12)),
    calculated("two-gradient", at_most(1e-12), TIMES),
    calculated("two-weights", at_most(0.01), TIMES, _seen(2, 0)),
    found_here("two-weights-median", at_most(0.01), TIMES, _seen(2, 0),
               part="found", instead_of="two-weights"),
    found_here("two-weights-exact", at_most(1e-9), TIMES, _seen(2, 0, norm_eps=0.0),
               part="found", instead_of="two-weights"),
    earlier("accuracy-2", about(0.65, 0.15), PERCENT, _seen(2)),
    earlier("accuracy-4", about(0.95, 0.03), PERCENT, _seen(4)),
    found_here("accuracy-60", about(0.96, 0.02), PERCENT, _seen(60), part="found"),
    found_here("four-equal", between(-0.05, 0.01), POINTS, _seen(4, norms=("none", "batch")),
               part="four", difference=True, comparator="plain-equal"),
    found_here("four-best", at_most(-0.02), POINTS, in_lab({"batch_size": 4}, "gradients", STEPS),
               part="four", difference=True, comparator="plain-best"),
    quoted("others", at_least(0.1), POINTS, _seen(2), difference=True, comparator="accuracy-2"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    two, four = (_after_equal_data(seed, size) for size in (2, 4))
    return {
        **_exact(seed),
        "two-weights": _weight_gradients(seed, 1e-5).layer,
        "accuracy-2": two["batch"],
        "accuracy-4": four["batch"],
        "others": two["layer"] - two["batch"],
    }


def measure_found(seed: int) -> ClaimValues:
    return {
        "two-weights-median": _weight_gradients(seed, 1e-5).unit,
        "two-weights-exact": _weight_gradients(seed, 0.0).layer,
        "accuracy-60": _after_equal_data(seed, 60)["batch"],
    }


def measure_four(seed: int) -> ClaimValues:
    """Measure mini-batches of four examples, at one rate and at each network's best rate."""
    equal = _after_equal_data(seed, 4, norms=("none", "batch"))
    best = run_to_end(search_best_rates(RunConfig(batch_size=4, seed=seed)))
    (_, plain), (_, batch) = best["none"], best["batch"]
    return {
        "plain-equal": equal["none"],
        "four-equal": equal["batch"] - equal["none"],
        "plain-best": plain,
        "four-best": batch - plain,
    }


def _exact(seed: int) -> ClaimValues:
    generator = random_numbers(seed, 14)
    gamma, beta = (normal(generator, FEATURES) for _ in range(2))
    x, g = (normal(generator, 1, FEATURES) for _ in range(2))
    y, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    one, _, _ = batch_norm_backward(g, cache)
    x, g = (normal(generator, 2, FEATURES) for _ in range(2))
    _, cache = batch_norm_forward(x, gamma, beta, 0.0)
    two, _, _ = batch_norm_backward(g, cache)
    return {
        "one-output": largest(y - beta),
        "one-gradient": largest(one),
        "one-refused": _refusals(normal(generator, 1, FEATURES)),
        "two-signs": largest(cache.normalized.abs() - 1),
        "two-gradient": largest(two / (gamma * cache.inverse_std * g)),
    }


def _refusals(x: Tensor) -> float:
    """Count how many of the two layers, torch's and ours, reject a mini-batch."""
    torchs = nn.BatchNorm1d(FEATURES, dtype=x.dtype)
    ours = BatchNorm(FEATURES, dtype=x.dtype)
    refused = 0
    for layer in (torchs, partial(ours.forward, training=True)):
        try:
            layer(x)
        except ValueError:
            refused += 1
    return float(refused)


class _Gradients(NamedTuple):
    """Norms of weight gradients (largest of all layers, median of all units), or their ratios."""

    layer: float
    unit: float


def _weight_gradients(seed: int, eps: float) -> _Gradients:
    (layer, unit), (layer_of_60, unit_of_60) = (_gradient_norms(seed, eps, m) for m in (2, 60))
    return _Gradients(layer / layer_of_60, unit / unit_of_60)


def _gradient_norms(seed: int, eps: float, batch_size: int) -> _Gradients:
    experiment = begin_exact(seed, {**KNOBS, "norm_eps": eps, "batch_size": batch_size})
    _, found = gradients(experiment.networks["batch"], first_images(experiment))
    weights = [each.weight for each in found.layers]
    units = torch.cat([each.norm(dim=1) for each in weights])
    return _Gradients(max(float(each.norm()) for each in weights), float(units.median()))


def _after_equal_data(seed: int, batch_size: int, **knobs: Any) -> ClaimValues:
    knobs = {**KNOBS, **knobs, "batch_size": batch_size}
    return accuracies_after(seed, knobs, EXAMPLES // batch_size)


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"found": measure_found, "four": measure_four},
    other_numbers={"rates": ", ".join(f"{rate:g}" for rate in RATES)},
)
