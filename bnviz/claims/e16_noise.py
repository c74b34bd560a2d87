"""E16: how much batch statistics vary from batch to batch."""

from __future__ import annotations

import math

import numpy as np

from bnviz.claims.runs import random_numbers
from bnviz.claims.statement import Claim, Statement, about

BATCH, DRAWS = 60, 20_000
POPULATION = 200

GAUSSIAN = f"Gaussian numbers, m = {BATCH}, {DRAWS:,} batches"
RATIO = "measured ÷ expected"

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
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    generator = random_numbers(seed, 16)
    batches = generator.standard_normal((DRAWS, BATCH))
    numbers = generator.uniform(size=POPULATION)
    order = np.argsort(generator.random((DRAWS, POPULATION)), axis=1)[:, :BATCH]
    correction = math.sqrt((POPULATION - BATCH) / (POPULATION - 1))
    drawn = numbers[order].mean(1).std() / (numbers.std() / math.sqrt(BATCH) * correction)
    return {
        "mean": float(batches.mean(1).std() * math.sqrt(BATCH)),
        "std": float(batches.std(1).std() * math.sqrt(2 * BATCH)),
        "without-replacement": float(drawn),
    }


CLAIM = Claim(STATEMENTS, measure)
