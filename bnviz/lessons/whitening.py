"""Why not whiten? How fast networks with whitened layers learn, and what a step of them costs."""

from __future__ import annotations

from statistics import median

import numpy as np

from bnviz.lessons.lesson import RELU, BreakIt, Found, Lesson, Numbers, cases, schedule
from bnviz.lessons.watched import NotMeasured, Watched

LAST_STEP = 100
# Steps over which the accuracies of early training are averaged.
LOOKS = (15, 20, 25, 30, 40)
# Means of accuracies this close are about the same.
SAME = 0.005
# As many times as long as one with BN a whitened step takes, at least.
LONGER = 2.0
# The last of them, at ten steps per second: the pace of its breaks.
EARLY = (LOOKS[-1], 10)
FEW, MANY = 8, 240
ORDER = ("batch", "iternorm", "zca")


def judge(watched: Watched) -> Found:
    """Held where a network with whitened layers is behind BN early on, and a step takes longer."""
    early = {norm: watched.mean_accuracy(LOOKS, norm) for norm in ORDER}
    times = {norm: _times_as_long(watched, norm) for norm in ("iternorm", "zca")}
    numbers: Numbers = {
        **{f"{norm}_early": mean for norm, mean in early.items()},
        **{f"{norm}_longer": ratio for norm, ratio in times.items()},
        **watched.accuracies_at(LAST_STEP),
        **{f"{norm}_correlation": _correlation(watched, norm) for norm in ORDER},
        **_directions(watched, LAST_STEP),
    }
    answer = _answer(early["zca"] - early["batch"])
    return answer == "slower" and times["zca"] >= LONGER, numbers, answer


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
    return np.nanmean(watched.value(LAST_STEP, norm, "rank", "correlation"))


def _directions(watched: Watched, step: int) -> Numbers:
    """In how many directions the mini-batch varies in the last layer with BN, and in how many not.

    In the network with BN; before its norm.
    """
    zeros = int(watched.value(step, "batch", "spectrum", "zeros")[-1])
    units = watched.config.width
    return {"units": units, "zeros": zeros, "directions": units - zeros}


def _by_answer(watched: Watched) -> Numbers:
    """How far both networks came early on, and which of the answers that gives."""
    batch, zca = (watched.mean_accuracy(LOOKS, norm) for norm in ("batch", "zca"))
    answer = _answer(zca - batch)
    return {"batch": batch, "zca": zca, **cases("faster", "same", "slower", found=answer)}


def _with_directions(watched: Watched) -> Numbers:
    return {**_by_answer(watched), **_directions(watched, watched.last_step)}


LESSON = Lesson(
    name="whitening",
    minutes=7,
    setting={"norms": ORDER},
    plan=schedule((LAST_STEP, 10), shown=LOOKS, probes=("rank", "spectrum")),
    charts=("accuracy", "cost", "spectrum", "rank"),
    knobs=("batch_size",),
    answers=("faster", "same", "slower"),
    rule=judge,
    breaks=(
        BreakIt(
            name="few",
            # The same networks as in the lesson's run, so that each keeps its colour.
            knobs={"batch_size": FEW}, plan=schedule(EARLY, shown=LOOKS), tell=_by_answer,
            ends=False,
        ),
        BreakIt(
            name="many", knobs={"batch_size": MANY}, tell=_with_directions, ends=False,
            plan=schedule(EARLY, shown=LOOKS, probes=("spectrum",)),
        ),
        BreakIt(
            name="relu", knobs=RELU, plan=schedule(EARLY, shown=LOOKS),
            tell=_by_answer, ends=False,
        ),
    ),
    widgets={"why": ("cloud",)},
    values={"looked_from": LOOKS[0], "looked_to": LOOKS[-1], "few": FEW, "many": MANY},
)  # fmt: skip
