"""Why not whiten? How fast networks with whitened layers learn, and what a step of them costs."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import fmean, median

import numpy as np

from bnviz.lessons.lesson import BatchLoses, BreakIt, Found, Lesson, Value, compared
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.planned_runs.plan import Plan

LAST_STEP = 100
# Steps over which the accuracies of early training are averaged.
LOOKS = (15, 20, 25, 30, 40)
# Means of accuracies this close are about the same.
SAME = 0.005
# As many times as long as one with BN a whitened step takes, at least.
LONGER = 2.0
FEW, FEW_STEPS, MANY = 8, 25, 240
ORDER = ("batch", "iternorm", "zca")


def judge(watched: Watched) -> Found:
    """Held where a network with whitened layers is behind BN early on, and a step takes longer."""
    early = {norm: _early(watched, norm) for norm in ORDER}
    times = {norm: _times_as_long(watched, norm) for norm in ("iternorm", "zca")}
    numbers: dict[str, Value] = {
        **{f"{norm}_early": mean for norm, mean in early.items()},
        **{f"{norm}_longer": ratio for norm, ratio in times.items()},
        **{norm: watched.accuracy(LAST_STEP, norm) for norm in ORDER},
        **{f"{norm}_correlation": _correlation(watched, norm) for norm in ORDER},
        **_directions(watched),
    }
    gap = early["zca"] - early["batch"]
    return gap < 0 and times["zca"] >= LONGER, numbers, _answer(gap)


def _early(watched: Watched, norm: str) -> float:
    """The mean test accuracy of early training: a single look may miss which network is ahead."""
    return fmean(watched.accuracy(step, norm) for step in LOOKS)


def _answer(gap: float) -> str:
    """Which answer it is that the whitened network is so far ahead of BN."""
    return "same" if abs(gap) <= SAME else "faster" if gap > 0 else "slower"


def _times_as_long(watched: Watched, norm: str) -> float:
    """How many times as long as one with BN a step takes.

    Each time is a median of several steps. The ratio is the middle one of all that were measured:
    what else the machine does then matters little, and both networks take turns.

    Raises:
        NotMeasured: no step was timed.
    """
    found = list[float]()
    for step in (*LOOKS, LAST_STEP):
        own, batch = (watched.at(step, each).seconds_per_step for each in (norm, "batch"))
        if own and batch:
            found.append(own / batch)
    if not found:
        raise NotMeasured("the time of a step")
    return median(found)


def _correlation(watched: Watched, norm: str) -> float:
    """How strongly units correlate at the end: the mean over the layers."""
    return float(np.nanmean(watched.value(LAST_STEP, norm, "rank", "correlation")))


def _directions(watched: Watched) -> dict[str, Value]:
    """In how many directions the mini-batch varies in the last layer with BN, and in how many not.

    In the network with BN; before its norm.
    """
    zeros = int(watched.value(LAST_STEP, "batch", "spectrum", "zeros")[-1])
    units = watched.config.width
    return {"units": units, "zeros": zeros, "directions": units - zeros}


def _at_the_end(watched: Watched) -> Mapping[str, Value]:
    """Both accuracies at the end, and who is ahead."""
    last = watched.last_step
    numbers = {norm: watched.accuracy(last, norm) for norm in watched.config.norms}
    return {**numbers, **compared("zca", "batch")(watched)}


def _with_directions(watched: Watched) -> Mapping[str, Value]:
    return {**_at_the_end(watched), **_directions(watched)}


def _plan(last_step: int, *probes: str) -> Plan:
    return Plan(
        rates=((last_step, 10),), last_step=last_step, shown=(0, last_step), probes=probes
    )  # fmt: skip


LESSON = Lesson(
    name="whitening",
    minutes=7,
    setting={"norms": ORDER},
    plan=Plan(
        rates=((LAST_STEP, 10),), last_step=LAST_STEP, shown=(0, *LOOKS, LAST_STEP),
        probes=("rank", "spectrum"),
    ),
    charts=(("accuracy", "full"), ("cost", "full"), ("spectrum", "full"), ("rank", "full")),
    knobs=("batch_size",),
    answers=("faster", "same", "slower"),
    rule=judge,
    breaks=(
        BreakIt(
            name="few",
            knobs={"norms": ("none", "batch", "zca"), "batch_size": FEW},
            plan=_plan(FEW_STEPS), tell=_at_the_end, batch_loses=BatchLoses(to="zca"),
        ),
        BreakIt(
            name="many", knobs={"batch_size": MANY}, plan=_plan(FEW_STEPS, "spectrum"),
            tell=_with_directions,
        ),
        BreakIt(
            name="relu", knobs={"activation": "relu", "init": "he"}, plan=_plan(LAST_STEP),
            tell=_at_the_end,
        ),
    ),
    widgets={"why": ("cloud",)},
    introduces=("whitening", "covariance-matrix"),
    values={"looked_from": LOOKS[0], "looked_to": LOOKS[-1], "few": FEW, "many": MANY},
)  # fmt: skip
