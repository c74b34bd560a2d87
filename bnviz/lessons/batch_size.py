"""Lesson on the batch size, which rises from two images per step to sixty."""

from __future__ import annotations

from bnviz.lessons.lesson import (
    LEVEL,
    BatchLoses,
    Found,
    Lesson,
    Numbers,
    TryIt,
    compared,
    either,
    schedule,
)
from bnviz.lessons.observation import Observation
from bnviz.probes.axis import ESTIMATE_SIZES
from bnviz.records import Change

FEW, MANY, EIGHT, DEPTH = 2, 60, 8, 3
# Steps per second at step 0: slow, so that readers can study the chart before training starts.
REST = 0.1
# Maximum distance from −1 or +1 that counts as ±1: because of ε, two almost equal values are not
# normalized to exactly ±1.
NEAR = 0.05
RAISED_AT, LAST_STEP, BREAK_LAST = 200, 400, 600
# Steps whose test accuracies are averaged, because test accuracy fluctuates with two images per
# step.
TEST_STEPS = (160, 180, RAISED_AT)
# Last measured step with two images per mini-batch, and a step soon after the batch size is raised.
BEFORE, LATER = RAISED_AT - 1, 220
# Minimum difference in test accuracy between layer norm and BN, minimum difference between no norm
# and BN, and minimum final test accuracy with BN.
BEHIND_LAYER, BEHIND_PLAIN, ARRIVES = 0.15, 0.1, 0.9
# Experiment with a raised learning rate: step at which the rate is raised, new rate, last step, and
# maximum test accuracy of a network that counts as stuck.
RATE_RAISED_AT, HIGH_RATE, RATE_LAST, STUCK = 100, 1.5, 300, 0.2
NETWORKS = {"none": "plain", "batch": "batch", "layer": "layer", "group": "group"}


def at_start(observed: Observation) -> Numbers:
    """Count the values near ±1 in eight units of layer 3, with and without BN."""
    found: Numbers = {}
    for norm, name in (("batch", "batch"), ("none", "plain")):
        values = observed.value(0, norm, "batch_values", "values")[-1, :, :FEW]
        found[f"{name}_at_one"] = int((abs(abs(values) - 1) <= NEAR).sum())
        found["dots"] = values.size
    return found


def judge(observed: Observation) -> Found:
    """Judge the claim: BN is far behind with two images per step, but learns well with sixty."""
    early = {norm: observed.mean_accuracy(TEST_STEPS, norm) for norm in NETWORKS}
    late = observed.accuracies_at(LAST_STEP)
    numbers: Numbers = {
        **{name: early[norm] for norm, name in NETWORKS.items()},
        **{f"{name}_end": late[norm] for norm, name in NETWORKS.items()},
        "batch_later": observed.accuracy(LATER, "batch"),
        "noise_before": _noise(observed, BEFORE, "batch"),
        "noise_end": _noise(observed, LAST_STEP, "batch"),
        "noise_upper": _noise(observed, LAST_STEP, "batch", layer=DEPTH),
        "noise_upper_plain": _noise(observed, LAST_STEP, "none", layer=DEPTH),
    }
    behind = early["none"] - early["batch"]
    held = (
        early["layer"] - early["batch"] >= BEHIND_LAYER
        and behind >= BEHIND_PLAIN
        and late["batch"] >= ARRIVES
    )
    return held, numbers, _answer(behind)


def _noise(observed: Observation, step: int, norm: str, layer: int = 1) -> float:
    """Return std(mini-batch mean) ÷ std(all values) of the units in one layer."""
    noise: float = observed.value(step, norm, "batch_noise", "mean")[layer - 1]
    return noise


def _answer(behind: float) -> str | None:
    if behind >= BEHIND_PLAIN:
        return "behind"
    if abs(behind) <= LEVEL:
        return "level"
    return "ahead" if behind < 0 else None


def _one(observed: Observation) -> Numbers:
    """Return whether the network with BN could train with a single image per step."""
    stood = observed.at(observed.last_step, "batch").undefined_norm is not None
    return either("stood", "went", stood)


def _stuck(observed: Observation) -> Numbers:
    """Return which networks are stuck at the end, after the learning rate has been raised."""
    found: Numbers = {}
    for norm in ("layer", "batch"):
        end = observed.last_accuracy(norm)
        stuck = bool(end <= STUCK)
        found |= {norm: end, f"{norm}_stuck": stuck, f"{norm}_well": not stuck}
    return found


LESSON = Lesson(
    name="batch-size",
    minutes=11,
    setting={
        "depth": DEPTH, "norms": tuple(NETWORKS), "batch_size": FEW,
    },
    plan=schedule(
        (1, REST), (RAISED_AT - 10, 40), (LATER, 10), (LAST_STEP, 40),
        shown=(*TEST_STEPS[:-1], BEFORE, RAISED_AT, LATER),
        changes=(Change(RAISED_AT, {"batch_size": MANY}),),
        probes=("batch_values", "batch_noise", "estimate"),
    ),
    charts=("batch_values", "accuracy", "batch_noise"),
    ranges={"batch_noise.mean": (0.001, 0.75)},
    guess_on="accuracy",
    knobs=("batch_size",),
    answers=("ahead", "level", "behind"),
    rule=judge,
    starts=at_start,
    said_at=BEFORE,
    breaks=(
        TryIt(
            name="one", knobs={"batch_size": 1}, plan=schedule((100, 40)), tell=_one,
            charts=("accuracy", "batch_values"),
        ),
        TryIt(
            name="eight", knobs={"batch_size": EIGHT, "norms": ("none", "batch")},
            plan=schedule((BREAK_LAST, 40)), tell=compared("batch", "none"),
            charts=("accuracy", "batch_values"),
        ),
        TryIt(
            name="two", knobs={"norms": ("none", "batch", "renorm")}, batch_loses=BatchLoses(),
            plan=schedule((BREAK_LAST, 40)), tell=compared("batch", "none"),
            charts=("accuracy", "batch_values"),
        ),
        TryIt(
            name="higher-rate",
            knobs={"depth": 6, "norms": ("none", "batch", "layer"), "batch_size": MANY},
            plan=schedule(
                (RATE_LAST, 40), changes=(Change(RATE_RAISED_AT, {"learning_rate": HIGH_RATE}),)
            ),
            tell=_stuck, charts=("accuracy",),
        ),
    ),
    widgets={"why": ("estimate", "leakage")},
    values={
        "rest": round(1 / REST), "near": NEAR, "behind_points": round(100 * BEHIND_PLAIN),
        "level_points": round(100 * LEVEL), "before": BEFORE,
        "few": FEW, "many": MANY, "eight": EIGHT, "raised_at": RAISED_AT, "later": LATER,
        "looked_from": TEST_STEPS[0], "looks": len(TEST_STEPS),
        "few_examples": FEW * RAISED_AT, "many_examples": MANY * (LAST_STEP - RAISED_AT),
        "break_steps": BREAK_LAST, "rate_raised_at": RATE_RAISED_AT, "high_rate": HIGH_RATE,
        "smallest": ESTIMATE_SIZES[0], "largest": ESTIMATE_SIZES[-1], "arrives": ARRIVES,
    },
)  # fmt: skip
