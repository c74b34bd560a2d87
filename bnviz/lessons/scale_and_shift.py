"""What γ and β give back: four networks with and without them, and a border that is to be bent."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bnviz.config import RunConfig
from bnviz.lessons.lesson import BreakIt, Found, Lesson, Numbers, compared, either, schedule
from bnviz.lessons.watched import Watched
from bnviz.planned_runs.comparison import Comparison

LAST_STEP = 600
# At single steps a network's accuracy falls for a moment: the middle one of these five is told.
LOOKED_AT = (520, 540, 560, 580, LAST_STEP)
# A border that has bent tells so many points apart; one that is almost straight at most so many.
BENT, STRAIGHT = 0.95, 0.93
WITH_SCALE, WITHOUT_SCALE = ("batch", "batch_scale"), ("batch_shift", "batch_bare")
WITH_SHIFT, WITHOUT_SHIFT = ("batch", "batch_shift"), ("batch_scale", "batch_bare")
NETWORKS = ("batch", "batch_scale", "batch_shift", "batch_bare")
# Of a ring inside a ring: a network tells them apart, or guesses.
CLOSED, GUESSES = 0.75, 0.6
# The digits, as the lab begins.
DIGITS_STEPS = 300
DIGITS = {
    "dataset": "digits", "depth": 6, "width": 100, "activation": "tanh", "learning_rate": 0.1,
}  # fmt: skip
HIGH_RATE = 3.0
AFTER = RunConfig(norms=("batch",))
# Columns of the probe `shape`, and of `affine`.
GOT, MADE = 0, 1
LOW, HIGH = 0, 2


def _told(watched: Watched, norm: str) -> float:
    """The middle one of a network's accuracies at the steps that are looked at."""
    return float(np.median([watched.accuracy(step, norm) for step in LOOKED_AT]))


def _range(watched: Watched, norm: str, name: str, step: int) -> tuple[float, float]:
    """Between which values 80 % of a network's γ or β lie, of all layers the widest."""
    found = watched.value(step, norm, "affine", name)
    return found[:, LOW].min(), found[:, HIGH].max()


def _widest(watched: Watched, norm: str, name: str) -> tuple[float, float, int]:
    """The same of the layer in which they lie furthest apart, and its number."""
    found = watched.value(LAST_STEP, norm, "affine", name)
    layer = int(np.argmax(found[:, HIGH] - found[:, LOW]))
    return found[layer, LOW], found[layer, HIGH], layer + 1


def judge(watched: Watched) -> Found:
    """Held where both networks with γ have bent their border, and neither of the others."""
    told = {norm: _told(watched, norm) for norm in NETWORKS}
    low, high, layer = _widest(watched, "batch_scale", "gamma")
    numbers: Numbers = {
        **told,
        "scale_low": low,
        "scale_high": high,
        "scale_layer": layer,
        **{
            f"{norm}_flat": watched.value(LAST_STEP, norm, "saturation", "saturated").max()
            for norm in ("batch_scale", "batch_bare")
        },
    }
    bent = {norm: told[norm] >= BENT for norm in NETWORKS}
    straight = {norm: told[norm] <= STRAIGHT for norm in NETWORKS}
    held = all(bent[n] for n in WITH_SCALE) and all(straight[n] for n in WITHOUT_SCALE)
    return held, numbers, _answer(bent, straight, held=held)


def _answer(bent: Mapping[str, bool], straight: Mapping[str, bool], *, held: bool) -> str | None:
    """Which networks bent their border."""
    if held:
        return "scale"
    return "all" if all(bent.values()) else "none" if all(straight.values()) else None


def _ring(watched: Watched) -> Numbers:
    """Each network's accuracy, and whether it is β that closes a border to a ring."""
    told = {norm: _told(watched, norm) for norm in NETWORKS}
    by_shift = (
        min(told[n] for n in WITH_SHIFT) >= CLOSED
        and max(told[n] for n in WITHOUT_SHIFT) <= GUESSES
    )
    low, high, layer = _widest(watched, "batch_shift", "beta")
    return {
        **told, "shift_low": low, "shift_high": high, "shift_layer": layer, "by_shift": by_shift,
    }  # fmt: skip


