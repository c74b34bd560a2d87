"""Lesson on γ and β: networks with both, with one of them or with neither, on ring-shaped data."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import Found, Lesson, Numbers, TryIt, compared, either, schedule
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 600
# Test accuracies: minimum of a network whose decision boundary encloses the inner ring, and maximum
# of a network at chance level.
CLOSED, CHANCE = 0.75, 0.65
# Test accuracies on the moons: minimum of a network whose decision boundary bends, and maximum of a
# network whose boundary is almost straight.
BENT, STRAIGHT = 0.95, 0.93
# Steps whose median accuracy is compared, because accuracy on the moons drops at single steps.
TEST_STEPS = (520, 540, 560, 580, LAST_STEP)
WITH_SCALE, WITHOUT_SCALE = ("batch", "batch_scale"), ("batch_shift", "batch_bare")
WITH_SHIFT, WITHOUT_SHIFT = ("batch", "batch_shift"), ("batch_scale", "batch_bare")
NETWORKS = ("batch", "batch_scale", "batch_shift", "batch_bare")
# Run on the digits: number of steps, and the lab's default settings.
DIGITS_STEPS = 300
DIGITS = {
    "dataset": "digits", "depth": 6, "width": 100, "activation": "tanh", "learning_rate": 0.1,
}  # fmt: skip
HIGH_RATE = 3.0
AFTER = RunConfig(norms=("batch",))
# Columns of the probe `shape` (first line) and of the probe `affine` (second line).
GOT, MADE = 0, 1
LOW, MIDDLE, HIGH = 0, 1, 2


def _median(observed: Observation, norm: str) -> float:
    return float(np.median([observed.accuracy(step, norm) for step in TEST_STEPS]))


def _range(observed: Observation, norm: str, name: str, step: int) -> tuple[float, float]:
    """Return the lowest 10th and the highest 90th percentile of γ or β over all layers."""
    found = observed.value(step, norm, "affine", name)
    return found[:, LOW].min(), found[:, HIGH].max()


def judge(observed: Observation) -> Found:
    """Judge the claim: networks with β separate the rings, and networks without β stay at chance
    level.
    """
    found = {norm: observed.accuracy(LAST_STEP, norm) for norm in NETWORKS}
    shift_low, _, shift_high = observed.value(LAST_STEP, "batch_shift", "affine", "beta")[0]
    scale_low, _, scale_high = observed.value(LAST_STEP, "batch_scale", "affine", "gamma")[0]
    numbers: Numbers = {
        **found,
        "shift_low": shift_low,
        "shift_high": shift_high,
        "scale_low": scale_low,
        "scale_high": scale_high,
    }
    closed = {norm: found[norm] >= CLOSED for norm in NETWORKS}
    chance = {norm: found[norm] <= CHANCE for norm in NETWORKS}
    held = all(closed[n] for n in WITH_SHIFT) and all(chance[n] for n in WITHOUT_SHIFT)
    return held, numbers, "shift" if held else _other_answer(closed, chance)


def _other_answer(closed: Mapping[str, bool], chance: Mapping[str, bool]) -> str | None:
    """Return the answer that matches a run in which the claim does not hold, or None."""
    if all(closed.values()):
        return "all"
    by_scale = all(closed[n] for n in WITH_SCALE) and all(chance[n] for n in WITHOUT_SCALE)
    return "scale" if by_scale else None


def _moons(observed: Observation) -> Numbers:
    """Return all accuracies, whether only the networks with γ are accurate, and the median γ of
    each layer in the network without β.
    """
    found = {norm: _median(observed, norm) for norm in NETWORKS}
    by_scale = (
        min(found[n] for n in WITH_SCALE) >= BENT
        and max(found[n] for n in WITHOUT_SCALE) <= STRAIGHT
    )
    lower, upper = observed.value(LAST_STEP, "batch_scale", "affine", "gamma")[:, MIDDLE]
    return {**found, "scale_lower": lower, "scale_upper": upper, "by_scale": by_scale}


def _on_digits(observed: Observation) -> Numbers:
    """Return which network is ahead, and the final range of γ and β with BN."""
    (low, high), (left, right) = (
        _range(observed, "batch", name, observed.last_step) for name in ("gamma", "beta")
    )
    return {
        **compared("batch", "batch_bare")(observed),
        "scale_low": low,
        "scale_high": high,
        "shift_most": max(-left, right),
    }


def _after(observed: Observation) -> Numbers:
    """Return whether BN after the nonlinearity stays finite at a high learning rate."""
    stopped = observed.at(observed.last_step, "batch").stopped
    return {"stopped": stopped, **either("gone", "goes_on", stopped is not None)}


def _normality(observed: Observation) -> Numbers:
    """Measure how non-normal the values are before and after the weights of the upper layers.

    The network without a norm is measured. Layer 1 is left out because it receives the images.
    """
    found: dict[str, float] = {}
    for when, step in (("start", 0), ("end", observed.last_step)):
        distance = observed.value(step, "none", "shape", "distance")[1:]
        for place, column in (("got", GOT), ("made", MADE)):
            found[f"{place}_{when}"] = np.median(distance[:, column])
    zeros = observed.value(0, "none", "shape", "zeros")[1:]
    found["got_zeros"], found["made_zeros"] = (
        np.median(zeros[:, column]) for column in (GOT, MADE)
    )
    nearer = all(found[f"made_{when}"] < found[f"got_{when}"] for when in ("start", "end"))
    return {**found, **either("nearer", "not_nearer", nearer)}


LESSON = Lesson(
    name="scale-and-shift",
    minutes=9,
    setting={
        "dataset": "circles", "depth": 2, "width": 16, "activation": "sigmoid",
        "learning_rate": 0.3, "norms": NETWORKS,
    },
    plan=schedule((LAST_STEP, 40), probes=("affine",)),
    charts=("boundary", "affine", "accuracy"),
    ranges={"affine.gamma": (0.5, 2), "affine.beta": (-1.8, 2)},
    knobs=("dataset", "activation"),
    answers=("all", "scale", "shift"),
    rule=judge,
    breaks=(
        TryIt(
            name="moons", knobs={"dataset": "moons"},
            plan=schedule((LAST_STEP, 40), shown=TEST_STEPS, probes=("affine",)), tell=_moons,
            ends=False,
        ),
        TryIt(
            name="relu",
            knobs={"activation": "relu", "norms": ("batch", "batch_bare")},
            tell=compared("batch", "batch_bare"),
        ),
        TryIt(
            name="digits", knobs={**DIGITS, "norms": ("batch", "batch_bare")},
            plan=schedule((DIGITS_STEPS, 40), probes=("affine",)), tell=_on_digits,
            charts=("accuracy", "affine"),
        ),
        TryIt(
            name="after",
            knobs={**DIGITS, "norms": ("batch",), "norm_position": "after",
                   "learning_rate": HIGH_RATE},
            plan=schedule((DIGITS_STEPS, 40)), tell=_after, charts=("accuracy", "affine"),
        ),
        TryIt(
            name="normality",
            knobs={**DIGITS, "activation": "relu", "norms": ("none", "batch")},
            plan=schedule((DIGITS_STEPS, 40), probes=("shape",)), tell=_normality, ends=False,
            charts=("shape", "accuracy"),
        ),
    ),
    widgets={"why": ("gamma_beta",)},
    values={
        "looked_from": TEST_STEPS[0], "looks": len(TEST_STEPS), "high_rate": HIGH_RATE,
        "usual_rate": AFTER.learning_rate, "digits_steps": DIGITS_STEPS,
    },
    series=Comparison.over(
        "norm_position", ("before", "after"), AFTER, last_step=DIGITS_STEPS
    ),
)  # fmt: skip
