"""E19: what γ and β give back (IS15, section 3)."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracy, normal, play
from bnviz.claims.statement import (
    Claim,
    Kind,
    Statement,
    Unit,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.networks.build import build_network

# At single steps accuracy falls for a moment: that of a run is the median of these.
LOOKS = (520, 540, 560, 580, 600)
STEPS = LOOKS[-1]
DIGITS_STEPS = 300

NORMS = ("batch", "batch_scale", "batch_shift", "batch_bare")
MOONS: dict[str, Any] = {
    "dataset": "moons", "depth": 2, "width": 16, "activation": "sigmoid", "learning_rate": 0.3,
    "norms": NORMS,
}  # fmt: skip
RING: dict[str, Any] = {**MOONS, "dataset": "circles"}
LINEAR: dict[str, Any] = {**MOONS, "activation": "linear", "norms": ("none",)}
RELU: dict[str, Any] = {**RING, "activation": "relu", "norms": ("batch", "batch_bare")}
DIGITS: dict[str, Any] = {"norms": ("batch", "batch_bare")}
# Pairs of opposite examples, of two numbers each.
PAIRS = 32

FRESH = "fresh"
CHARTS = ("boundary",)


STATEMENTS = (
    Statement(
        key="moons-linear",
        expected=between(-0.04, 0.04),
        kind=Kind.PAPER,
        unit=Unit.POINTS,
        difference=True,
        comparator="linear",
        watch=in_lab(MOONS, CHARTS, STEPS),
    ),
    Statement(
        key="moons-both",
        expected=at_least(0.95),
        kind=Kind.PAPER,
        unit=Unit.PERCENT,
        watch=in_lab(MOONS, CHARTS, STEPS),
    ),
    Statement(key="odd", expected=at_most(1e-12), kind=Kind.CALCULATION, unit=Unit.TIMES),
    *(
        Statement(
            key=f"ring-{name}",
            expected=at_most(0.6),
            kind=Kind.CALCULATION,
            unit=Unit.PERCENT,
            watch=in_lab(RING, CHARTS, STEPS),
        )
        for name in ("scale", "bare")
    ),
    Statement(
        key="moons-scale",
        expected=at_least(0.95),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part=FRESH,
        watch=in_lab(MOONS, CHARTS, STEPS),
    ),
    Statement(
        key="moons-shift",
        expected=at_most(0.93),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part=FRESH,
        watch=in_lab(MOONS, CHARTS, STEPS),
    ),
    Statement(
        key="ring-shift",
        expected=at_least(0.75),
        kind=Kind.FOUND,
        unit=Unit.PERCENT,
        part=FRESH,
        watch=in_lab(RING, CHARTS, STEPS),
    ),
    Statement(
        key="ring-relu",
        expected=between(-0.04, 0.04),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part=FRESH,
        difference=True,
        comparator="relu",
        watch=in_lab(RELU, CHARTS, STEPS),
    ),
    Statement(
        key="digits",
        expected=between(-0.03, 0.03),
        kind=Kind.FOUND,
        unit=Unit.POINTS,
        part=FRESH,
        difference=True,
        comparator="both",
        watch=in_lab(DIGITS, ("affine",), DIGITS_STEPS),
    ),
)


def measure(seed: int) -> dict[str, float]:
    """One value a statement that was declared."""
    moons, ring, linear = (_accuracies(seed, setting) for setting in (MOONS, RING, LINEAR))
    return {
        "moons-linear": moons["batch_bare"] - linear["none"],
        "linear": linear["none"],
        "moons-both": moons["batch"],
        "odd": _asymmetry(seed),
        "ring-scale": ring["batch_scale"],
        "ring-bare": ring["batch_bare"],
    }


def measure_fresh(seed: int) -> dict[str, float]:
    """What was stated after it had been seen on other seeds."""
    moons, ring, relu = (_accuracies(seed, setting) for setting in (MOONS, RING, RELU))
    digits = _accuracies(seed, DIGITS, (DIGITS_STEPS,))
    return {
        "moons-scale": moons["batch_scale"],
        "moons-shift": moons["batch_shift"],
        "ring-shift": ring["batch_shift"],
        "ring-relu": relu["batch_bare"] - relu["batch"],
        "relu": relu["batch"],
        "digits": digits["batch_bare"] - digits["batch"],
        "both": digits["batch"],
    }


def _accuracies(
    seed: int, setting: Mapping[str, Any], looks: tuple[int, ...] = LOOKS
) -> dict[str, float]:
    """The median accuracy of each network over some steps."""
    config = RunConfig(**setting, seed=seed)
    shots = play(config, looks)
    return {
        norm: statistics.median(accuracy(shot.networks[norm]) for shot in shots)
        for norm in config.norms
    }


def _asymmetry(seed: int) -> float:
    """How far logits of opposite examples are from opposite, but for what all have in common.

    Of the sigmoid network without β, in training mode, on a batch of pairs x and −x, in float64:
    the largest |f(x) + f(−x) − c| by the largest |f(x)|, c their mean over the pairs.
    """
    config = RunConfig(**{**RING, "norms": ("batch_scale",)}, seed=seed)
    network = build_network(config, "batch_scale", 2, 2, dtype=torch.float64)
    numbers = random_numbers(seed, 19)
    for name, value in network.parameters().items():
        if name.endswith(".gamma"):
            value.copy_(1 + normal(numbers, *value.shape).abs())
    half = normal(numbers, PAIRS, 2)
    logits = network.forward(torch.cat([half, -half]), training=True).logits
    both = logits[:PAIRS] + logits[PAIRS:]
    return float((both - both.mean(dim=0)).abs().max() / logits.abs().max())


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={FRESH: measure_fresh},
    numbers={
        "depth": MOONS["depth"],
        "width": MOONS["width"],
        "rate": MOONS["learning_rate"],
        "first": LOOKS[0],
        "steps": STEPS,
        "digits_steps": DIGITS_STEPS,
        "pairs": PAIRS,
    },
)
