"""E6: batch normalization makes gradients grow with depth (Yang et al. 2019)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bnviz.claims.runs import play
from bnviz.claims.statement import Claim, Statement, about, at_least, at_most
from bnviz.config import RunConfig
from bnviz.records import NetworkRecord

DEPTH = 20
LARGE, SMALL = 1024, 8
RELU = math.sqrt(math.pi / (math.pi - 1))
TANH = math.sqrt(1.178)
EARLY = 10

GROWTH = "factor a layer, downwards"
AT_START = f"width 100, depth {DEPTH}, step 0"
PAPER = "Yang et al. 2019"

STATEMENTS = (
    Statement(
        key="relu-batch",
        text="Under ReLU and BN the gradient grows by √(π/(π − 1)) a layer on its way down.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(RELU, 0.05),
        source=PAPER,
    ),
    Statement(
        key="relu-none",
        text="Under ReLU and He's initial weights without BN it keeps its size.",
        setting=f"ReLU, He, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(1.0, 0.05),
        source=PAPER,
    ),
    Statement(
        key="tanh-batch",
        text="Under tanh and BN it grows by √1.178 a layer.",
        setting=f"tanh, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(TANH, 0.05),
        source=PAPER,
    ),
    Statement(
        key="small-batch",
        text="Small batches make it grow faster.",
        setting=f"ReLU, He, {AT_START}, batch {SMALL} against {LARGE}",
        quantity="factor ÷ factor",
        expected=at_least(1.01),
        source=PAPER,
    ),
    Statement(
        key="sigmoid-none",
        text="Under sigmoids without BN it vanishes.",
        setting=f"sigmoid, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(0.24, 0.05),
        source="earlier run",
    ),
    Statement(
        key="sigmoid-batch",
        text="Under sigmoids and BN it keeps its size.",
        setting=f"sigmoid, Glorot, {AT_START}, batch {LARGE}",
        quantity=GROWTH,
        expected=about(1.0, 0.05),
        source="earlier run",
    ),
    Statement(
        key="damped",
        text="A few steps of training damp the growth under BN.",
        setting=f"ReLU, He, width 100, depth {DEPTH}, batch 60, rate 0.1, step {EARLY} against 0",
        quantity="log factor ÷ log factor",
        expected=at_most(0.9),
        source="earlier run",
    ),
)


def growth(record: NetworkRecord) -> float:
    """By how much the gradient's RMS grows from one hidden layer to the next below, on average."""
    rms = record.probes["gradients"]["grad_pre_activation_rms"].astype(np.float64)
    return float((rms[0] / rms[-2]) ** (1 / (len(rms) - 2)))


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    relu, tanh, sigmoid = (
        _at_start(seed, activation=name, init="he" if name == "relu" else "glorot")
        for name in ("relu", "tanh", "sigmoid")
    )
    small = _at_start(seed, activation="relu", init="he", batch_size=SMALL)
    config = _config(seed, activation="relu", init="he", norms=("batch",))
    start, early = (
        growth(shot.networks["batch"]) for shot in play(config, (0, EARLY), ("gradients",))
    )
    return {
        "relu-batch": relu["batch"],
        "relu-none": relu["none"],
        "tanh-batch": tanh["batch"],
        "small-batch": small["batch"] / relu["batch"],
        "sigmoid-none": sigmoid["none"],
        "sigmoid-batch": sigmoid["batch"],
        "damped": math.log(early) / math.log(start),
    }


def _config(seed: int, **knobs: Any) -> RunConfig:
    return RunConfig(**{"depth": DEPTH, "seed": seed, **knobs})


def _at_start(seed: int, **knobs: Any) -> dict[str, float]:
    (shot,) = play(_config(seed, **{"batch_size": LARGE, **knobs}), (0,), ("gradients",))
    return {norm: growth(record) for norm, record in shot.networks.items()}


CLAIM = Claim(STATEMENTS, measure)
