"""Lesson on a slow start: a sigmoid network at chance level whose units are not saturated."""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import RELU, Found, Lesson, Numbers, TryIt, compared, either, schedule
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 300
ASKED = 25
AHEAD = 0.3
# Minimum test accuracy of a network that has started to learn.
STARTED = 0.3
# Shares of saturated values in a layer: maximum to count as few, minimum to count as most.
FEW, MOST = 0.1, 0.5
# Gradient norm of layer 1 ÷ gradient norm of the output layer: maximum to count as little, and
# minimum to count as a large part.
LITTLE, PART = 0.25, 0.4
# Limits relative to the network with BN: maximum difference between images that count as alike, and
# minimum gradient that counts as equally large.
ALIKE, AS_LARGE = 0.1, 0.8
WIDE = 1.0
# Settings for the series of runs that differ in their initial weights.
SERIES = RunConfig(init="normal", init_std=0.1)
# Minimum test accuracy at which a run of the series counts as having learned.
LEARNED = 0.5
# Standard deviations of the initial weights; the fourth is close to Glorot's rule.
SPREADS = (0.001, 0.01, 0.03, 0.058, 0.1, 0.3, 1.0, 3.0)


def _flat(observed: Observation, norm: str, step: int = ASKED) -> float:
    """Return the share of saturated values in the most saturated layer."""
    return float(observed.value(step, norm, "saturation", "saturated").max())


def _left(observed: Observation, norm: str, step: int = ASKED) -> float:
    """Return the gradient norm of layer 1's weights ÷ the gradient norm of the output weights."""
    norms = observed.value(step, norm, "gradients", "grad_weight_norm")
    return float(norms[0] / norms[-1])


def judge(observed: Observation) -> Found:
    """Judge the claim: BN is ahead; without BN, saturation is rare and gradients are small."""
    plain, batch = (observed.accuracy(ASKED, norm) for norm in ("none", "batch"))
    flat, left = _flat(observed, "none"), _left(observed, "none")
    batch_left = _left(observed, "batch")
    apart = {
        norm: observed.value(ASKED, norm, "spread_between", "spread")[-1]
        for norm in ("none", "batch")
    }
    end = observed.accuracy(LAST_STEP, "none")
    numbers: Numbers = {
        "plain": plain,
        "batch": batch,
        "plain_flat": flat,
        "plain_left": left,
        "batch_left": batch_left,
        "plain_apart": apart["none"],
        "batch_apart": apart["batch"],
        "plain_end": end,
        **either("started", "waits", end >= STARTED),
    }
    held = batch - plain >= AHEAD and flat <= FEW and left <= LITTLE and batch_left >= PART
    alike = bool(apart["none"] <= ALIKE * apart["batch"])
    return held, numbers, _answer(flat, left, alike=alike, as_large=left >= AS_LARGE * batch_left)


def _answer(flat: float, left: float, *, alike: bool, as_large: bool) -> str | None:
    if flat >= MOST:
        return "flat"
    if flat <= FEW and left <= LITTLE and alike:
        return "alike"
    return "slow" if as_large else None


def _worst_at_start(observed: Observation) -> Numbers:
    """Return the relative gradient of layer 1 and the largest saturation, at step 0 without BN."""
    flat, left = _flat(observed, "none", 0), _left(observed, "none", 0)
    return {
        "plain_flat": flat,
        **either("most_flat", "fewer_flat", flat >= MOST),
        "plain_left": left,
        **either("grows", "fades", left > 1),
    }


def _dead(observed: Observation) -> Numbers:
    """Return each network's largest share of dead units in a layer, at the end or when it
    stopped.
    """
    found: Numbers = {}
    for norm in observed.config.norms:
        last = observed.at(observed.last_step, norm)
        dead = observed.value(observed.last_step, norm, "saturation", "dead")
        stopped = last.stopped is not None
        found[f"{norm}_dead"] = None if stopped else np.nanmax(dead)
        found[f"{norm}_dead_then"] = np.nanmax(dead) if stopped else None
    return found


LESSON = Lesson(
    name="slow-start",
    minutes=8,
    setting={
        "depth": 3, "activation": "sigmoid", "init": "normal", "init_std": 0.1,
        "learning_rate": 1.0,
    },
    plan=schedule(
        (50, 10), (LAST_STEP, 20), shown=(ASKED,),
        probes=("saturation", "gradients", "spread_between"),
    ),
    charts=("saturation", "gradients", "accuracy", "percentiles"),
    covered=("saturation", "gradients"),
    half=("accuracy", "percentiles"),
    guess_on="saturation",
    ranges={"gradients.grad_weight_norm": (0.0075, 4)},
    knobs=("init_std", "activation"),
    answers=("flat", "alike", "slow"),
    rule=judge,
    said_at=ASKED,
    breaks=(
        TryIt(
            name="large-weights",
            knobs={
                "depth": 6, "activation": "tanh", "init": "normal", "init_std": WIDE,
                "learning_rate": 0.1,
            },
            tell=_worst_at_start,
        ),
        TryIt(
            name="dying",
            knobs={
                "depth": 6, **RELU, "init_std": None,
                "learning_rate": 0.5,
            },
            tell=_dead,
        ),
        TryIt(
            name="black-and-white",
            knobs={"input_scaling": "binary"},
            tell=compared("batch", "none"),
        ),
    ),
    break_rates=((50, 20), (LAST_STEP, 40)),
    values={
        "asked": ASKED, "wide": WIDE, "dying_rate": 0.5, "narrowest": SPREADS[0],
        "widest": SPREADS[-1], "series_rate": SERIES.learning_rate,
    },
    series=Comparison.over(
        "init_std", SPREADS, SERIES.replace(init_std=SPREADS[0]), last_step=LAST_STEP,
        learned=LEARNED,
    ),
)  # fmt: skip