def _on_digits(watched: Watched) -> Numbers:
    """Who is ahead, and how far γ and β have moved."""
    (low, high), (left, right) = (
        _range(watched, "batch", name, watched.last_step) for name in ("gamma", "beta")
    )
    return {
        **compared("batch", "batch_bare")(watched),
        "scale_low": low,
        "scale_high": high,
        "shift_most": max(-left, right),
    }


def _after(watched: Watched) -> Numbers:
    """Whether a network whose norm stands after the nonlinearity goes on at a high rate."""
    stopped = watched.at(watched.last_step, "batch").stopped
    return {"stopped": stopped, **either("gone", "goes_on", stopped is not None)}


def _normality(watched: Watched) -> Numbers:
    """How far from normal the upper layers' values are, before their weights and after them.

    Of the network without a norm; the lowest layer gets the images themselves, and is left out.
    """
    found: dict[str, float] = {}
    for when, step in (("start", 0), ("end", watched.last_step)):
        distance = watched.value(step, "none", "shape", "distance")[1:]
        for place, column in (("got", GOT), ("made", MADE)):
            found[f"{place}_{when}"] = np.median(distance[:, column])
    zeros = watched.value(0, "none", "shape", "zeros")[1:]
    found["got_zeros"], found["made_zeros"] = (
        np.median(zeros[:, column]) for column in (GOT, MADE)
    )
    nearer = all(found[f"made_{when}"] < found[f"got_{when}"] for when in ("start", "end"))
    return {**found, **either("nearer", "not_nearer", nearer)}


LESSON = Lesson(
    name="scale-and-shift",
    minutes=9,
    setting={
        "dataset": "moons", "depth": 2, "width": 16, "activation": "sigmoid",
        "learning_rate": 0.3, "norms": NETWORKS,
    },
    plan=schedule((LAST_STEP, 40), shown=LOOKED_AT, probes=("affine", "saturation")),
    charts=("boundary", "affine", "accuracy"),
    knobs=("dataset", "activation"),
    answers=("all", "scale", "none"),
    rule=judge,
    breaks=(
        BreakIt(name="circles", knobs={"dataset": "circles"}, tell=_ring, ends=False),
        BreakIt(
            name="relu",
            knobs={"dataset": "circles", "activation": "relu", "norms": ("batch", "batch_bare")},
            tell=compared("batch", "batch_bare"),
        ),
        BreakIt(
            name="digits", knobs={**DIGITS, "norms": ("batch", "batch_bare")},
            plan=schedule((DIGITS_STEPS, 40), probes=("affine",)), tell=_on_digits,
            charts=("accuracy", "affine"),
        ),
        BreakIt(
            name="after",
            knobs={**DIGITS, "norms": ("batch",), "norm_position": "after",
                   "learning_rate": HIGH_RATE},
            plan=schedule((DIGITS_STEPS, 40)), tell=_after, charts=("accuracy", "affine"),
        ),
        BreakIt(
            name="normality",
            knobs={**DIGITS, "activation": "relu", "norms": ("none", "batch")},
            plan=schedule((DIGITS_STEPS, 40), probes=("shape",)), tell=_normality, ends=False,
            charts=("shape", "accuracy"),
        ),
    ),
    widgets={"why": ("gamma_beta",)},
    values={
        "looked_from": LOOKED_AT[0], "looks": len(LOOKED_AT), "high_rate": HIGH_RATE,
        "usual_rate": AFTER.learning_rate, "digits_steps": DIGITS_STEPS,
    },
    series=Comparison.over(
        "norm_position", ("before", "after"), AFTER, last_step=DIGITS_STEPS
    ),
)  # fmt: skip
