"""Lesson on depth: fifty ReLU layers with BN, whose gradient explodes at the start."""

from __future__ import annotations

import math

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import (
    RELU,
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
from bnviz.planned_runs.comparison import Comparison
from bnviz.presets import PRESETS

LAST_STEP = 150
# Step by which training has damped the growth of the gradient.
EARLY = 10
# Expected range of the factor by which the gradient grows per layer, from the top layer down, at
# step 0.
LEAST_GROWTH, MOST_GROWTH = 1.15, 1.3
# Test accuracies: minimum of a network that learns, and maximum of a network that does not.
LEARNS, STAYS = 0.85, 0.35
# Minimum test accuracy at which a run in a comparison counts as having learned.
LEARNED = 0.5
# Maximum relative change per layer at which a gradient counts as keeping its size.
KEEPS = 0.05
# A share of the gradient below this limit is expressed as "n times smaller".
SMALL = 0.1
TEN, TEN_STEPS = 10, 300
# Lowest layer at which the gradient is measured. Layer 1 is left out, because its factor depends on
# the scaling of the inputs.
LOWEST = 2
# Steps per second at step 0: slow, so that readers can study the charts before training starts.
REST = 0.1
# Minimum ratio (with BN ÷ without BN) of the number of directions that the images span, from which
# BN counts as spanning more directions.
MORE_DIRECTIONS = 1.5

STACK = {**RELU, "width": 50}
FIFTY = {**STACK, "depth": 50}
# Settings of a network with a skip connection every two layers, and of the same network with
# branches that start at zero.
SKIPS = {**FIFTY, "skip": 2}
QUIET = {**SKIPS, "branch_start": 0.0}
# Preset about rank collapse, used with all its settings.
NARROW = PRESETS["e7-rank-collapse"]
SIGMOID = {"activation": "sigmoid", "init": "glorot", "width": 100, "depth": TEN}


def _sizes(observed: Observation, norm: str, step: int) -> np.ndarray:
    """Return the RMS of the gradient in each hidden layer, from the lowest to the highest."""
    return observed.value(step, norm, "gradients", "grad_pre_activation_rms")[:-1]


def _growth(
    observed: Observation, norm: str, step: int, lowest: int = LOWEST
) -> tuple[float, float]:
    """Return the gradient's growth factor down to layer `lowest`: per layer, and in total."""
    sizes = _sizes(observed, norm, step)[lowest - 1 :]
    whole = float(sizes[0] / sizes[-1]) if sizes[-1] else float("inf")
    return whole ** (1 / (len(sizes) - 1)), whole


def _factor(observed: Observation, norm: str, step: int) -> float | None:
    """Return the gradient's growth per layer; None if it is infinite or the network has stopped."""
    if observed.at(step, norm).stopped is not None:
        return None
    factor, _ = _growth(observed, norm, step)
    return factor if math.isfinite(factor) else None


def at_start(observed: Observation) -> Numbers:
    """Measure how the gradient grows at step 0."""
    sizes = _sizes(observed, "batch", 0)
    growth, whole = _growth(observed, "batch", 0)
    return {
        "batch_top": sizes[-1], "batch_low": sizes[LOWEST - 1],
        "batch_growth": growth, "batch_whole": whole,
        "plain_growth": _growth(observed, "none", 0)[0],
    }  # fmt: skip


def judge(observed: Observation) -> Found:
    """Judge the claim: with BN, the gradient explodes at the start and the network does not
    learn.
    """
    batch, plain = (observed.accuracy(LAST_STEP, norm) for norm in ("batch", "none"))
    stopped = {norm: observed.at(LAST_STEP, norm).stopped for norm in ("batch", "none")}
    start = at_start(observed)
    growth, _ = _growth(observed, "batch", 0)
    plain_growth, _ = _growth(observed, "none", 0)
    plain_end = _factor(observed, "none", LAST_STEP)
    fades = abs(plain_growth - 1) <= KEEPS and plain_end is not None and plain_end < 1 - KEEPS
    numbers: Numbers = {
        **start,
        "batch": batch if stopped["batch"] is None else None,
        "batch_stopped": stopped["batch"],
        "plain": plain if stopped["none"] is None else None,
        "plain_stopped": stopped["none"],
        "plain_infinite": stopped["none"] is not None,
        "batch_early": _factor(observed, "batch", EARLY),
        "plain_end": plain_end,
        "plain_fades": fades and plain <= STAYS,
        "plain_learns": plain >= LEARNS,
    }
    held = LEAST_GROWTH <= growth <= MOST_GROWTH and batch <= STAYS
    return held, numbers, _answer(batch)


def _answer(accuracy: float) -> str:
    if accuracy >= LEARNS:
        return "learns"
    return "stays" if accuracy <= STAYS else "slowly"


def _vanishes(observed: Observation) -> Numbers:
    """Return the share of each gradient left after ten layers, and whether BN rescues training."""
    found: Numbers = {}
    for norm in observed.config.norms:
        factor, whole = _growth(observed, norm, 0, lowest=1)
        found |= {f"{norm}_factor": factor, f"{norm}_left": whole}
        # Express a small share as "n times smaller".
        found[f"{norm}_parts"] = 1 / whole if 0 < whole < SMALL else None
    last = observed.accuracies_at(observed.last_step)
    rescued = last["batch"] >= LEARNS and last["none"] <= STAYS
    return {**found, **either("rescued", "not_rescued", rescued)}


def _with_skips(observed: Observation) -> Numbers:
    factor, whole = _growth(observed, "batch", 0)
    return {"batch_growth": factor, "batch_whole": whole}


def _stretches(observed: Observation) -> Numbers:
    """Return the final 10th and 90th percentile of the last layer's Jacobian singular values.

    The Jacobian uses running averages (inference mode), which are accurate only after training.
    """
    found: Numbers = {}
    for norm in observed.config.norms:
        low, _, high = observed.value(observed.last_step, norm, "jacobian", "percentiles")[-1]
        even = bool(max(abs(low - 1), abs(high - 1)) <= KEEPS)
        found |= {f"{norm}_low": low, f"{norm}_high": high, f"{norm}_even": even}
    return {**found, **compared("batch", "none")(observed)}


def _directions(observed: Observation) -> Numbers:
    """Count the directions that images fill in the last hidden layer, at the start and the end."""
    found: dict[str, float] = {}
    for norm in observed.config.norms:
        for when, step in (("start", 0), ("end", observed.last_step)):
            found[f"{norm}_{when}"] = observed.value(step, norm, "rank", "participation")[-1]
    more = found["batch_start"] >= MORE_DIRECTIONS * found["none_start"]
    return {**found, **either("more", "as_few", more)}


LESSON = Lesson(
    name="depth",
    minutes=10,
    setting=FIFTY,
    plan=schedule(
        (1, REST), (2 * EARLY, 5), (LAST_STEP, 20),
        shown=(EARLY,), probes=("gradients", "amplify"),
    ),
    charts=("gradient_by_layer", "accuracy", "growth"),
    covered=("gradient_by_layer", "growth"),
    ranges={
        "gradients.grad_pre_activation_rms": (2e-7, 100), "gradients.growth": (0.2, 25),
    },
    guess_on="accuracy",
    knobs=("depth", "activation", "learning_rate"),
    answers=("learns", "slowly", "stays"),
    rule=judge,
    starts=at_start,
    said_at=0,
    break_rates=((2 * EARLY, 5), (LAST_STEP, 20)),
    sets_up=Comparison.of(
        "ten-layers",
        {"sigmoid": RunConfig(**SIGMOID), "relu": RunConfig(**STACK, depth=TEN)},
        last_step=TEN_STEPS, learned=LEARNED,
    ),
    series=Comparison.of(
        "skips",
        {"none": RunConfig(**FIFTY), "skips": RunConfig(**SKIPS), "quiet": RunConfig(**QUIET)},
        last_step=LAST_STEP, learned=LEARNED,
    ),
    series_first=True,
    breaks=(
        TryIt(name="skips", knobs=SKIPS, tell=_with_skips, said_at=0),
        TryIt(
            name="sigmoid", knobs=SIGMOID, tell=_vanishes, said_at=0,
            plan=schedule((TEN_STEPS, 40), probes=("gradients", "amplify")),
        ),
        TryIt(
            name="twenty", knobs={"depth": 20, "learning_rate": 0.01}, batch_loses=BatchLoses(),
            tell=compared("batch", "none"),
            plan=schedule((200, 40), probes=("gradients", "amplify")),
        ),
        TryIt(
            name="fast", knobs={**QUIET, "learning_rate": 1.0}, tell=compared("batch", "none"),
            plan=schedule((LAST_STEP, 20), probes=("gradients", "amplify")),
        ),
        TryIt(
            name="straight",
            knobs={
                "activation": "linear", "init": "orthogonal", "width": 100, "depth": 6,
                "learning_rate": 0.01,
            },
            tell=_stretches, charts=("jacobian", "accuracy"),
            plan=schedule((100, 20), probes=("gradients", "amplify", "jacobian")),
        ),
        TryIt(
            name="narrow", knobs=NARROW.config().model_dump(), tell=_directions, ends=False,
            charts=("rank", "accuracy"),
            plan=schedule((NARROW.step_to_see, 10), probes=("gradients", "amplify", "rank")),
        ),
    ),
    widgets={"more": ("amplify", "ellipse")},
    values={
        "early": EARLY, "learns": LEARNS, "stays": STAYS, "factors": FIFTY["depth"] - LOWEST,
        "rest": round(1 / REST), "ten": TEN, "ten_steps": TEN_STEPS, "twenty": 20, "low_rate": 0.01,
        "high_rate": 1, "narrow_steps": NARROW.step_to_see, "narrow_units": NARROW.config().width,
    },
)  # fmt: skip
