"""One knob, two networks: a learning rate raised while both learn, and put back again."""

from __future__ import annotations

import numpy as np

from bnviz.break_limits import BROKEN_SHARE
from bnviz.lessons.drawing import Curve, Drawing, climb, fall
from bnviz.lessons.lesson import (
    RELU,
    BatchLoses,
    BreakIt,
    Found,
    Lesson,
    Numbers,
    cases,
    compared,
    schedule,
)
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.planned_runs.plan import Plan
from bnviz.records import SATURATED, Change
from bnviz.training.first_move import MOVED

LAST_STEP = 300
RAISED_AT, RAISED_TO = 100, 1.0
BACK_AT, BACK_TO = 130, 0.1
BREAK_RATES = ((50, 20), (LAST_STEP, 40))
# A broken network has at most this accuracy, one that came back at least that.
BROKEN, BACK = 0.3, 0.9
# "About as many steps as it was pushed": within a factor of two.
FACTOR = 2
# What is drawn has come down shortly after the rate went back: by then it has been back for as long
# as it was up. To break is to lose this share of what one had.
SHORTLY, LOST = 2 * BACK_AT - RAISED_AT, 0.5
# Percentage points: a drawing that wavers by less does what it does.
CLEARLY = 10
# Lowest accuracies this close are about the same.
ABOUT = 0.05
LATE_AT, AFTER_LATE = 4_000, 200

UP = Change(RAISED_AT, {"learning_rate": RAISED_TO})
BACK_AGAIN = Change(BACK_AT, {"learning_rate": BACK_TO})


def judge(watched: Watched) -> Found:
    """Held where the plain network stays broken after the rate went back, and BN came back."""
    plain, batch = (watched.accuracy(LAST_STEP, norm) for norm in ("none", "batch"))
    dip = watched.accuracies("batch", RAISED_AT, LAST_STEP)
    broke = watched.at(LAST_STEP, "none").broke
    by_rule = broke if broke and broke.key == SATURATED else None
    lowest = min(dip, key=lambda step: dip[step])
    numbers: Numbers = {
        "plain": plain,
        "batch": batch,
        "plain_before": watched.accuracy(RAISED_AT, "none"),
        "batch_before": watched.accuracy(RAISED_AT, "batch"),
        "batch_lowest": dip[lowest],
        "batch_lowest_at": lowest,
        "broke_after": broke.step - RAISED_AT if broke and broke.step > RAISED_AT else None,
        "first_layer": _number(by_rule.layer if by_rule else None),
        "moved_layer": _number(by_rule.moved if by_rule else None),
        "moved_at": by_rule.moved_at if by_rule else None,
    }
    back = batch >= BACK and not watched.at(LAST_STEP, "batch").broken
    return plain <= BROKEN and back, numbers, _answer(watched, plain)


def _number(layer: str | None) -> int | None:
    """The number of a hidden layer; None for the output and for a network as a whole."""
    number = (layer or "").removeprefix("layer ")
    return int(number) if number.isdecimal() else None


def _answer(watched: Watched, plain: float) -> str | None:
    """What the plain network did once the rate was back."""
    found = _answer_of(watched.accuracies("none", RAISED_AT, LAST_STEP))
    back = found is not None and plain > BROKEN
    return None if back and watched.at(LAST_STEP, "none").broken else found


def _answer_of(accuracy: Curve) -> str | None:
    """Which answer an accuracy, 0 to 1, amounts to, from the step at which the rate goes up on."""
    if accuracy[LAST_STEP] <= BROKEN:
        return "stays"
    return _came_back(accuracy, BACK * accuracy[RAISED_AT], BACK_AT)


def _came_back(accuracy: Curve, enough: float, since: int) -> str | None:
    """Which answer it is to have so much again at some step; None where it never has."""
    back = (step for step, value in accuracy.items() if step >= since and value >= enough)
    regained = next((step - BACK_AT for step in back), None)
    if regained is None:
        return None
    pushed = BACK_AT - RAISED_AT
    return "proportional" if pushed / FACTOR <= regained <= FACTOR * pushed else "learns_again"


def _drawn(curve: Curve) -> str | None:
    """Which answer the whole course of a drawn accuracy, in percent, amounts to.

    It *stays* where it is as low as a broken network from shortly after the rate went back on, and
    does not climb clearly. It *came back* where it broke by then, fell once, rose once, and has at
    some step what it had, but for a tenth. Of anything else, as of a half recovery, a zigzag, or a
    network that never broke, it is none of the answers.
    """
    late = {step: value for step, value in curve.items() if step >= SHORTLY}
    if max(late.values()) <= 100 * BROKEN and climb(late) <= CLEARLY:
        return "stays"
    had = curve[RAISED_AT]
    soon = min(value for step, value in curve.items() if step <= SHORTLY)
    if had <= 100 * BROKEN or soon > LOST * had:
        return None
    turn = min(curve, key=lambda step: curve[step])
    down = {step: value for step, value in curve.items() if step <= turn}
    up = {step: value for step, value in curve.items() if step >= turn}
    if climb(down) > CLEARLY or fall(up) > CLEARLY:
        return None
    return _came_back(up, BACK * had, max(BACK_AT, turn))


