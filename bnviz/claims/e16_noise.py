"""E16: how much batch statistics vary from batch to batch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch

from bnviz.claims.runs import random_numbers
from bnviz.claims.statement import Claim, Statement, Watch, about, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.norms.batch import batch_norm_forward
from bnviz.records import NetworkRecord

BATCH, DRAWS = 60, 20_000
POPULATION = 200
NETWORK_DRAWS = 32

GAUSSIAN = f"Gaussian numbers, m = {BATCH}, {DRAWS:,} batches"
RATIO = "measured ÷ expected"

KNOBS: dict[str, Any] = {"depth": 6, "batch_size": BATCH}
NETWORK = f"tanh 6×100, step 0, m = {BATCH}, {NETWORK_DRAWS} batches of digits, without replacement"
NO_NETWORK = "Random numbers, without a network."
# Of σ/√m, where a batch is drawn without replacement; and what it is drawn from.
FEWER, LEARNED = "√((N − m)/(N − 1))", "N = 1,438"
CALCULATION, FOUND = "calculation", "found here"
UPPER = "upper"
WATCH = Watch(KNOBS, ("batch_noise",), 0)


def _first(found: str) -> str:
    """Narrowed after the first measurement."""
    return f"Declared first within 10 %; {found} was found."


STATEMENTS = (
    Statement(
        key="mean",
        text="The mean of a batch has the standard deviation σ/√m.",
        setting=GAUSSIAN,
        quantity=RATIO,
        expected=about(1, 0.02),
        source=CALCULATION,
        watch=NO_NETWORK,
    ),
    Statement(
        key="std",
        text="The standard deviation of a batch has the standard deviation σ/√(2m).",
        setting=GAUSSIAN,
        quantity=RATIO,
        expected=about(1, 0.02),
        source=CALCULATION,
        watch=NO_NETWORK,
    ),
    Statement(
        key="without-replacement",
        text="The mean of a batch drawn without replacement from N varies by √((N − m)/(N − 1)) of "
        "σ/√m.",
        setting=f"N = {POPULATION} uniform numbers, m = {BATCH}, {DRAWS:,} batches",
        quantity=RATIO,
        expected=about(1, 0.02),
        source=CALCULATION,
        lead="The mean of a batch of m out of N, drawn without replacement, varies by "
        "√((N − m)/(N − 1)) σ/√m.",
        watch=NO_NETWORK,
    ),
    Statement(
        key="first-mean",
        text="In the first layer of a network the mean of a batch varies by "
        f"{FEWER} σ/√m, {LEARNED}.",
        setting=f"layer 1, {NETWORK}",
        quantity=RATIO,
        expected=about(1, 0.05),
        source=CALCULATION,
        changed=_first("1.03 (1.00 to 1.06)"),
        watch=WATCH,
    ),
    Statement(
        key="first-std",
        text="In the first layer of a network the standard deviation of a batch varies by "
        f"{FEWER} σ/√(2m), {LEARNED}.",
        setting=f"layer 1, {NETWORK}",
        quantity=RATIO,
        expected=about(1, 0.05),
        source=CALCULATION,
        changed=_first("0.968 (0.932 to 0.998)"),
        watch=WATCH,
    ),
    Statement(
        key="upper-mean-none",
        text=f"Without BN the mean of a batch varies by {FEWER} σ/√m, {LEARNED}, in the layers "
        "above the first.",
        setting=f"layers 2 to 6 without a norm, {NETWORK}",
        quantity=f"{RATIO}, mean of the layers",
        expected=about(1, 0.05),
        source=FOUND,
        part=UPPER,
        watch=WATCH,
    ),
    Statement(
        key="upper-mean",
        text="In the layers above the first the mean of a batch varies by far less with BN.",
        setting=f"layers 2 to 6 with BN, {NETWORK}",
        quantity=f"measured ÷ {FEWER} σ/√m, {LEARNED}, mean of the layers",
        expected=at_most(0.5),
        source=FOUND,
        part=UPPER,
        changed="Declared first as sampling theory’s, within 10 %, then 5 %; 0.258 (0.252 to "
        "0.265) was found. That theory is of fixed functions of the input, which these layers are "
        "not.",
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
    STATEMENTS,
    measure,
    parts={UPPER: measure_upper},
    note=f"What {NETWORK_DRAWS} batches of a network tell of a deviation is itself uncertain by "
    "some percent. With BN the layer below has already taken the batch’s mean out: no row "
    "measures whether that is why the means above it vary by less.",
)
