"""Why it does not start: a sigmoid network at chance level whose units are not saturated."""

from __future__ import annotations

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import RELU, BreakIt, Found, Lesson, Numbers, compared, either, schedule
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 300
ASKED = 25
AHEAD = 0.3
# Below this accuracy a network has not started.
STARTED = 0.3
# Shares of a layer's values in the flat zones: few at most, most at least.
FEW, MOST = 0.1, 0.5
# The gradient of layer 1 as a share of the output's: little at most, a good part at least.
LITTLE, PART = 0.25, 0.4
# Shares of what is measured with BN: images look alike up to the first, and gradients are as large
# from the second on.
ALIKE, AS_LARGE = 0.1, 0.8
WIDE = 1.0
# The first run of the series, in which the initial weights differ.
SERIES = RunConfig(init="normal", init_std=0.1)
# A run of the series has learned from this accuracy on.
LEARNED = 0.5
# Standard deviations of the initial weights; Glorot's rule gives about the fourth.
SPREADS = (0.001, 0.01, 0.03, 0.058, 0.1, 0.3, 1.0, 3.0)


def _flat(watched: Watched, norm: str, step: int = ASKED) -> float:
    """The share of values in the flat zones, in the layer with most of them."""
    return float(watched.value(step, norm, "saturation", "saturated").max())


def _left(watched: Watched, norm: str, step: int = ASKED) -> float:
    """The gradient of layer 1's weights, divided by that of the output's."""
    norms = watched.value(step, norm, "gradients", "grad_weight_norm")
    return float(norms[0] / norms[-1])


def judge(watched: Watched) -> Found:
    """Held where BN is ahead, the waiting network is not in the flat zones, and hears little."""
    plain, batch = (watched.accuracy(ASKED, norm) for norm in ("none", "batch"))
    flat, left = _flat(watched, "none"), _left(watched, "none")
    batch_left = _left(watched, "batch")
    apart = {
        norm: watched.value(ASKED, norm, "spread_between", "spread")[-1]
        for norm in ("none", "batch")
    }
    end = watched.accuracy(LAST_STEP, "none")
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
    """The answer that shares in the flat zones, images and gradients amount to."""
    if flat >= MOST:
        return "flat"
    if flat <= FEW and left <= LITTLE and alike:
        return "alike"
    return "slow" if as_large else None


def _worst_at_start(watched: Watched) -> Numbers:
    """The share in the flat zones at step 0, and the gradient that still reaches layer 1."""
    flat, left = _flat(watched, "none", 0), _left(watched, "none", 0)
    return {
        "plain_flat": flat,
        **either("most_flat", "fewer_flat", flat >= MOST),
        "plain_left": left,
        **either("grows", "fades", left > 1),
    }


def _dead(watched: Watched) -> Numbers:
    """The share of dead units in the worst layer at the end, or where a network stopped."""
    found: Numbers = {}
    for norm in watched.config.norms:
        last = watched.at(watched.last_step, norm)
        dead = watched.value(watched.last_step, norm, "saturation", "dead")
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
        BreakIt(
            name="large-weights",
            knobs={
                "depth": 6, "activation": "tanh", "init": "normal", "init_std": WIDE,
                "learning_rate": 0.1,
            },
            tell=_worst_at_start,
        ),
        BreakIt(
            name="dying",
            knobs={
                "depth": 6, **RELU, "init_std": None,
                "learning_rate": 0.5,
            },
            tell=_dead,
        ),
        BreakIt(
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
