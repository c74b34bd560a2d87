"""E15: the same weights evaluated with running and with recomputed statistics."""

from __future__ import annotations

import torch

from bnviz.claims.runs import normal, play, random_numbers
from bnviz.claims.statement import Claim, Statement, at_least, at_most, between
from bnviz.config import RunConfig
from bnviz.norms.batch import BatchNorm
from bnviz.records import Snapshot

FIRST = (1, 2, 3, 4, 5)
GONE = 40
UNITS, UPDATES = 8, 30

NETWORK = "tanh 6×100, rate 0.1"
SHALLOW = "tanh 3×100, rate 0.1"
GAP = "accuracy with population statistics less that with running ones"
PAPER = "Wu & Johnson 2021"

STATEMENTS = (
    Statement(
        key="weight",
        text="After t steps the initial value still has the weight 0.9^t in running statistics.",
        setting=f"momentum 0.1 (weight of the new value), t = 1 to {UPDATES}, float64",
        quantity="largest |weight − 0.9^t|",
        expected=at_most(1e-12),
        source="calculation",
    ),
    Statement(
        key="early",
        text="So early in training, at one of the steps 1 to 5, evaluation with running statistics "
        "is far worse than with population ones.",
        setting=f"{NETWORK}, steps 1 to 5",
        quantity=f"{GAP}, largest of these steps",
        expected=at_least(0.1),
        source=PAPER,
    ),
    Statement(
        key="early-shallow",
        text="It is in a shallower network, in every seed.",
        setting=f"{SHALLOW}, steps 1 to 5",
        quantity=f"{GAP}, largest of these steps",
        expected=at_least(0.1),
        source="found here",
        instead_of="early",
    ),
    Statement(
        key="gone",
        text=f"By step {GONE} the gap is gone.",
        setting=f"{NETWORK}, step {GONE}",
        quantity=GAP,
        expected=between(-0.02, 0.02),
        source="earlier run",
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement."""
    config = RunConfig(norms=("batch",), seed=seed)
    *first, last = play(config, (*FIRST, GONE), ("mode_gap",))
    shallow = play(config.replace(depth=3), FIRST, ("mode_gap",))
    return {
        "weight": _weight_error(seed),
        "early": max(_gap(shot) for shot in first),
        "early-shallow": max(_gap(shot) for shot in shallow),
        "gone": _gap(last),
    }


def _gap(shot: Snapshot) -> float:
    found = shot.networks["batch"].probes["mode_gap"]
    return float(found["population"]) - float(found["running"])


def _weight_error(seed: int) -> float:
    """Two norms that differ in their initial running mean alone see the same batches."""
    generator = random_numbers(seed, 15)
    norms = [BatchNorm(UNITS, momentum=0.1, dtype=torch.float64) for _ in range(2)]
    norms[1].buffers["running_mean"].fill_(1.0)
    worst = 0.0
    for step in range(1, UPDATES + 1):
        batch = normal(generator, 60, UNITS)
        for norm in norms:
            norm.update_statistics(norm.forward(batch, training=True)[1])
        low, high = (norm.buffers["running_mean"] for norm in norms)
        worst = max(worst, float((high - low - 0.9**step).abs().max()))
    return worst


CLAIM = Claim(STATEMENTS, measure)
