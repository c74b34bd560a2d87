"""E19: what γ and β restore (Ioffe & Szegedy 2015, section 3)."""

from __future__ import annotations

import statistics

import torch

from bnviz.claims.random_numbers import random_numbers
from bnviz.claims.runs import accuracies, accuracies_after, normal, snapshots
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    ClaimValues,
    KnobValues,
    at_least,
    at_most,
    between,
    calculated,
    found_here,
    in_lab,
    quoted,
)
from bnviz.config import RunConfig
from bnviz.networks.build import build_network

# Steps whose median accuracy is a run's accuracy, because accuracy dips at single steps.
TEST_STEPS = (520, 540, 560, 580, 600)
STEPS = TEST_STEPS[-1]
DIGITS_STEPS = 300
DEPTH, WIDTH, RATE = 2, 16, 0.3
# Number of pairs of opposite examples with two features.
PAIRS = 32

MOONS: KnobValues = {
    "dataset": "moons", "depth": DEPTH, "width": WIDTH, "activation": "sigmoid",
    "learning_rate": RATE, "norms": ("batch", "batch_scale", "batch_shift", "batch_bare"),
}  # fmt: skip
RING: KnobValues = {**MOONS, "dataset": "circles"}
LINEAR: KnobValues = {**MOONS, "activation": "linear", "norms": ("none",)}
RELU: KnobValues = {**RING, "activation": "relu", "norms": ("batch", "batch_bare")}
DIGITS: KnobValues = {"norms": ("batch", "batch_bare")}

ON_MOONS, ON_RING, ON_RELU_RING = (
    in_lab(knobs, "boundary", STEPS) for knobs in (MOONS, RING, RELU)
)  # fmt: skip
ON_DIGITS = in_lab(DIGITS, "affine", DIGITS_STEPS)

STATEMENTS = (
    quoted("moons-linear", between(-0.04, 0.04), POINTS, ON_MOONS,
           difference=True, comparator="linear"),
    quoted("moons-both", at_least(0.95), PERCENT, ON_MOONS),
    calculated("odd", at_most(1e-12), TIMES),
    calculated("ring-scale", at_most(0.6), PERCENT, ON_RING),
    calculated("ring-bare", at_most(0.6), PERCENT, ON_RING),
    found_here("moons-scale", at_least(0.95), PERCENT, ON_MOONS, part="fresh"),
    found_here("moons-shift", at_most(0.93), PERCENT, ON_MOONS, part="fresh"),
    found_here("ring-shift", at_least(0.75), PERCENT, ON_RING, part="fresh"),
    found_here("ring-relu", between(-0.04, 0.04), POINTS, ON_RELU_RING, part="fresh",
               difference=True, comparator="relu"),
    found_here("digits", between(-0.03, 0.03), POINTS, ON_DIGITS, part="fresh",
               difference=True, comparator="both"),
)  # fmt: skip


def measure(seed: int) -> ClaimValues:
    moons, ring, linear = (_accuracies(seed, knobs) for knobs in (MOONS, RING, LINEAR))
    return {
        "moons-linear": moons["batch_bare"] - linear["none"],
        "linear": linear["none"],
        "moons-both": moons["batch"],
        "odd": _asymmetry(seed),
        "ring-scale": ring["batch_scale"],
        "ring-bare": ring["batch_bare"],
    }


def measure_fresh(seed: int) -> ClaimValues:
    moons, ring, relu = (_accuracies(seed, knobs) for knobs in (MOONS, RING, RELU))
    digits = accuracies_after(seed, DIGITS, DIGITS_STEPS)
    return {
        "moons-scale": moons["batch_scale"],
        "moons-shift": moons["batch_shift"],
        "ring-shift": ring["batch_shift"],
        "ring-relu": relu["batch_bare"] - relu["batch"],
        "relu": relu["batch"],
        "digits": digits["batch_bare"] - digits["batch"],
        "both": digits["batch"],
    }


def _accuracies(seed: int, knobs: KnobValues) -> ClaimValues:
    looks = [accuracies(shot.networks) for shot in snapshots(seed, knobs, TEST_STEPS)]
    return {norm: statistics.median(look[norm] for look in looks) for norm in knobs["norms"]}


def _asymmetry(seed: int) -> float:
    """Largest |f(x) + f(−x) − c| ÷ largest |f(x)| for the sigmoid network without β.

    c is the mean of f(x) + f(−x) over the mini-batch, which consists of pairs x and −x.
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
    STATEMENTS, measure, parts={"fresh": measure_fresh}, other_numbers={"first": TEST_STEPS[0]}
)
