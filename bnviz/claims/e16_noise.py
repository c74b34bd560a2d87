"""E16: variation of batch statistics between mini-batches."""

from __future__ import annotations

import math

import numpy as np
import torch

from bnviz.claims import e16_regularization
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import begin, mlp, networks_after
from bnviz.claims.statement import (
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    about,
    at_most,
    calculated,
    earlier,
    found_here,
    in_lab,
)
from bnviz.networks.base import Network
from bnviz.norms.batch import batch_norm_forward
from bnviz.probes.batch_noise import BATCHES, statistics_by_layer, wander
from bnviz.probes.mode_gap import batches, recomputed

BATCH, DRAWS = 60, 20_000
POPULATION = 200
# Number of mini-batches on which `measure_below` compares two kinds of statistics.
COMPARED = 256

KNOBS: KnobValues = {"depth": 6, "batch_size": BATCH}
AT_START = in_lab(KNOBS, "batch_noise", 0)

STATEMENTS = (
    calculated("mean", about(1, 0.02), TIMES),
    calculated("std", about(1, 0.02), TIMES),
    calculated("without-replacement", about(1, 0.02), TIMES),
    calculated("first-mean", about(1, 0.05), TIMES, AT_START),
    calculated("first-std", about(1, 0.05), TIMES, AT_START),
    earlier("batch-below", about(0.26, 0.1), TIMES, AT_START, part="below"),
    calculated("population-below", about(1, 0.05), TIMES, part="below"),
    found_here("upper-mean-none", about(1, 0.05), TIMES, AT_START, part="upper"),
    found_here("upper-mean", at_most(0.5), TIMES, AT_START, part="upper"),
)


def measure(seed: int) -> ClaimValues:
    generator = random_numbers(seed, 16)
    # Pass each mini-batch as a unit, so that the engine's statistics per unit are batch statistics.
    batches = torch.from_numpy(generator.standard_normal((DRAWS, BATCH)).T)
    _, statistics = batch_norm_forward(batches, None, None, 0.0)
    numbers = generator.uniform(size=POPULATION)
    order = np.argsort(generator.random((DRAWS, POPULATION)), axis=1)[:, :BATCH]
    correction = math.sqrt((POPULATION - BATCH) / (POPULATION - 1))
    drawn = numbers[order].mean(1).std() / (numbers.std() / math.sqrt(BATCH) * correction)
    return {
        "mean": float(statistics.mean.std() * math.sqrt(BATCH)),
        "std": float(statistics.var.sqrt().std() * math.sqrt(2 * BATCH)),
        "without-replacement": float(drawn),
        "first-mean": _ratios(seed, "batch", "mean")[0],
        "first-std": _ratios(seed, "batch", "std")[0],
    }


def measure_upper(seed: int) -> ClaimValues:
    none, batch = (float(_ratios(seed, norm, "mean")[1:].mean()) for norm in ("none", "batch"))
    return {"upper-mean-none": none, "upper-mean": batch}


@torch.no_grad()
def measure_below(seed: int) -> ClaimValues:
    """Measure noise in layers 2 to 6, with batch or recomputed statistics in the layers below."""
    experiment = begin(seed, KNOBS)
    network, inputs = mlp(experiment, "batch"), torch.from_numpy(experiment.data.train_inputs)
    size, generator = len(inputs), random_numbers(seed, 16)
    known = recomputed(network, [
        inputs[rows] for rows in batches(generator.permutation(size), size, BATCH)
    ])  # fmt: skip
    drawn = [inputs[generator.choice(size, BATCH, replace=False)] for _ in range(COMPARED)]
    expected = math.sqrt((size - BATCH) / (size - 1) / BATCH)

    def noise(of: Network, *, training: bool) -> float:
        means, variances = np.stack(
            [statistics_by_layer(of, each, training=training) for each in drawn], axis=1
        )
        return float(wander(means, variances)[0][1:].mean() / expected)

    return {
        "batch-below": noise(network, training=True),
        "population-below": noise(known, training=False),
    }


def _ratios(seed: int, norm: str, statistic: str) -> np.ndarray:
    """Measured noise ÷ expected noise, per layer."""
    found = networks_after(seed, KNOBS, 0, "batch_noise")[norm].probes["batch_noise"]
    return np.asarray(found[statistic] / found[f"{statistic}_expected"], dtype=np.float64)


CLAIM = Claim(
    (*STATEMENTS, *e16_regularization.STATEMENTS),
    measure,
    parts={
        "upper": measure_upper,
        "below": measure_below,
        e16_regularization.PART: e16_regularization.measure,
        e16_regularization.NOISE_PART: e16_regularization.measure_moment_noise,
        e16_regularization.ERRORS_PART: e16_regularization.measure_errors,
    },
    other_numbers={**e16_regularization.NUMBERS, "batches": BATCHES},
)
