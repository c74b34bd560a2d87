"""Lesson on the learning rate, which is raised for one step and later for ten steps."""

from __future__ import annotations

import numpy as np

from bnviz.lessons.drawing import Drawing, DrawnCurve
from bnviz.lessons.lesson import (
    RELU,
    BatchLoses,
    Found,
    Lesson,
    Numbers,
    TryIt,
    cases,
    compared,
    schedule,
)
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.planned_runs.plan import Plan
from bnviz.records import Change

LAST_STEP = 300
RAISED_TO, BACK_TO = 1.0, 0.1
# Steps at which the learning rate is raised: the first time for one step, and the second time,
# after the networks have recovered, for ten steps.
RAISED_AT, AGAIN_AT = 100, 200
FEW, MANY = 1, 10
BREAK_RATES = ((50, 20), (LAST_STEP, 40))
# Test accuracies: maximum of a broken network, minimum of a recovered network, and minimum at which
# a network with only a part of BN counts as fully recovered.
BROKEN, RECOVERED, FULLY = 0.3, 0.75, 0.9
# Maximum difference at which the lowest accuracies of two networks count as equal.
ABOUT = 0.05
LATE_AT, AFTER_LATE = 4_000, 200
HIGH_RATE = 10.0


def _raised(at: int, steps: int) -> tuple[Change, Change]:
    """Return the changes that raise the learning rate at step `at` for `steps` steps."""
    return (
        Change(at, {"learning_rate": RAISED_TO}),
        Change(at + steps, {"learning_rate": BACK_TO}),
    )


UP = Change(RAISED_AT, {"learning_rate": RAISED_TO})


def judge(observed: Observation) -> Found:
    """Judge the claim: both networks recover from one step at a high rate, but only the network
    with BN recovers from ten steps.
    """
    asked = (RAISED_AT, RAISED_AT + FEW, AGAIN_AT, LAST_STEP)
    plain, batch = (
        {step: observed.accuracy(step, norm) for step in asked} for norm in ("none", "batch")
    )
    after_many = observed.accuracies("batch", AGAIN_AT, LAST_STEP)
    lowest = min(after_many, key=lambda step: after_many[step])
    numbers: Numbers = {
        "plain_before": plain[RAISED_AT],
        "plain_few": plain[RAISED_AT + FEW],
        "plain_between": plain[AGAIN_AT],
        "plain": plain[LAST_STEP],
        "batch_few": batch[RAISED_AT + FEW],
        "batch_between": batch[AGAIN_AT],
        "batch_lowest": after_many[lowest],
        "batch_lowest_at": lowest,
        "batch": batch[LAST_STEP],
        "plain_flat": _flat(observed, "none"),
        "batch_flat": _flat(observed, "batch"),
    }
    found, with_batch = (_answer(curve) for curve in (plain, batch))
    held = found == "proportional" and with_batch == "learns_again"
    back = not observed.at(LAST_STEP, "batch").broken
    return held and back, numbers, found


def _flat(observed: Observation, norm: str) -> float | None:
    """Return the final share of saturated values in the top layer; None if it was not measured."""
    try:
        return float(observed.value(LAST_STEP, norm, "saturation", "saturated")[-1])
    except NotMeasured:
        return None


def _answer(accuracy: DrawnCurve) -> str | None:
    """Return the answer that matches an accuracy curve, or None if no answer matches it."""
    before, between, end = (accuracy[step] for step in (RAISED_AT, AGAIN_AT, LAST_STEP))
    if before <= BROKEN:
        return None
    if max(between, end) <= BROKEN:
        return "stays"
    if between < RECOVERED:
        return None
    if end <= BROKEN:
        return "proportional"
    return "learns_again" if end >= RECOVERED else None


def _drawn(curve: DrawnCurve) -> str | None:
    """Return the answer that matches a drawn accuracy curve, whose values are percentages."""
    return _answer({step: value / 100 for step, value in curve.items()})


def _measured(observed: Observation) -> DrawnCurve:
    found = observed.accuracies("none", RAISED_AT, LAST_STEP)
    return {step: 100 * value for step, value in found.items()}


# Schedule in which the learning rate rises at step `RAISED_AT` and stays high.
NOT_PUT_BACK = schedule(
    (RAISED_AT, 40), (RAISED_AT + 20, 5), (LAST_STEP, 40), shown=(RAISED_AT,), changes=(UP,)
)


def _recovered(observed: Observation) -> Numbers:
    """Return which networks recovered although the learning rate stayed high."""
    return _of_both(*(observed.last_accuracy(norm) >= RECOVERED for norm in ("none", "batch")))


def _of_both(plain: bool, batch: bool) -> Numbers:
    """Return one flag per case: true for both networks, only with BN, only without BN, or
    neither.
    """
    plain, batch = bool(plain), bool(batch)
    return {
        "both": plain and batch, "only_batch": batch and not plain,
        "only_plain": plain and not batch, "neither": not (plain or batch),
    }  # fmt: skip


