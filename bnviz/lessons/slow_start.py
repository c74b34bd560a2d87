"""Why it does not start: a sigmoid network that waits, and where its units are meanwhile."""

from __future__ import annotations

import math

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import RELU, BreakIt, Found, Lesson, Numbers, compared, either, schedule
from bnviz.lessons.watched import Watched
from bnviz.networks.saturation_zones import FLAT_ZONES
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 300
ASKED = 25
AHEAD = 0.3
# A network that waits stays below this accuracy.
STARTED = 0.3
# A layer has few values in the flat zones up to this share, most of them from the other on.
FEW, MOST = 0.1, 0.5
# What is left of the output's gradient in layer 1: little of it, or a good part.
LITTLE, PART = 0.25, 0.4
# Images look alike to a network whose last layer differs between them by at most this share of the
# difference with BN; its gradients are as large as with BN from this share on.
ALIKE, AS_LARGE = 0.1, 0.8
WIDE = 1.0
# Where charts draw the borders of a sigmoid's flat zones.
FLAT_BELOW, FLAT_ABOVE = FLAT_ZONES["sigmoid"][0][1], FLAT_ZONES["sigmoid"][1][0]
# A sigmoid is as flat there as a number can say.
BEYOND = 700.0


def _slope(x: float) -> float:
    """How steep a sigmoid is at x, as a share of its greatest slope, 0 to 1."""
    return 1 / math.cosh(min(abs(x), BEYOND) / 2) ** 2


# Of the runs of the series, whose weights begin with different spreads.
SERIES = RunConfig(init="normal", init_std=0.1)
# One of those runs that ends at this accuracy or more has learned.
LEARNED = 0.5
# What the weights of the series begin with; the fourth is about what Glorot's rule gives there.
SPREADS = (0.001, 0.01, 0.03, 0.058, 0.1, 0.3, 1.0, 3.0)


def _flat(watched: Watched, norm: str, step: int = ASKED) -> float:
    """The share of values in the flat zones, of the layer that has most of them."""
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
    received = watched.value(ASKED, "none", "percentiles", "layer")  # [L, 3]
    low, middle, high = received[-1]
    slopes = [_slope(median) for median in received[:, 1]]
    end = watched.accuracy(LAST_STEP, "none")
    numbers: Numbers = {
        "plain": plain,
        "batch": batch,
        "last_low": low,
        "last_median": middle,
        "last_high": high,
        "last_slope": slopes[-1],
        "below_slope": min(slopes[:-1]),
        "plain_flat": flat,
        "batch_flat": _flat(watched, "batch"),
        "plain_left": left,
        "batch_left": batch_left,
        "plain_apart": apart["none"],
        "batch_apart": apart["batch"],
        "plain_end": end,
        **either("started", "waits", end >= STARTED),
        "batch_end": watched.accuracy(LAST_STEP, "batch"),
        "plain_flat_end": _flat(watched, "none", LAST_STEP),
    }
    held = batch - plain >= AHEAD and flat <= FEW and left <= LITTLE and batch_left >= PART
    alike = bool(apart["none"] <= ALIKE * apart["batch"])
    return held, numbers, _answer(flat, left, alike=alike, as_large=left >= AS_LARGE * batch_left)


def _answer(flat: float, left: float, *, alike: bool, as_large: bool) -> str | None:
    """Where the waiting network's units were, how images looked to it, and what came back."""
    if flat >= MOST:
        return "flat"
    if flat <= FEW and left <= LITTLE and alike:
        return "alike"
    return "slow" if as_large else None


def _worst_at_start(watched: Watched) -> Numbers:
    """The share in the flat zones at step 0, and what becomes of the gradient all the same."""
    flat, left = _flat(watched, "none", 0), _left(watched, "none", 0)
    return {
        "plain_flat": flat,
        **either("most_flat", "fewer_flat", flat >= MOST),
        "plain_left": left,
        **either("grows", "fades", left > 1),
    }


def _dead(watched: Watched) -> Numbers:
    """The share of dead units in the worst layer at the end.

    Of a network that stopped on the way, at that step.
    """
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
        probes=("saturation", "gradients", "spread_between", "percentiles"),
    ),
    charts=(
        "accuracy", "percentiles", "saturation",
        "gradients",
    ),
    half=("saturation", "gradients"),
    knobs=("init_std", "activation"),
    answers=("flat", "alike", "slow"),
    rule=judge,
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
        "widest": SPREADS[-1], "flat_below": FLAT_BELOW, "flat_above": FLAT_ABOVE,
        "flat_slope": _slope(FLAT_ABOVE), "series_rate": SERIES.learning_rate,
    },
    series=Comparison.over(
        "init_std", SPREADS, SERIES.replace(init_std=SPREADS[0]), last_step=LAST_STEP,
        learned=LEARNED,
    ),
)  # fmt: skip
