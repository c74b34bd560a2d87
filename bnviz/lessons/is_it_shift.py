"""Lesson on internal covariate shift: BN with random shifts and scales, and a raised
learning rate.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import (
    RELU,
    Found,
    Lesson,
    Numbers,
    TryIt,
    cases,
    compared,
    either,
    schedule,
)
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.comparison import Comparison
from bnviz.planned_runs.gauges import Ratios
from bnviz.records import Change

LAST_STEP, BREAK_LAST = 300, 200
RAISED_AT, RAISED_TO = 100, 1.0
# Steps over which the shift is averaged, just before the learning rate is raised.
COUNTED_FROM = 90
COUNTED = tuple(range(COUNTED_FROM, RAISED_AT))
# Minimum ratio of the shift of layer inputs with noisy BN to the shift of layer inputs without BN.
FARTHER = 3.0
SURVIVES, FALLEN = 0.85, 0.2
# A network learns badly if, before the learning rate is raised, its accuracy is lower than the
# accuracy with BN by more than this.
BADLY = 0.1
# Maximum shift per step at which the inputs of a network count as not moving.
STILL = 1e-3
NETWORKS = {"none": "plain", "batch": "batch", "noisy": "noisy"}

# Steps at which shift and smoothness are measured.
GAUGED = (20, 50, 100, 200)
FAST, SLOW = 0.1, 0.01
# Ratios from 1 ÷ this factor to this factor count as equal to 1.
NEARLY = 1.1
PAIR = ("none", "batch")
RELU_FAST = {"depth": 3, **RELU, "learning_rate": FAST, "norms": PAIR}
TANH_SLOW = {"depth": 8, "learning_rate": SLOW, "norms": PAIR}
# Standard deviation of torch's default initial weights for 100 inputs.
TORCH_STD = 0.058
DEEP = {"depth": 13, "activation": "relu", "init": "normal", "init_std": TORCH_STD}


def judge(observed: Observation) -> Found:
    """Judge the claim: noisy BN shifts inputs far more than no norm does, but keeps learning."""
    shift = {norm: _shift(observed, norm) for norm in NETWORKS}
    before = observed.accuracies_at(RAISED_AT)
    end = observed.accuracies_at(LAST_STEP)
    numbers: Numbers = {}
    for norm, name in NETWORKS.items():
        numbers[f"{name}_shift"] = shift[norm]
        numbers[f"{name}_before"], numbers[name] = before[norm], end[norm]
    noisy, plain, batch = (shift[norm] for norm in ("noisy", "none", "batch"))
    numbers["times_plain"] = noisy / plain if plain > 0 else None
    numbers["times_batch"] = noisy / batch if batch > 0 else None
    held = noisy >= FARTHER * plain and end["noisy"] >= SURVIVES and end["none"] <= FALLEN
    return held, numbers, _answer(before, end)


def _shift(observed: Observation, norm: str) -> float:
    """Return the mean change of a unit's median per step, before the learning rate is raised."""
    moves = [observed.value(step, norm, "median_step", "change") for step in COUNTED]
    return float(np.mean(moves))


def _answer(before: Mapping[str, float], end: Mapping[str, float]) -> str | None:
    """Return which networks survived; "weak" if noisy BN lagged before the learning rate rose."""
    if end["none"] > FALLEN or end["batch"] < SURVIVES:
        return None
    if end["noisy"] >= SURVIVES:
        return "both"
    return "weak" if before["noisy"] < before["batch"] - BADLY else "only"


def _stands_still(observed: Observation) -> Numbers:
    """Return the shift per step and the final accuracy of three deep networks."""
    found: Numbers = {}
    for norm, name in NETWORKS.items():
        found[f"{name}_shift"] = _shift(observed, norm)
        found[name] = observed.last_accuracy(norm)
    return {**found, **either("still", "moves", _shift(observed, "none") <= STILL)}


def _gradient_shift(observed: Observation) -> Numbers:
    """Compare gradient shift with and without BN; raise NotMeasured if a step is missing."""
    ratios = Ratios(gauges=("gradient_shift",), steps=GAUGED)
    for step, norm in product(GAUGED, PAIR):
        observed.value(step, norm, "ics", "change")
    times = ratios.of({step: observed.snapshot(step) for step in GAUGED})["gradient_shift"]
    size = None if times is None else max(times, 1 / times)
    found = None if size is None or times is None else (
        "same" if size <= NEARLY else "raises" if times > 1 else "lowers"
    )  # fmt: skip
    return {
        "times": times, **cases("raises", "lowers", "same", found=found),
        "plain": observed.last_accuracy("none"),
        "batch": observed.last_accuracy("batch"),
        **compared("batch", "none")(observed),
    }  # fmt: skip


GRADIENTS = schedule((BREAK_LAST, 40), shown=GAUGED, probes=("ics",))

LESSON = Lesson(
    name="is-it-shift",
    minutes=12,
    setting={"norms": tuple(NETWORKS)},
    plan=schedule(
        (RAISED_AT, 20), (RAISED_AT + 20, 5), (LAST_STEP, 40), shown=(*COUNTED, RAISED_AT),
        changes=(Change(RAISED_AT, {"learning_rate": RAISED_TO}),), probes=("median_step",),
    ),
    charts=("accuracy", "shift_per_step"),
    ranges={"median_step.change": (3e-5, 2)},
    knobs=("learning_rate", "depth", "activation"),
    answers=("only", "both", "weak"),
    rule=judge,
    breaks=(
        TryIt(
            name="deep", knobs=DEEP, tell=_stands_still, ends=False,
            plan=schedule((BREAK_LAST, 20), shown=COUNTED, probes=("median_step",)),
        ),
        TryIt(
            name="gradients-up", knobs=TANH_SLOW, tell=_gradient_shift, plan=GRADIENTS,
            charts=("ics", "accuracy"), ends=False,
        ),
        TryIt(
            name="gradients-down", knobs=RELU_FAST, tell=_gradient_shift, plan=GRADIENTS,
            charts=("ics", "accuracy"), ends=False,
        ),
    ),
    series_first=True,
    series=Comparison.of(
        "gauges",
        {
            "relu-fast": RunConfig(**RELU_FAST),
            "relu-small": RunConfig(**{**RELU_FAST, "init": "normal", "init_std": TORCH_STD}),
            "relu-slow": RunConfig(**{**RELU_FAST, "init": "glorot", "learning_rate": SLOW}),
            "tanh-slow": RunConfig(**TANH_SLOW),
        },
        last_step=GAUGED[-1],
        ratios=Ratios(gauges=("gradient_shift", "loss_range", "effective_beta"), steps=GAUGED),
    ),
    accounts=("inputs", "loss", "scale", "depends"),
    values={
        "raised_at": RAISED_AT, "raised_to": RAISED_TO, "counted_from": COUNTED_FROM,
        "fast": FAST, "slow": SLOW,
    },
)  # fmt: skip
