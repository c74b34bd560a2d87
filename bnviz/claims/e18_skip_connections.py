"""E18: skip connections in fifty layers, with and without BN (De & Smith 2020)."""

from __future__ import annotations

import torch
from torch import Tensor

from bnviz.claims.runs import accuracies_after, accuracy, begin, geometric_mean
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    LabLink,
    at_least,
    at_most,
    between,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.networks.skips import block_count

DEPTH, SKIP, STEPS = 50, 2, 150
BRANCHES = block_count(DEPTH, SKIP)
HIGH = 1.0
SMALL_GAMMA = 0.1

BASE: KnobValues = {
    "depth": DEPTH, "width": 50, "activation": "relu", "init": "he", "norms": ("none", "batch"),
}  # fmt: skip
SKIPS: KnobValues = {**BASE, "skip": SKIP}
NOTHING: KnobValues = {**SKIPS, "branch_start": 0.0}
HIGH_SKIPS: KnobValues = {**SKIPS, "learning_rate": HIGH}
HIGH_NOTHING: KnobValues = {**NOTHING, "learning_rate": HIGH}
LAYER: KnobValues = {**SKIPS, "norms": ("layer",)}


def _at_end(knobs: KnobValues) -> LabLink:
    return in_lab(knobs, step=STEPS)


STATEMENTS = (
    quoted("identity", at_most(0.4), TIMES),
    quoted("identity-none", at_least(0.7), TIMES),
    quoted("grows", at_least(1.4), TIMES),
    earlier("plain-stack", at_most(0.35), PERCENT, _at_end(BASE)),
    quoted("batch", at_least(0.9), PERCENT, _at_end(SKIPS)),
    quoted("none", at_most(0.35), PERCENT, _at_end(SKIPS)),
    quoted("none-nothing", at_least(0.9), PERCENT, _at_end(NOTHING)),
    quoted("batch-high", at_least(0.9), PERCENT, _at_end(HIGH_SKIPS)),
    quoted("none-high", at_most(0.35), PERCENT, _at_end(HIGH_NOTHING)),
    found_here("batch-nothing", at_least(0.94), PERCENT, _at_end(NOTHING), part="fresh"),
    found_here("layer", at_least(0.5), PERCENT, _at_end(LAYER), part="fresh"),
    found_here("level", between(-0.04, 0.04), POINTS, _at_end(NOTHING), part="fresh",
               difference=True, comparator="batch-nothing"),
    found_here("small-gamma", at_most(0.35), PERCENT, part="fresh"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    (plain_branch, plain_past), (branch, past) = (
        _at_step_0(seed, norm) for norm in ("none", "batch")
    )
    plain_share, share = plain_branch / plain_past, branch / past
    return {
        "identity": float(share[-1] / share[0]),
        "identity-none": float(plain_share[-1] / plain_share[0]),
        "grows": geometric_mean((plain_past[1:] / plain_past[:-1]).tolist()),
        "plain-stack": _accuracy(seed, BASE, "batch"),
        "batch": _accuracy(seed, SKIPS, "batch"),
        "none": _accuracy(seed, SKIPS, "none"),
        "none-nothing": _accuracy(seed, NOTHING, "none"),
        "batch-high": _accuracy(seed, HIGH_SKIPS, "batch"),
        "none-high": _accuracy(seed, HIGH_NOTHING, "none"),
    }


def measure_fresh(seed: int) -> ClaimValues:
    none, batch = (_accuracy(seed, NOTHING, norm) for norm in ("none", "batch"))
    return {
        "batch-nothing": batch,
        "layer": _accuracy(seed, LAYER, "layer"),
        "level": none - batch,
        "small-gamma": _with_small_gammas(seed),
    }


def _at_step_0(seed: int, norm: str) -> tuple[Tensor, Tensor]:
    """RMS of each block's branch and of its skip connection, on the training images."""
    experiment = begin(seed, {**SKIPS, "norms": (norm,)})
    network = experiment.networks[norm]
    inputs = torch.from_numpy(experiment.data.train_inputs).to(network.flat)
    layers = network.forward(inputs, training=True).layers
    branch, past = zip(
        *((_rms(each.normalized), _rms(each.summed - each.normalized))
          for each in layers if each.summed is not None),
        strict=True,
    )  # fmt: skip
    return torch.stack(branch), torch.stack(past)


def _rms(values: Tensor) -> Tensor:
    return values.double().square().mean().sqrt()


def _accuracy(seed: int, knobs: KnobValues, norm: str) -> float:
    return accuracies_after(seed, {**knobs, "norms": (norm,)}, STEPS)[norm]


def _with_small_gammas(seed: int) -> float:
    """Accuracy with BN and without skip connections, with every γ initialized to `SMALL_GAMMA`."""
    experiment = begin(seed, {**BASE, "norms": ("batch",)})
    for name, value in experiment.networks["batch"].parameters().items():
        if name.endswith(".gamma"):
            value.fill_(SMALL_GAMMA)
    experiment.advance(STEPS)
    return accuracy(experiment.snapshot(()).networks["batch"])


CLAIM = Claim(STATEMENTS, measure, parts={"fresh": measure_fresh})
