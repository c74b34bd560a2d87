"""E16: how much batch statistics vary from batch to batch."""

from __future__ import annotations

import math

import numpy as np

from bnviz.claims.runs import random_numbers
from bnviz.claims.statement import Claim, Statement, about
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.records import NetworkRecord

BATCH, DRAWS = 60, 20_000
POPULATION = 200
NETWORK_DRAWS = 32

GAUSSIAN = f"Gaussian numbers, m = {BATCH}, {DRAWS:,} batches"
RATIO = "measured ÷ expected"

NETWORK = f"tanh 6×100, step 0, m = {BATCH}, {NETWORK_DRAWS} batches of digits"

STATEMENTS = (
    Statement(
        key="mean",
        text="The mean of a batch has the standard deviation σ/√m.",
        setting=GAUSSIAN,
        quantity=RATIO,
        expected=about(1, 0.02),
        source="calculation",
    ),
    Statement(
        key="std",
        text="The standard deviation of a batch has the standard deviation σ/√(2m).",
        setting=GAUSSIAN,
        quantity=RATIO,
        expected=about(1, 0.02),
        source="calculation",
    ),
    Statement(
        key="without-replacement",
        text="Drawn without replacement from N, the mean varies by √((N − m)/(N − 1)) of that.",
        setting=f"N = {POPULATION} uniform numbers, m = {BATCH}, {DRAWS:,} batches",
        quantity=RATIO,
        expected=about(1, 0.02),
        source="calculation",
    ),
    Statement(
        key="first-mean",
        text="In the first layer of a network the mean of a batch varies as much.",
        setting=f"layer 1, {NETWORK}",
        quantity=RATIO,
        expected=about(1, 0.05),
        source="calculation",
    ),
    Statement(
        key="first-std",
        text="In the first layer of a network the standard deviation of a batch varies as much.",
        setting=f"layer 1, {NETWORK}",
        quantity=RATIO,
        expected=about(1, 0.05),
        source="calculation",
    ),
    Statement(
        key="upper-mean",
        text="In the layers above the first the mean of a batch varies as much too.",
        setting=f"layers 2 to 6 with BN, {NETWORK}",
        quantity=f"{RATIO}, mean of the layers",
        expected=about(1, 0.05),
        source="calculation",
    ),
    Statement(
        key="upper-mean-none",
        text="It does without BN. With it the layer below has already taken the batch's mean out.",
        setting=f"layers 2 to 6 without a norm, {NETWORK}",
        quantity=f"{RATIO}, mean of the layers",
        expected=about(1, 0.05),
        source="found here",
        instead_of="upper-mean",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    generator = random_numbers(seed, 16)
    batches = generator.standard_normal((DRAWS, BATCH))
    numbers = generator.uniform(size=POPULATION)
    order = np.argsort(generator.random((DRAWS, POPULATION)), axis=1)[:, :BATCH]
    correction = math.sqrt((POPULATION - BATCH) / (POPULATION - 1))
    drawn = numbers[order].mean(1).std() / (numbers.std() / math.sqrt(BATCH) * correction)
    shot = Experiment(RunConfig(batch_size=BATCH, seed=seed)).snapshot(("batch_noise",))
    means, stds = (
        {norm: _ratios(record, value) for norm, record in shot.networks.items()}
        for value in ("mean", "std")
    )
    return {
        "mean": float(batches.mean(1).std() * math.sqrt(BATCH)),
        "std": float(batches.std(1).std() * math.sqrt(2 * BATCH)),
        "without-replacement": float(drawn),
        "first-mean": means["batch"][0],
        "first-std": stds["batch"][0],
        "upper-mean": float(means["batch"][1:].mean()),
        "upper-mean-none": float(means["none"][1:].mean()),
    }


def _ratios(record: NetworkRecord, value: str) -> np.ndarray:
    """Measured ÷ expected, by layer."""
    found = record.probes["batch_noise"]
    return np.asarray(found[value] / found[f"{value}_expected"], dtype=np.float64)


CLAIM = Claim(STATEMENTS, measure)
