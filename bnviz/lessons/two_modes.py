"""Two modes, one network: the same weights by the batch's statistics and by stored ones."""

from __future__ import annotations

import numpy as np

from bnviz.lessons.drawing import Curve, Drawing
from bnviz.lessons.lesson import (
    RELU,
    TANH,
    BreakIt,
    Found,
    Lesson,
    Numbers,
    cases,
    schedule,
)
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.plan import Plan

LAST_STEP = 200
ASKED = 20
# Steps at which the two are compared early on.
EARLY = (5, 10, ASKED, 30, 50)
# A step at which the curves are drawn, too.
LATE = 100
MOMENTUM = 0.01
# Test accuracies lie this far apart, or have met.
APART, MET = 0.1, 0.03
# "Equal", and "a few points", up to these differences.
EQUAL, LITTLE = 0.005, APART
# By so much drawn stored values may lead somewhere: a hand is not exact.
LEAD = 0.05
# Percentage points: drawn curves that lie less apart lie on each other, by hand.
BY_HAND = 2
NEVER, LAST_ONLY, LAST_ONLY_BATCH, DEPTH = 1e-6, 1.0, 8, 3
BREAK_STEPS = 300
# Of a network whose averages move fast, the step at which they still lag.
SOON = 3


def judge(watched: Watched) -> Found:
    """Held where the stored statistics are far behind early on, and have caught up at the end."""
    gaps = {step: _gap(watched, step) for step in EARLY}
    widest = max(gaps, key=lambda step: gaps[step])
    numbers: Numbers = {
        "recomputed": _accuracy(watched, ASKED, "population"),
        "stored": _accuracy(watched, ASKED, "running"),
        "own": _accuracy(watched, ASKED, "batch"),
        "gap": gaps[ASKED],
        "behind": gaps[ASKED] > 0,
        "widest": gaps[widest],
        "widest_at": widest,
        "later_gap": gaps[EARLY[-1]],
        "end_recomputed": _accuracy(watched, LAST_STEP, "population"),
        "end_stored": _accuracy(watched, LAST_STEP, "running"),
        "end_gap": _gap(watched, LAST_STEP),
        "off": _off(watched, ASKED),
        "end_off": _off(watched, LAST_STEP),
    }
    held = gaps[widest] >= APART and _gap(watched, LAST_STEP) <= MET
    return held, numbers, _answer(gaps[ASKED])


def _accuracy(watched: Watched, step: int, statistics: str) -> float:
    """Test accuracy, 0 to 1, by statistics of one kind; 0 where logits are not finite."""
    found = watched.value(step, "batch", "mode_gap", statistics).item()
    return found if np.isfinite(found) else 0.0


def _gap(watched: Watched, step: int) -> float:
    """By how much statistics measured anew do better than the stored ones."""
    return _accuracy(watched, step, "population") - _accuracy(watched, step, "running")


def _off(watched: Watched, step: int) -> float:
    """How far the stored mean lies from the mini-batch's, in its spreads: of the median
    unit of those that are shown.
    """
    stored, mean, var = (
        watched.value(step, "batch", "unit_batch", name) for name in ("running_mean", "mean", "var")
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.nanmedian(np.abs(stored - mean) / np.sqrt(var)))


def _answer(gap: float) -> str | None:
    """Which answer a difference of accuracies amounts to."""
    if gap >= APART:
        return "third"
    size = abs(gap)
    if size <= EQUAL:
        return "equal"
    return "little" if size <= LITTLE else None


def _drawn(recomputed: Curve, stored: Curve) -> str | None:
    """Which answer two drawn accuracies, in percent, amount to.

    *Equal* where they lie on each other all the way; else what their difference at the step that is
    asked for amounts to, unless the stored ones lead somewhere, or a small difference grows large.
    """
    gaps = {step: recomputed[step] - stored[step] for step in recomputed}
    if max(abs(gap) for gap in gaps.values()) <= BY_HAND:
        return "equal"
    answer = _answer(gaps[ASKED] / 100)
    if min(gaps.values()) < -100 * LEAD:
        return None
    if answer == "third":
        return "third"
    small = BY_HAND < gaps[ASKED] <= 100 * LITTLE and max(gaps.values()) < 100 * APART
    return "little" if small else None


