"""E18: what skip connections do in fifty layers, with BN and without (De & Smith 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from bnviz.claims.runs import accuracy, advance, geometric_mean, play
from bnviz.claims.statement import (
    Claim,
    Expectation,
    Kind,
    Statement,
    Unit,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.skips import block_count

DEPTH, SKIP, STEPS = 50, 2, 150
BRANCHES = block_count(DEPTH, SKIP)
HIGH = 1.0
SMALL_GAMMA = 0.1
NORMS = ("none", "batch")

BASE: dict[str, Any] = {
    "depth": DEPTH, "width": 50, "activation": "relu", "init": "he", "norms": NORMS,
}  # fmt: skip
SKIPS: dict[str, Any] = {**BASE, "skip": SKIP}
NOTHING: dict[str, Any] = {**SKIPS, "branch_start": 0.0}
HIGH_SKIPS: dict[str, Any] = {**SKIPS, "learning_rate": HIGH}
HIGH_NOTHING: dict[str, Any] = {**NOTHING, "learning_rate": HIGH}
LAYER: dict[str, Any] = {**SKIPS, "norms": ("layer",)}

FRESH = "fresh"


def _accuracy_of(
    key: str, expected: Expectation, setting: Mapping[str, Any], kind: Kind = Kind.PAPER
) -> Statement:
    """A statement of an accuracy at the last step."""
    return Statement(
        key=key, expected=expected, kind=kind, unit=Unit.PERCENT,
        part=FRESH if kind is Kind.FOUND else "", watch=in_lab(setting, step=STEPS),
    )  # fmt: skip


STATEMENTS = (
    Statement(key="identity", expected=at_most(0.4), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="identity-none", expected=at_least(0.7), kind=Kind.PAPER, unit=Unit.TIMES),
    Statement(key="grows", expected=at_least(1.4), kind=Kind.PAPER, unit=Unit.TIMES),
    _accuracy_of("plain-stack", at_most(0.35), BASE, Kind.EARLIER),
    _accuracy_of("batch", at_least(0.9), SKIPS),
    _accuracy_of("none", at_most(0.35), SKIPS),
    _accuracy_of("none-nothing", at_least(0.9), NOTHING),
    _accuracy_of("batch-high", at_least(0.9), HIGH_SKIPS),
    _accuracy_of("none-high", at_most(0.35), HIGH_NOTHING),
    _accuracy_of("batch-nothing", at_least(0.94), NOTHING, Kind.FOUND),
    _accuracy_of("layer", at_least(0.5), LAYER, Kind.FOUND),
    Statement(
        key="level",
        expected=between(-0.04, 0.04),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part=FRESH,
        difference=True,
        comparator="batch-nothing",
        watch=in_lab(NOTHING, step=STEPS),
    ),
    Statement(
        key="small-gamma", expected=at_most(0.35), kind=Kind.FOUND, unit=Unit.PERCENT, part=FRESH
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    blocks = {norm: _at_step_0(seed, norm) for norm in NORMS}
    shares = {norm: branch / skipped for norm, (branch, skipped) in blocks.items()}
    past = blocks["none"][1]
    return {
        "identity": float(shares["batch"][-1] / shares["batch"][0]),
        "identity-none": float(shares["none"][-1] / shares["none"][0]),
        "grows": geometric_mean((past[1:] / past[:-1]).tolist()),
        "plain-stack": _accuracy(seed, BASE, "batch"),
        "batch": _accuracy(seed, SKIPS, "batch"),
        "none": _accuracy(seed, SKIPS, "none"),
        "none-nothing": _accuracy(seed, NOTHING, "none"),
        "batch-high": _accuracy(seed, HIGH_SKIPS, "batch"),
        "none-high": _accuracy(seed, HIGH_NOTHING, "none"),
    }


def measure_fresh(seed: int) -> dict[str, float]:
    """What was stated after it had been seen on other seeds."""
    nothing = {norm: _accuracy(seed, NOTHING, norm) for norm in NORMS}
    return {
        "batch-nothing": nothing["batch"],
        "layer": _accuracy(seed, LAYER, "layer"),
        "level": nothing["none"] - nothing["batch"],
        "small-gamma": _with_small_gammas(seed),
    }


def _at_step_0(seed: int, norm: str) -> tuple[Tensor, Tensor]:
    """The RMS of each branch and of what comes past it, block by block, on the training images."""
    experiment = Experiment(RunConfig(**{**SKIPS, "norms": (norm,)}, seed=seed))
    network = experiment.networks[norm]
    inputs = torch.from_numpy(experiment.data.train_inputs).to(network.flat)
    sides = [
        (layer.normalized, layer.summed - layer.normalized)
        for layer in network.forward(inputs, training=True).layers
        if layer.summed is not None
    ]
    branch, skipped = (torch.stack([_rms(side[part]) for side in sides]) for part in (0, 1))
    return branch, skipped


def _rms(values: Tensor) -> Tensor:
    return values.double().square().mean().sqrt()


def _accuracy(seed: int, setting: Mapping[str, Any], norm: str) -> float:
    (shot,) = play(RunConfig(**{**setting, "norms": (norm,)}, seed=seed), (STEPS,))
    return accuracy(shot.networks[norm])


def _with_small_gammas(seed: int) -> float:
    """The accuracy with BN and without skip connections, where every γ begins at a tenth."""
    experiment = Experiment(RunConfig(**{**BASE, "norms": ("batch",)}, seed=seed))
    for name, value in experiment.networks["batch"].parameters().items():
        if name.endswith(".gamma"):
            value.fill_(SMALL_GAMMA)
    advance(experiment, STEPS)
    return accuracy(experiment.snapshot(()).networks["batch"])


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={FRESH: measure_fresh},
    numbers={
        "depth": DEPTH,
        "skip": SKIP,
        "branches": BRANCHES,
        "steps": STEPS,
        "high": HIGH,
        "small_gamma": SMALL_GAMMA,
    },
)
