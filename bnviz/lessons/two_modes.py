"""Lesson on inference: the same weights with running averages and with recomputed statistics."""

from __future__ import annotations

import numpy as np

from bnviz.lessons.drawing import Drawing, DrawnCurve
from bnviz.lessons.lesson import (
    RELU,
    TANH,
    Found,
    Lesson,
    Numbers,
    TryIt,
    cases,
    schedule,
)
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.plan import Plan
from bnviz.probes.axis import UNIT_COUNT

LAST_STEP = 200
ASKED = 20
# Further measured steps, which give the measured curves their shape.
BETWEEN = (5, 10, 30, 50, 100)
MOMENTUM = 0.01
# Differences in test accuracy: maximum to count as equal, and minimum to count as far apart.
EQUAL, APART = 0.02, 0.1
# Typical drawing of a test accuracy, in percent.
USUAL = (10, 80, 90, 95, 95)
NEVER, LAST_ONLY, LAST_ONLY_BATCH, DEPTH = 1e-6, 1.0, 8, 3
BREAK_STEPS = 300
# Step at which even running averages with a large momentum still lag.
SOON = 3
# The layer and the unit that the chart `formula` shows first.
SHOWN_LAYER, SHOWN_UNIT = DEPTH - 1, UNIT_COUNT // 2


def judge(observed: Observation) -> Found:
    """Judge the claim: at step `ASKED`, accuracy with running averages is far lower than with
    recomputed statistics; at the end, it is equal.
    """
    gap, end_gap = _gap(observed, ASKED), _gap(observed, LAST_STEP)
    numbers: Numbers = {
        "recomputed": _accuracy(observed, ASKED, "population"),
        "stored": _accuracy(observed, ASKED, "running"),
        "own": _accuracy(observed, ASKED, "batch"),
        "gap": gap,
        "end_recomputed": _accuracy(observed, LAST_STEP, "population"),
        "end_stored": _accuracy(observed, LAST_STEP, "running"),
        "end_gap": abs(end_gap),
    }
    return gap >= APART and abs(end_gap) < EQUAL, numbers, _answer(gap)


def _accuracy(observed: Observation, step: int, statistics: str) -> float:
    """Return test accuracy, 0 to 1, with one kind of statistics; 0 if logits are not finite."""
    found = observed.value(step, "batch", "mode_gap", statistics).item()
    return found if np.isfinite(found) else 0.0


def _gap(observed: Observation, step: int) -> float:
    """Return test accuracy with recomputed statistics minus test accuracy with running averages."""
    return _accuracy(observed, step, "population") - _accuracy(observed, step, "running")


def _answer(gap: float) -> str | None:
    if gap >= APART:
        return "third"
    if abs(gap) < EQUAL:
        return "equal"
    return "little" if gap >= EQUAL else None


def _drawn(recomputed: DrawnCurve, stored: DrawnCurve) -> str | None:
    """Return the answer that matches two drawn accuracy curves, in percent, at step `ASKED`."""
    return _answer((recomputed[ASKED] - stored[ASKED]) / 100)


def _apart_when_asked(recomputed: DrawnCurve, stored: DrawnCurve) -> float:
    """Return the gap between two accuracy curves at step `ASKED`, in percentage points."""
    there = [np.interp(ASKED, sorted(curve), [curve[s] for s in sorted(curve)]) for curve in
             (recomputed, stored)]  # fmt: skip
    return float(there[0] - there[1])


def _measured(observed: Observation) -> tuple[DrawnCurve, DrawnCurve]:
    """Return accuracy in percent, by kind of statistics, at the steps that all machines measure."""
    steps = (0, ASKED, *BETWEEN, LAST_STEP)
    recomputed, stored = (
        {step: 100 * _accuracy(observed, step, statistics) for step in steps}
        for statistics in ("population", "running")
    )
    return recomputed, stored


def _at_the_end(observed: Observation) -> Numbers:
    """Return final accuracy by kind of statistics, their gap, and flags that describe the gap."""
    step = observed.last_step
    gap = _gap(observed, step)
    case = "apart" if gap >= EQUAL else "met" if gap > -EQUAL else None
    return {
        "recomputed": _accuracy(observed, step, "population"),
        "stored": _accuracy(observed, step, "running"),
        "gap": gap,
        **cases("apart", "met", found=case),
    }


def _never_updated(observed: Observation) -> Numbers:
    """Return the final accuracies, and the mini-batch mean and variance of the shown unit."""
    mean, var = (
        observed.value(observed.last_step, "batch", "unit_batch", name)[SHOWN_LAYER, SHOWN_UNIT]
        for name in ("mean", "var")
    )
    return {**_at_the_end(observed), "mean": mean, "var": var}


def _soon_and_at_the_end(observed: Observation) -> Numbers:
    """Return the accuracy gap at step `SOON` and at the end, and layer norm's final accuracy."""
    return {
        "soon": _gap(observed, SOON),
        **_at_the_end(observed),
        "layer": observed.last_accuracy("layer"),
    }


def _break_plan(*early: int) -> Plan:
    return schedule((30, 10), (BREAK_STEPS, 40), shown=early, probes=("mode_gap", "unit_batch"))


LESSON = Lesson(
    name="two-modes",
    minutes=10,
    setting={
        "norms": ("batch",), "depth": DEPTH, **RELU,
        "norm_momentum": MOMENTUM,
    },
    plan=schedule(
        (30, 5), (LAST_STEP, 20), shown=tuple(sorted((ASKED, *BETWEEN))), probes=("mode_gap",)
    ),
    charts=("mode_gap", "formula"),
    knobs=("norm_momentum", "batch_size"),
    answers=("equal", "little", "third"),
    rule=judge,
    drawing=Drawing(
        on="mode_gap", network="batch", steps=(0, ASKED, 50, 100, LAST_STEP), last_step=LAST_STEP,
        marks={"asked": ASKED}, curves=("recomputed", "stored"), chosen=True, answer=_drawn,
        measured=_measured, compared=_apart_when_asked,
        usual={
            "equal": (*USUAL, *USUAL), "little": (*USUAL, 10, 75, 85, 90, 95),
            "third": (*USUAL, 10, 40, 70, 90, 95),
        },
    ),
    breaks=(
        TryIt(
            name="never", knobs={"norm_momentum": NEVER}, plan=_break_plan(), tell=_never_updated,
            ends=False,
        ),
        TryIt(
            name="last-only",
            knobs={
                "depth": 6, **TANH, "norm_momentum": LAST_ONLY,
                "batch_size": LAST_ONLY_BATCH,
            },
            plan=_break_plan(), tell=_at_the_end, ends=False,
        ),
        TryIt(
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
        "asked": ASKED, "momentum": MOMENTUM, "equal": 100 * EQUAL, "apart": 100 * APART,
        "remembered": (1 - MOMENTUM) ** ASKED, "last_only_batch": LAST_ONLY_BATCH,
        "usual_momentum": 0.1, "soon": SOON,
    },
)  # fmt: skip
