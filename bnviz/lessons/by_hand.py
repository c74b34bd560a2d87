"""Lesson with four numbers: if one changes, so do the normalized values of the other three."""

from __future__ import annotations

import numpy as np

from bnviz.lessons.four_numbers import POINTS, normalize
from bnviz.lessons.lesson import Found, Lesson, Numbers, TryIt, schedule
from bnviz.lessons.observation import Observation
from bnviz.probes.axis import UNIT_COUNT, units

LAST_STEP = 100
# Index of the value that changes, its new value, and index of the value in the question.
CHANGED, CHANGED_TO, ASKED = 3, 10.0, 2
# Layer and unit in which the run repeats the change: the last layer, and the unit shown in the
# chart.
LAYER, UNIT = -1, UNIT_COUNT // 2
# Maximum difference at which two results count as equal, because a page prints three decimals.
SAME = 5e-4


def exchanged(points: np.ndarray | tuple[float, ...], index: int, value: float) -> np.ndarray:
    after = np.array(points, dtype=np.float64)
    after[index] = value
    return after


BEFORE = normalize(POINTS)
AFTER = normalize(exchanged(POINTS, CHANGED, CHANGED_TO))
# Shift of the changed value in standard deviations. In the run's unit, the highest value is shifted
# by the same number of standard deviations.
MOVED_BY = (CHANGED_TO - POINTS[CHANGED]) / float(np.sqrt(BEFORE.var))


def answer_of(before: float, after: float) -> str:
    """Return whether a normalized value stayed, moved nearer to 0, or moved further from 0."""
    if abs(after - before) <= SAME:
        return "still"
    return "further" if abs(after) > abs(before) else "nearer"


def judge(observed: Observation) -> Found:
    """Judge the claim: the normalized value of an unchanged number moves towards 0.

    The claim is tested by hand and in a unit of the run. In the unit, the lowest value stays the
    same and the highest value rises by `MOVED_BY` standard deviations.
    """
    x = observed.value(LAST_STEP, "batch", "unit_batch", "x")[LAYER, UNIT]
    # The probe repeats the values of a small mini-batch to fill its fixed number of places.
    x = x[: observed.knob("batch_size", LAST_STEP)]
    eps = observed.config.norm_eps
    low, high = int(np.argmin(x)), int(np.argmax(x))
    first = normalize(x, eps)
    moved = x[high] + MOVED_BY * np.sqrt(first.var)
    second = normalize(exchanged(x, high, moved), eps)
    in_run = first.values[low], second.values[low]
    by_hand = float(BEFORE.values[ASKED]), float(AFTER.values[ASKED])
    numbers: Numbers = {
        "hand_before": by_hand[0],
        "hand_after": by_hand[1],
        "run_before": in_run[0],
        "run_after": in_run[1],
        "run_layer": observed.config.depth,
        "run_unit": int(units(observed.config.width)[UNIT]) + 1,
        "run_spread": first.values.std(),
    }
    held = answer_of(*by_hand) == answer_of(*in_run) == "nearer"
    return held, numbers, answer_of(*in_run)


def in_a_unit(observed: Observation) -> Numbers:
    """Return the numbers of `judge` for a run with other settings."""
    return judge(observed)[1]


LESSON = Lesson(
    name="by-hand",
    minutes=8,
    setting={"norms": ("batch",)},
    plan=schedule((LAST_STEP, 10), probes=("unit_batch",)),
    charts=("formula", "percentiles"),
    knobs=("norm_eps", "batch_size"),
    answers=("still", "further", "nearer"),
    rule=judge,
    free=("norm_eps", "batch_size"),
    breaks=(
        TryIt(
            name="batch-of-two", knobs={"batch_size": 2, "norm_eps": 0.0}, tell=in_a_unit,
            ends=False,
        ),
        TryIt(name="large-eps", knobs={"norm_eps": 1.0}, tell=in_a_unit, ends=False),
    ),
    widgets={"figure": ("by_hand",)},
    tried_first="by_hand",
    values={
        "point1": POINTS[0], "point2": POINTS[1], "point3": POINTS[2], "point4": POINTS[3],
        "changed_to": CHANGED_TO, "asked": POINTS[ASKED], "changed": POINTS[CHANGED],
        "mean": BEFORE.mean, "variance": BEFORE.var, "hand_before": float(BEFORE.values[ASKED]),
        "hand_after": float(AFTER.values[ASKED]), "mean_after": AFTER.mean,
        "variance_after": AFTER.var, "moved_by": MOVED_BY, "large_eps": 1,
        "unbiased": BEFORE.var * len(POINTS) / (len(POINTS) - 1),
    },
)  # fmt: skip
