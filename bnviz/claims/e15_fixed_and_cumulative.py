"""E15, second part: frozen BN, and running averages with equal weight for all mini-batches."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import torch
from torch.nn.functional import cosine_similarity

from bnviz.claims.relative_errors import largest
from bnviz.claims.runs import accuracies, begin, begin_exact, gradients, mlp, snapshots
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    ClaimValues,
    KnobValues,
    Statement,
    at_least,
    at_most,
    between,
    calculated,
    earlier,
    found_here,
    in_lab,
    quoted,
)
from bnviz.experiment import Experiment, train
from bnviz.records import Change, Snapshot

FROZEN, CUMULATIVE, FAST_PART, TINY_PART = "frozen", "cumulative", "fast", "tiny"
FROZEN_AT, TINY_FROZEN_AT, LAST = 150, 500, 600
# First step and interval of the steps whose accuracies are averaged. With few examples per
# mini-batch, accuracy varies from step to step.
TINY_FROM, TINY_EVERY = 560, 10
EARLY = (1, 2, 3, 4, 5)
RAISED_TO, FEW = 1.0, 4
FAST, FAST_STEP = 3.0, 200
# First step and interval of the steps whose gaps are averaged. At a high learning rate the gap
# varies from step to step.
MEAN_FROM, MEAN_EVERY = 100, 50

BN: KnobValues = {"norms": ("batch",)}
FIXED: KnobValues = {"norm_statistics": "running"}
FROM_START: KnobValues = {**FIXED, "norms": ("none", "batch")}
OF_ALL: KnobValues = {**BN, "norm_momentum": None}
OF_ALL_FAST: KnobValues = {**OF_ALL, "learning_rate": FAST}
BN_FAST: KnobValues = {**BN, "learning_rate": FAST}

STATEMENTS: tuple[Statement, ...] = (
    calculated("frozen-modes", at_most(0), part=FROZEN),
    earlier("frozen-start", between(-0.03, 0.03), POINTS, in_lab(FROM_START, "gradients", LAST),
            part=FROZEN, difference=True, comparator="plain-start"),
    earlier("frozen-start-fast", at_most(0.2), PERCENT,
            in_lab({**FROM_START, "learning_rate": RAISED_TO}, "gradients", LAST), part=FROZEN),
    earlier("frozen-later", between(-0.02, 0.02), POINTS, part=FROZEN, difference=True),
    earlier("frozen-raised", at_most(0.2), PERCENT, part=FROZEN),
    earlier("raised", at_least(0.9), PERCENT, part=FROZEN),
    earlier("frozen-scale", at_least(0.02), part=FROZEN),
    quoted("frozen-tiny", at_least(0.02), POINTS, part=FROZEN, difference=True),
    earlier("cumulative-early", between(-0.05, 0.05), POINTS, in_lab(OF_ALL, "mode_gap", EARLY[-1]),
            part=CUMULATIVE, difference=True),
    earlier("cumulative-late", between(-0.02, 0.02), POINTS, in_lab(OF_ALL, "mode_gap", LAST),
            part=CUMULATIVE, difference=True),
    earlier("cumulative-fast", at_least(0.02), POINTS,
            in_lab(OF_ALL_FAST, "mode_gap", FAST_STEP), part=CUMULATIVE, difference=True),
    found_here("cumulative-mean", at_least(0.02), POINTS, in_lab(OF_ALL_FAST, "mode_gap", LAST),
               part=FAST_PART, instead_of="cumulative-fast", difference=True),
    found_here("momentum-mean", at_most(0.03), POINTS, in_lab(BN_FAST, "mode_gap", LAST),
               part=FAST_PART, difference=True),
    found_here("frozen-tiny-mean", at_least(0.01), POINTS, part=TINY_PART,
               instead_of="frozen-tiny"),
    found_here("cumulative-more", at_least(0.005), POINTS, part=FAST_PART,
               instead_of="cumulative-fast"),
)  # fmt: skip


def measure_frozen(seed: int) -> ClaimValues:
    start = _accuracies(seed, FROM_START)
    raised = {"learning_rate": RAISED_TO}
    free = _accuracies(seed, BN)["batch"]
    frozen = _accuracies(seed, BN, Change(FROZEN_AT, {**FIXED}))["batch"]
    tiny = {**BN, "batch_size": FEW}
    tiny_frozen = _accuracies(seed, tiny, Change(TINY_FROZEN_AT, {**FIXED}))["batch"]
    return {
        **_at_the_freeze(seed),
        "plain-start": start["none"],
        "frozen-start": start["batch"] - start["none"],
        "frozen-start-fast": _accuracies(seed, {**FROM_START, **raised})["batch"],
        "frozen-later": frozen - free,
        "frozen-raised": _accuracies(seed, BN, Change(FROZEN_AT, {**FIXED, **raised}))["batch"],
        "raised": _accuracies(seed, BN, Change(FROZEN_AT, {**raised}))["batch"],
        "frozen-tiny": tiny_frozen - _accuracies(seed, tiny)["batch"],
    }


def measure_cumulative(seed: int) -> ClaimValues:
    *early, late = snapshots(seed, OF_ALL, (*EARLY, LAST), "mode_gap")
    (fast,) = snapshots(seed, OF_ALL_FAST, (FAST_STEP,), "mode_gap")
    return {
        "cumulative-early": max(map(mode_gap, early)),
        "cumulative-late": mode_gap(late),
        "cumulative-fast": mode_gap(fast),
    }


def measure_fast(seed: int) -> ClaimValues:
    of_all, with_momentum = _mean_gap(seed, OF_ALL_FAST), _mean_gap(seed, BN_FAST)
    return {
        "cumulative-mean": of_all,
        "momentum-mean": with_momentum,
        "cumulative-more": of_all - with_momentum,
    }


def measure_tiny(seed: int) -> ClaimValues:
    tiny, change = {**BN, "batch_size": FEW}, Change(TINY_FROZEN_AT, {**FIXED})
    frozen, free = _mean_accuracy(seed, tiny, change), _mean_accuracy(seed, tiny)
    return {"frozen-tiny-mean": frozen - free}


def mode_gap(shot: Snapshot) -> float:
    """Accuracy with recomputed statistics minus accuracy with running averages."""
    found = shot.networks["batch"].probes["mode_gap"]
    return float(found["population"]) - float(found["running"])


def use_running_averages(experiment: Experiment) -> None:
    """Make the norms use their running averages in training from now on."""
    experiment.update(**FIXED)


def _mean_gap(seed: int, knobs: KnobValues) -> float:
    steps = range(MEAN_FROM, LAST + 1, MEAN_EVERY)
    return fmean(map(mode_gap, snapshots(seed, knobs, steps, "mode_gap")))


def _mean_accuracy(seed: int, knobs: KnobValues, *changes: Change) -> float:
    steps = range(TINY_FROM, LAST + 1, TINY_EVERY)
    shots = train(begin(seed, knobs), steps, (), changes)
    return fmean(accuracies(shot.networks)["batch"] for shot in shots)


def _accuracies(seed: int, knobs: KnobValues, *changes: Change) -> dict[str, float]:
    (last,) = train(begin(seed, knobs), (LAST,), (), changes)
    return accuracies(last.networks)


def _at_the_freeze(seed: int) -> dict[str, Any]:
    """Compare the logits in training and inference mode when the statistics become fixed.

    Also measure the median |cosine| between a unit's weights and their gradient.
    """
    experiment = begin_exact(seed, BN)
    experiment.advance(FROZEN_AT)
    use_running_averages(experiment)
    network, batch = mlp(experiment, "batch"), experiment.freeze().batch
    ours, theirs = (network.forward(batch[0], training=mode).logits for mode in (True, False))
    _, found = gradients(network, batch)
    cosines = torch.cat([
        cosine_similarity(layer.weight, own.weight, dim=1).abs()
        for layer, own in zip(network.layers, found.layers, strict=True)
    ])  # fmt: skip
    return {"frozen-modes": largest(ours - theirs), "frozen-scale": float(cosines.median())}
