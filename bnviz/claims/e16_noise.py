"""E16: how much batch statistics vary from batch to batch."""

from __future__ import annotations

import math

import numpy as np
import torch

from bnviz.claims import e16_regularization
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import networks_after
from bnviz.claims.statement import (
    TIMES,
    Claim,
    Knobs,
    Values,
    about,
    at_most,
    calculated,
    found_here,
    in_lab,
)
from bnviz.norms.batch import batch_norm_forward
from bnviz.probes.batch_noise import BATCHES

BATCH, DRAWS = 60, 20_000
POPULATION = 200

KNOBS: Knobs = {"depth": 6, "batch_size": BATCH}
AT_START = in_lab(KNOBS, "batch_noise", 0)

STATEMENTS = (
    calculated("mean", about(1, 0.02), TIMES),
    calculated("std", about(1, 0.02), TIMES),
    calculated("without-replacement", about(1, 0.02), TIMES),
    calculated("first-mean", about(1, 0.05), TIMES, AT_START),
    calculated("first-std", about(1, 0.05), TIMES, AT_START),
    found_here("upper-mean-none", about(1, 0.05), TIMES, AT_START, part="upper"),
    found_here("upper-mean", at_most(0.5), TIMES, AT_START, part="upper"),
)


def measure(seed: int) -> Values:
    """One value a statement that was declared."""
    generator = random_numbers(seed, 16)
    # Each batch as a unit of its own, so that the engine's statistics are those of the batches.
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


def measure_upper(seed: int) -> Values:
    """What was found of the layers above the first."""
    none, batch = (float(_ratios(seed, norm, "mean")[1:].mean()) for norm in ("none", "batch"))
    return {"upper-mean-none": none, "upper-mean": batch}


def _ratios(seed: int, norm: str, statistic: str) -> np.ndarray:
    """Measured ÷ expected noise, by layer."""
    found = networks_after(seed, KNOBS, 0, "batch_noise")[norm].probes["batch_noise"]
    return np.asarray(found[statistic] / found[f"{statistic}_expected"], dtype=np.float64)


CLAIM = Claim(
    (*STATEMENTS, *e16_regularization.STATEMENTS),
    measure,
    parts={"upper": measure_upper, e16_regularization.PART: e16_regularization.measure},
    other_numbers={**e16_regularization.NUMBERS, "batches": BATCHES},
)
