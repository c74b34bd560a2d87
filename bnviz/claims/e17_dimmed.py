"""E17, another part: what norms of one example lose, the scale of the whole example."""

from __future__ import annotations

from typing import Any

import torch

from bnviz.claims.runs import advance
from bnviz.claims.statement import Kind, Statement, Unit, at_least, at_most
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.networks.inference import predict

PART = "dimmed"
STEPS, DIMMED = 300, 0.2
# Inputs from 0 to 1: an image that is dimmed is multiplied.
KNOBS: dict[str, Any] = {
    "depth": 3, "input_scaling": "unit", "learning_rate": 0.3, "norms": ("none", "batch", "layer"),
}  # fmt: skip

STATEMENTS = (
    Statement(
        key="dimmed-layer", expected=at_least(0.99), kind=Kind.FOUND, unit=Unit.PERCENT, part=PART
    ),
    Statement(
        key="dimmed-batch", expected=at_most(0.7), kind=Kind.FOUND, unit=Unit.PERCENT, part=PART
    ),
    Statement(
        key="dimmed-none", expected=at_least(0.8), kind=Kind.FOUND, unit=Unit.PERCENT, part=PART
    ),
)

NUMBERS = {"dim_steps": STEPS, "dimmed": DIMMED}


def measure(seed: int) -> dict[str, float]:
    """The share of test images that are named as before once they are dimmed, by network."""
    experiment = Experiment(RunConfig(**KNOBS, seed=seed))
    advance(experiment, STEPS)
    inputs = torch.from_numpy(experiment.data.test_inputs)
    found = {}
    with torch.no_grad():
        for norm, network in experiment.networks.items():
            before, after = (predict(network, factor * inputs) for factor in (1, DIMMED))
            same = before.argmax(1) == after.argmax(1)
            found[f"dimmed-{norm}"] = float(same.double().mean())
    return found