def _apart_when_asked(recomputed: Curve, stored: Curve) -> float:
    """Percentage points between two accuracies at the step that is asked for."""
    there = [np.interp(ASKED, sorted(curve), [curve[s] for s in sorted(curve)]) for curve in
             (recomputed, stored)]  # fmt: skip
    return float(there[0] - there[1])


def _measured(watched: Watched) -> tuple[Curve, Curve]:
    """Both accuracies, in percent, at the steps that every machine measures."""
    steps = (0, *EARLY, LATE, LAST_STEP)
    recomputed, stored = (
        {step: 100 * _accuracy(watched, step, statistics) for step in steps}
        for statistics in ("population", "running")
    )
    return recomputed, stored


def _at_the_end(watched: Watched) -> Numbers:
    """Both accuracies at the end, and whether they lie apart."""
    step = watched.last_step
    gap = _gap(watched, step)
    case = "apart" if gap >= MET else "met" if gap >= -MET else None
    return {
        "recomputed": _accuracy(watched, step, "population"),
        "stored": _accuracy(watched, step, "running"),
        "gap": gap,
        **cases("apart", "met", found=case),
    }


def _soon_and_at_the_end(watched: Watched) -> Numbers:
    """How far apart the modes of BN are shortly after the start and at the end."""
    return {
        "soon": _gap(watched, SOON),
        **_at_the_end(watched),
        "layer": watched.last_accuracy("layer"),
    }


def _break_plan(*early: int) -> Plan:
    return schedule((30, 10), (BREAK_STEPS, 40), shown=early, probes=("mode_gap",))


LESSON = Lesson(
    name="two-modes",
    minutes=10,
    setting={
        "norms": ("batch",), "depth": DEPTH, **RELU,
        "norm_momentum": MOMENTUM,
    },
    plan=schedule(
        (30, 5), (LAST_STEP, 20), shown=(*EARLY, LATE), probes=("mode_gap", "unit_batch")
    ),
    charts=("mode_gap", "formula"),
    knobs=("norm_momentum", "batch_size"),
    answers=("equal", "little", "third"),
    rule=judge,
    drawing=Drawing(
        on="mode_gap", network="batch", steps=(0, ASKED, 50, LATE, LAST_STEP), last_step=LAST_STEP,
        marks={"asked": ASKED}, curves=("recomputed", "stored"), chosen=True, answer=_drawn,
        measured=_measured, compared=_apart_when_asked,
    ),
    breaks=(
        BreakIt(
            name="never", knobs={"norm_momentum": NEVER}, plan=_break_plan(), tell=_at_the_end,
            ends=False,
        ),
        BreakIt(
            name="last-only",
            knobs={
                "depth": 6, **TANH, "norm_momentum": LAST_ONLY,
                "batch_size": LAST_ONLY_BATCH,
            },
            plan=_break_plan(), tell=_at_the_end, ends=False,
        ),
        BreakIt(
            name="layer-norm",
            knobs={
                "norms": ("none", "layer", "batch"), **TANH,
                "norm_momentum": 0.1,
            },
            plan=_break_plan(SOON), tell=_soon_and_at_the_end, ends=False,
            charts=("accuracy", "mode_gap"),
        ),
    ),
    widgets={"why": ("compose_batch", "averages", "shift_outside")},
    values={
        "asked": ASKED, "later": EARLY[-1], "momentum": MOMENTUM,
        "remembered": (1 - MOMENTUM) ** ASKED, "last_only_batch": LAST_ONLY_BATCH,
        "usual_momentum": 0.1, "soon": SOON,
    },
)  # fmt: skip
