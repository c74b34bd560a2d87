"""E17, another part: norms with statistics per example lose the scale of the example."""

from __future__ import annotations

import torch

from bnviz.claims.runs import begin
from bnviz.claims.statement import PERCENT, ClaimValues, KnobValues, at_least, at_most, found_here
from bnviz.networks.inference import predict

PART = "dimmed"
STEPS, DIMMED = 300, 0.2
# Inputs are between 0 and 1, so that multiplication by `DIMMED` dims an image.
KNOBS: KnobValues = {
    "depth": 3, "input_scaling": "unit", "learning_rate": 0.3, "norms": ("none", "batch", "layer"),
}  # fmt: skip

STATEMENTS = (
    found_here("dimmed-layer", at_least(0.99), PERCENT, part=PART),
    found_here("dimmed-batch", at_most(0.7), PERCENT, part=PART),
    found_here("dimmed-none", at_least(0.8), PERCENT, part=PART),
)


def measure(seed: int) -> ClaimValues:
    """Share of test images whose prediction does not change if they are dimmed, by network."""
    experiment = begin(seed, KNOBS)
    experiment.advance(STEPS)
    inputs = torch.from_numpy(experiment.data.test_inputs)
    found = {}
    with torch.no_grad():
        for norm, network in experiment.networks.items():
            before, after = (predict(network, factor * inputs) for factor in (1, DIMMED))
            same = before.argmax(1) == after.argmax(1)
            found[f"dimmed-{norm}"] = float(same.double().mean())
    return found
