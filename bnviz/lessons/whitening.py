"""Lesson on whitening: how fast networks with whitened layers learn, and the time per step."""

from __future__ import annotations

from statistics import median

import numpy as np

from bnviz.lessons.lesson import RELU, Found, Lesson, Numbers, TryIt, cases, schedule
from bnviz.lessons.observation import NotMeasured, Observation

LAST_STEP = 100
# Early steps over which test accuracies are averaged.
TEST_STEPS = (15, 20, 25, 30, 40)
# Maximum difference at which two mean test accuracies count as equal.
SAME = 0.005
# Minimum ratio of the time per step with whitening to the time per step with BN.
LONGER = 2.0
# Pace of the experiments up to the last early step: (that step, steps per second).
EARLY = (TEST_STEPS[-1], 10)
FEW, MANY = 8, 240
ORDER = ("batch", "iternorm", "zca")


def judge(observed: Observation) -> Found:
    """Judge the claim: early on, whitening is less accurate than BN, and a step takes longer."""
    early = {norm: observed.mean_accuracy(TEST_STEPS, norm) for norm in ORDER}
    times = {norm: _times_as_long(observed, norm) for norm in ("iternorm", "zca")}
    numbers: Numbers = {
        **{f"{norm}_early": mean for norm, mean in early.items()},
        **{f"{norm}_longer": ratio for norm, ratio in times.items()},
        **observed.accuracies_at(LAST_STEP),
        **{f"{norm}_correlation": _correlation(observed, norm) for norm in ORDER},
        **_zeros(observed, LAST_STEP),
    }
    answer = _answer(early["zca"] - early["batch"])
    return answer == "slower" and times["zca"] >= LONGER, numbers, answer


def _answer(gap: float) -> str:
    return "same" if abs(gap) <= SAME else "faster" if gap > 0 else "slower"


def _times_as_long(observed: Observation, norm: str) -> float:
    """Return the time per step ÷ the time with BN, or raise NotMeasured if no step was timed.

    The median is used because other programs on the machine can delay single steps.
    """
    found = list[float]()
    for step in (*TEST_STEPS, LAST_STEP):
        own, batch = (observed.at(step, each).seconds_per_step for each in (norm, "batch"))
        if own and batch:
            found.append(own / batch)
    if not found:
        raise NotMeasured("time per step")
    return median(found)


def _correlation(observed: Observation, norm: str) -> float:
    """Return the mean absolute correlation between units at the end, averaged over layers."""
    return np.nanmean(observed.value(LAST_STEP, norm, "rank", "correlation"))


def _zeros(observed: Observation, step: int) -> Numbers:
    """Count the directions in which the last layer's values do not vary before BN."""
    return {"zeros": int(observed.value(step, "batch", "spectrum", "zeros")[-1])}


def _by_answer(observed: Observation) -> Numbers:
    """Return the early accuracies of BN and ZCA whitening, and the answer that matches them."""
    batch, zca = (observed.mean_accuracy(TEST_STEPS, norm) for norm in ("batch", "zca"))
    answer = _answer(zca - batch)
    return {"batch": batch, "zca": zca, **cases("faster", "same", "slower", found=answer)}


def _with_zeros(observed: Observation) -> Numbers:
    return {**_by_answer(observed), **_zeros(observed, observed.last_step)}


LESSON = Lesson(
    name="whitening",
    minutes=7,
    setting={"norms": ORDER},
    plan=schedule((LAST_STEP, 10), shown=TEST_STEPS, probes=("rank", "spectrum")),
    charts=("accuracy", "cost", "spectrum", "rank"),
    ranges={"seconds_per_step": (0, 0.008)},
    knobs=("batch_size",),
    answers=("faster", "same", "slower"),
    rule=judge,
    breaks=(
        TryIt(
            name="many", knobs={"batch_size": MANY}, tell=_with_zeros, ends=False,
            plan=schedule(EARLY, shown=TEST_STEPS, probes=("spectrum",)),
        ),
        TryIt(
            name="few",
            # Use the same networks as in the lesson's run, so that each network keeps its colour.
            knobs={"batch_size": FEW}, plan=schedule(EARLY, shown=TEST_STEPS), tell=_by_answer,
            ends=False,
        ),
        TryIt(
            name="relu", knobs=RELU, plan=schedule(EARLY, shown=TEST_STEPS),
            tell=_by_answer, ends=False,
        ),
    ),
    widgets={"why": ("cloud",)},
    values={
        "looked_from": TEST_STEPS[0], "looked_to": TEST_STEPS[-1], "looks": len(TEST_STEPS),
        "few": FEW,
        "many": MANY,
    },
)  # fmt: skip