def _at_a_high_rate(observed: Observation) -> Numbers:
    """Return which networks learn, and the most saturated layer of the network with BN."""
    learns = _of_both(*(observed.last_accuracy(norm) > BROKEN for norm in ("none", "batch")))
    flat = observed.value(observed.last_step, "batch", "saturation", "saturated")
    most: Numbers = {"flat": flat.max(), "flat_layer": int(np.argmax(flat)) + 1}
    return {**most, "batch_end": observed.last_accuracy("batch"), **learns}


def _apart(name: str, **pieces: str | bool) -> TryIt:
    """Return an experiment that adds a network with a part of BN and raises the learning rate."""
    knobs = {"norms": ("none", "batch", "ablated"), **pieces}
    return TryIt(name=name, knobs=knobs, plan=NOT_PUT_BACK, tell=_after_the_push)


def _after_the_push(observed: Observation) -> Numbers:
    """Return whether the network with a part of BN recovered fully, partly or not at all."""
    end = observed.last_accuracy("ablated")
    back = end >= FULLY and not observed.at(observed.last_step, "ablated").broken
    found = "back" if back else "broken" if end <= BROKEN else "partly"
    return cases("back", "partly", "broken", found=found)


def late(at: int, after: int) -> Plan:
    """Return a plan that runs fast until just before `at` and raises the learning rate at `at`."""
    return Plan(
        rates=((at - 20, 1000), (at + after, 40)),
        last_step=at + after,
        changes=(Change(at, {"learning_rate": RAISED_TO}),),
        shown=(at, at + after),
    )


def _after_late(observed: Observation) -> Numbers:
    """Return the lowest and the final accuracy of both networks after a late rise of the learning
    rate, and which network it hurt more.
    """
    if not observed.changes:
        raise NotMeasured("the change")
    rise, until = observed.changes[-1].step, observed.last_step
    found: dict[str, float] = {}
    for norm in ("none", "batch"):
        found[f"{norm}_lowest"] = min(observed.accuracies(norm, rise, until).values())
        found[f"{norm}_later"] = observed.accuracy(until, norm)
    hurt = _hurt(found["none_lowest"], found["batch_lowest"])
    return {**found, **cases("batch_hurt", "plain_hurt", "alike", found=hurt)}


def _hurt(plain: float, batch: float) -> str:
    """Return which network the change hurt more, judged by the lowest accuracy."""
    if abs(plain - batch) <= ABOUT:
        return "alike"
    return "batch_hurt" if batch < plain else "plain_hurt"


LESSON = Lesson(
    name="break-it",
    minutes=6,
    plan=schedule(
        (RAISED_AT, 20), (RAISED_AT + MANY, 5), (AGAIN_AT, 20), (AGAIN_AT + MANY, 5),
        (LAST_STEP, 40), shown=(*range(RAISED_AT, RAISED_AT + MANY + 1), AGAIN_AT, AGAIN_AT + MANY),
        changes=(*_raised(RAISED_AT, FEW), *_raised(AGAIN_AT, MANY)),
    ),
    charts=("accuracy", "hills"),
    knobs=("learning_rate",),
    answers=("learns_again", "stays", "proportional"),
    rule=judge,
    drawing=Drawing(
        on="accuracy", network="none", steps=(RAISED_AT, 140, AGAIN_AT, 230, LAST_STEP),
        last_step=LAST_STEP, marks={"few": RAISED_AT, "many": AGAIN_AT},
        answer=_drawn, measured=_measured,
        usual={
            "learns_again": (95, 80, 95, 60, 90), "stays": (95, 10, 10, 10, 10),
            "proportional": (95, 80, 95, 10, 10),
        },
    ),
    breaks=(
        TryIt(name="rate-ten", knobs={"learning_rate": HIGH_RATE}, tell=_at_a_high_rate),
        TryIt(name="not-put-back", plan=NOT_PUT_BACK, tell=_recovered),
        _apart("mean-only", ablation_statistics="mean"),
        _apart("variance-only", ablation_statistics="variance"),
        _apart("without-gamma-beta", ablation_affine=False),
        TryIt(
            name="late",
            plan=late(LATE_AT, AFTER_LATE),
            tell=_after_late,
            ends=False,
            batch_loses=BatchLoses(by="lowest"),
        ),
        TryIt(
            name="relu",
            knobs={**RELU, "learning_rate": 0.003},
            tell=compared("batch", "none"),
            batch_loses=BatchLoses(),
        ),
    ),
    break_rates=BREAK_RATES,
    values={
        "raised_at": RAISED_AT, "again_at": AGAIN_AT, "raised_to": RAISED_TO, "back_to": BACK_TO,
        "after_few": RAISED_AT + FEW, "late_at": LATE_AT, "after_late": AFTER_LATE,
        "relu_rate": 0.003, "high_rate": HIGH_RATE,
    },
)  # fmt: skip
