"""E14: batch normalization with one, two or four examples."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracy, normal, play
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
from bnviz.norms.batch import BatchNorm, batch_norm_backward, batch_norm_forward
from bnviz.pieces import run_to_end
from bnviz.planned_runs.best_rate import RATES, STEPS, search_best_rates

FEATURES = 50
EXAMPLES = 12_000  # seen by each network, whatever its batch size


KNOBS: dict[str, Any] = {"depth": 3, "norms": ("batch", "layer")}


def _watch(batch_size: int, step: int | None = None, **knobs: Any) -> Watch:
    """The lab with batches of a size, after equal data unless a step is given."""
    step = EXAMPLES // batch_size if step is None else step
    return in_lab({**KNOBS, "batch_size": batch_size, **knobs}, ("gradients",), step)


STATEMENTS = (
    Statement(key="one-output", expected=at_most(0), kind=Kind.CALCULATION),
    Statement(key="one-gradient", expected=at_most(0), kind=Kind.CALCULATION),
    Statement(key="one-refused", expected=at_least(2), kind=Kind.PAPER, unit=Unit.LAYERS),
    Statement(key="two-signs", expected=at_most(1e-12), kind=Kind.CALCULATION),
    Statement(key="two-gradient", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(
        key="two-weights",
        expected=at_most(0.01),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=_watch(2, 0),
    ),
    Statement(
        key="two-weights-median",
        expected=at_most(0.01),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="found",
        instead_of="two-weights",
        watch=_watch(2, 0),
    ),
    Statement(
        key="two-weights-exact",
        expected=at_most(1e-9),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part="found",
        instead_of="two-weights",
        watch=_watch(2, 0, norm_eps=0.0),
    ),
    Statement(
        key="accuracy-2",
        expected=about(0.65, 0.15),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_watch(2),
    ),
    Statement(
        key="accuracy-4",
        expected=about(0.95, 0.03),
        kind=Kind.EARLIER,
        unit=Unit.PERCENT,
        watch=_watch(4),
    ),
    Statement(
        key="accuracy-60",
        expected=about(0.96, 0.02),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part="found",
        watch=_watch(60),
    ),
    Statement(
        key="four-equal",
        expected=between(-0.05, 0.01),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part="four",
        difference=True,
        comparator="plain-equal",
        watch=_watch(4, norms=("none", "batch")),
    ),
    Statement(
        key="four-best",
        expected=at_most(-0.02),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part="four",
        difference=True,
        comparator="plain-best",
        watch=in_lab({"batch_size": 4}, ("gradients",), STEPS),
    ),
    Statement(
        key="others",
        expected=at_least(0.1),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="accuracy-2",
        watch=_watch(2),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a declared statement."""
    two, four = (_after_equal_data(seed, size) for size in (2, 4))
    return {
        **_exact(seed),
        "two-weights": _weight_gradients(seed, 1e-5).layer,
        "accuracy-2": two["batch"],
        "accuracy-4": four["batch"],
        "others": two["layer"] - two["batch"],
    }


def measure_found(seed: int) -> dict[str, float]:
    """One value a statement found here."""
    return {
        "two-weights-median": _weight_gradients(seed, 1e-5).unit,
        "two-weights-exact": _weight_gradients(seed, 0.0).layer,
        "accuracy-60": _after_equal_data(seed, 60)["batch"],
    }


def measure_four(seed: int) -> dict[str, float]:
    """BN and the plain network with four examples: at one rate, and each at its best in the lab."""
    equal = _after_equal_data(seed, 4, norms=("none", "batch"))
    best = run_to_end(search_best_rates(RunConfig(batch_size=4, seed=seed))).best
    plain, batch = (accuracy for _, accuracy in (best["none"], best["batch"]))
    return {
        "plain-equal": equal["none"],
        "four-equal": equal["batch"] - equal["none"],
        "plain-best": plain,
        "four-best": batch - plain,
    }


def _exact(seed: int) -> dict[str, float]:
    generator = random_numbers(seed, 14)
    gamma, beta = (normal(generator, FEATURES) for _ in range(2))
    x, g = (normal(generator, 1, FEATURES) for _ in range(2))
    y, cache = batch_norm_forward(x, gamma, beta, 1e-5)
    one, _, _ = batch_norm_backward(g, cache)
    x, g = (normal(generator, 2, FEATURES) for _ in range(2))
    _, cache = batch_norm_forward(x, gamma, beta, 0.0)
    two, _, _ = batch_norm_backward(g, cache)
    size = (gamma * cache.inverse_std * g).abs()
    return {
        "one-output": float((y - beta).abs().max()),
        "one-gradient": float(one.abs().max()),
        "one-refused": _refusals(normal(generator, 1, FEATURES)),
        "two-signs": float((cache.normalized.abs() - 1).abs().max()),
        "two-gradient": float((two.abs() / size).max()),
    }


def _refusals(x: Tensor) -> float:
    torchs = nn.BatchNorm1d(FEATURES, dtype=x.dtype)
    ours = BatchNorm(FEATURES, dtype=x.dtype)
    refused = 0
    for layer in (torchs, partial(ours.forward, training=True)):
        try:
            layer(x)
        except ValueError:
            refused += 1
    return float(refused)


class _Ratio(NamedTuple):
    """Of the weights' gradients at m = 2 ÷ 60: the largest of a layer, the median of a unit."""

    layer: float
    unit: float


def _weight_gradients(seed: int, eps: float) -> _Ratio:
    layer, unit = {}, {}
    for size in (2, 60):
        config = RunConfig(**KNOBS, norm_eps=eps, batch_size=size, seed=seed)
        experiment = Experiment(config, dtype=torch.float64)
        data = experiment.data
        inputs, labels = (
            torch.from_numpy(part[:size]) for part in (data.train_inputs, data.train_labels)
        )
        network = experiment.networks["batch"]
        _, found = network.backward(network.forward(inputs.double(), training=True), labels)
        weights = [each.weight for each in found.layers]
        layer[size] = max(float(each.norm()) for each in weights)
        unit[size] = float(torch.cat([each.norm(dim=1) for each in weights]).median())
    return _Ratio(layer[2] / layer[60], unit[2] / unit[60])


def _after_equal_data(seed: int, batch_size: int, **knobs: Any) -> dict[str, float]:
    config = RunConfig(**{**KNOBS, **knobs}, batch_size=batch_size, seed=seed)
    (shot,) = play(config, (EXAMPLES // batch_size,))
    return {norm: accuracy(record) for norm, record in shot.networks.items()}


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={"found": measure_found, "four": measure_four},
    numbers={
        "features": FEATURES,
        "examples": EXAMPLES,
        "steps": STEPS,
        "rates": ", ".join(f"{rate:g}" for rate in RATES),
    },
)
