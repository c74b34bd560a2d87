"""E16: how much batch statistics vary from batch to batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from bnviz.claims import e16_regularization
from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.statement import Claim, Kind, Statement, Unit, about, at_most, in_lab
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms.batch import batch_norm_forward
from bnviz.probes.batch_noise import BATCHES
from bnviz.records import NetworkRecord

BATCH, DRAWS = 60, 20_000
POPULATION = 200


KNOBS: dict[str, Any] = {"depth": 6, "batch_size": BATCH}

UPPER = "upper"
WATCH = in_lab(KNOBS, ("batch_noise",), 0)


STATEMENTS = (
    Statement(key="mean", expected=about(1, 0.02), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(key="std", expected=about(1, 0.02), kind=Kind.CALCULATION, unit=Unit.TIMES),
    Statement(
        key="without-replacement", expected=about(1, 0.02), kind=Kind.CALCULATION, unit=Unit.TIMES
    ),
    Statement(
        key="first-mean",
        expected=about(1, 0.05),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=WATCH,
    ),
    Statement(
        key="first-std",
        expected=about(1, 0.05),
        kind=Kind.CALCULATION,
        unit=Unit.TIMES,
        watch=WATCH,
    ),
    Statement(
        key="upper-mean-none",
        expected=about(1, 0.05),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=UPPER,
        watch=WATCH,
    ),
    Statement(
        key="upper-mean",
        expected=at_most(0.5),
        kind=Kind.FOUND,
        unit=Unit.TIMES,
        part=UPPER,
        watch=WATCH,
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    generator = random_numbers(seed, 16)
    # Each batch as a unit of its own, so that the engine's statistics are those of the batches.
    batches = torch.from_numpy(generator.standard_normal((DRAWS, BATCH)).T)
    _, statistics = batch_norm_forward(batches, None, None, 0.0)
    numbers = generator.uniform(size=POPULATION)
    order = np.argsort(generator.random((DRAWS, POPULATION)), axis=1)[:, :BATCH]
    correction = math.sqrt((POPULATION - BATCH) / (POPULATION - 1))
    drawn = numbers[order].mean(1).std() / (numbers.std() / math.sqrt(BATCH) * correction)
    found = _noise(seed)["batch"]
    means, stds = (_ratios(found, value) for value in ("mean", "std"))
    return {
        "mean": float(statistics.mean.std() * math.sqrt(BATCH)),
        "std": float(statistics.var.sqrt().std() * math.sqrt(2 * BATCH)),
        "without-replacement": float(drawn),
        "first-mean": means[0],
        "first-std": stds[0],
    }


def measure_upper(seed: int) -> dict[str, float]:
    """What was found of the layers above the first."""
    found = _noise(seed)
    none, batch = (float(_ratios(found[norm], "mean")[1:].mean()) for norm in ("none", "batch"))
    return {"upper-mean-none": none, "upper-mean": batch}


def _noise(seed: int) -> dict[str, NetworkRecord]:
    return Experiment(RunConfig(seed=seed, **KNOBS)).snapshot(("batch_noise",)).networks


def _ratios(record: NetworkRecord, value: str) -> np.ndarray:
    """Measured ÷ expected, by layer."""
    found = record.probes["batch_noise"]
    return np.asarray(found[value] / found[f"{value}_expected"], dtype=np.float64)


CLAIM = Claim(
    (*STATEMENTS, *e16_regularization.STATEMENTS),
    measure,
    parts={UPPER: measure_upper, e16_regularization.PART: e16_regularization.measure},
    numbers={
        **e16_regularization.NUMBERS,
        "batch": BATCH,
        "draws": DRAWS,
        "population": POPULATION,
        "batches": BATCHES,
    },
)