def _measured(watched: Watched) -> Curve:
    found = watched.accuracies("none", RAISED_AT, LAST_STEP)
    return {step: 100 * value for step, value in found.items()}


# At step `RAISED_AT` the rate goes up, to stay.
NOT_PUT_BACK = schedule(
    (RAISED_AT, 40), (RAISED_AT + 20, 5), (LAST_STEP, 40), shown=(RAISED_AT,), changes=(UP,)
)


def _who_learns(watched: Watched) -> Numbers:
    """Which networks are more than broken at the end."""
    plain, batch = (watched.last_accuracy(norm) > BROKEN for norm in ("none", "batch"))
    return {
        "both": plain and batch, "only_batch": batch and not plain,
        "only_plain": plain and not batch, "neither": not (plain or batch),
    }  # fmt: skip


def _at_a_high_rate(watched: Watched) -> Numbers:
    """Who learns, what BN comes to, how far from 0 its values lie before and after γ and β, and
    their share in the flat zone, in the layer that has most there.
    """
    far: Numbers = {
        name: np.abs(watched.value(watched.last_step, "batch", "unit_batch", name)).max()
        for name in ("normalized", "y")
    }
    flat = watched.value(watched.last_step, "batch", "saturation", "saturated").max()
    end = watched.last_accuracy("batch")
    return {**far, "flat": flat, "batch_end": end, **_who_learns(watched)}


def _apart(name: str, **pieces: str | bool) -> BreakIt:
    """The push of a network with a part of BN, beside those without BN and with all of it."""
    knobs = {"norms": ("none", "batch", "ablated"), **pieces}
    return BreakIt(name=name, knobs=knobs, plan=NOT_PUT_BACK, tell=_after_the_push)


def _after_the_push(watched: Watched) -> Numbers:
    """Whether a part of BN brought the network back."""
    end = watched.last_accuracy("ablated")
    back = end >= BACK and not watched.at(watched.last_step, "ablated").broken
    found = "back" if back else "broken" if end <= BROKEN else "partly"
    return cases("back", "partly", "broken", found=found)


def late(at: int, after: int) -> Plan:
    """At full pace to a step at which the rate is raised, and so many steps further."""
    return Plan(
        rates=((at - 20, 1000), (at + after, 40)),
        last_step=at + after,
        changes=(Change(at, {"learning_rate": RAISED_TO}),),
        shown=(at, at + after),
    )


def _after_late(watched: Watched) -> Numbers:
    """Both networks' lowest accuracy after a late rise of the rate, and what they had later."""
    if not watched.changes:
        raise NotMeasured("the change")
    rise, until = watched.changes[-1].step, watched.last_step
    found: dict[str, float] = {}
    for norm in ("none", "batch"):
        found[f"{norm}_lowest"] = min(watched.accuracies(norm, rise, until).values())
        found[f"{norm}_later"] = watched.accuracy(until, norm)
    hurt = _hurt(found["none_lowest"], found["batch_lowest"])
    return {**found, **cases("batch_hurt", "plain_hurt", "alike", found=hurt)}


def _hurt(plain: float, batch: float) -> str:
    """Which network a change hurt more, by its lowest accuracy after it."""
    if abs(plain - batch) <= ABOUT:
        return "alike"
    return "batch_hurt" if batch < plain else "plain_hurt"


LESSON = Lesson(
    name="break-it",
    minutes=6,
    plan=schedule(
        (RAISED_AT, 20), (BACK_AT, 5), (LAST_STEP, 40),
        shown=(RAISED_AT, BACK_AT), changes=(UP, BACK_AGAIN),
    ),
    charts=("accuracy", "hills"),
    knobs=("learning_rate",),
    answers=("learns_again", "stays", "proportional"),
    rule=judge,
    drawing=Drawing(
        on="accuracy", network="none", steps=(RAISED_AT, BACK_AT, 160, 220, LAST_STEP),
        last_step=LAST_STEP, marks={"up": RAISED_AT, "back": BACK_AT},
        answer=_drawn, measured=_measured,
    ),
    breaks=(
        BreakIt(name="not-put-back", plan=NOT_PUT_BACK, tell=_who_learns),
        _apart("mean-only", ablation_statistics="mean"),
        _apart("variance-only", ablation_statistics="variance"),
        _apart("without-gamma-beta", ablation_affine=False),
        BreakIt(
            name="rate-ten",
            knobs={"learning_rate": 10.0},
            plan=schedule(*BREAK_RATES, probes=("unit_batch",)),
            tell=_at_a_high_rate,
        ),
        BreakIt(
            name="late",
            plan=late(LATE_AT, AFTER_LATE),
            tell=_after_late,
            ends=False,
            batch_loses=BatchLoses(by="lowest"),
        ),
        BreakIt(
            name="relu",
            knobs={**RELU, "learning_rate": 0.003},
            tell=compared("batch", "none"),
            batch_loses=BatchLoses(),
        ),
    ),
    break_rates=BREAK_RATES,
    values={
        "raised_at": RAISED_AT, "raised_to": RAISED_TO, "back_at": BACK_AT, "back_to": BACK_TO,
        "late_at": LATE_AT, "after_late": AFTER_LATE, "relu_rate": 0.003, "high_rate": 10,
        "broken_share": BROKEN_SHARE, "moved_factor": MOVED,
    },
)  # fmt: skip
