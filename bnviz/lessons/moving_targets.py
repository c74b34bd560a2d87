"""Who has to start over: an upper half that was frozen, on what it is sent later."""

from __future__ import annotations

from functools import partial

from bnviz.lessons.drawing import Curve, Drawing
from bnviz.lessons.lesson import RELU, BreakIt, Found, Lesson, Numbers, cases, schedule
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.records import Change

LAST_STEP = 100
KEPT = (0, 20, 40, 60, 80, 100)
FROZEN, CUT = 20, 3
# The values of the top layer have moved since step 0, or hardly: by how many standard deviations.
MOVED, HARDLY = 0.5, 0.2
# Accuracies this close are about the same: some three of the test images.
ABOUT = 0.01
# Percentage points: a drawing that strays by less on its way does what it does at its end.
CLEARLY = 5
# Percent; a drawing that lies below has the copy fail as soon as it is frozen.
FALLEN = 50
SOON_AT, SOON = 100, 104
# What the frozen half does with what it is sent later.
ANSWERS = ("worse", "same", "better")


def judge(watched: Watched) -> Found:
    """Held where values move without BN and hardly with it, and the frozen half loses nothing."""
    first = _accuracy(watched, "none", FROZEN, FROZEN)
    later = _accuracy(watched, "none", LAST_STEP, FROZEN)
    moved = {
        # Row 0: before the norm.
        norm: watched.value(LAST_STEP, norm, "drift", "w1_start")[row, -1].item()
        for norm, row in (("none", 1), ("batch", 0))
    }
    numbers: Numbers = {
        "frozen_first": first,
        "frozen_later": later,
        "trained": _accuracy(watched, "none", LAST_STEP, LAST_STEP),
        "batch_first": _accuracy(watched, "batch", FROZEN, FROZEN),
        "batch_later": _accuracy(watched, "batch", LAST_STEP, FROZEN),
        "plain_moved": moved["none"],
        "batch_moved": moved["batch"],
    }
    held = moved["none"] >= MOVED and moved["batch"] <= HARDLY and later >= first
    return held, numbers, _answer(later - first)


def _answer(gain: float) -> str:
    if abs(gain) <= ABOUT:
        return "same"
    return "better" if gain > 0 else "worse"


def _drawn(curve: Curve) -> str | None:
    """Which answer the whole course of a drawn accuracy, in percent, amounts to.

    It is *better* where it ends higher and was never clearly below where it began, *worse* where it
    ends lower and was never clearly above, *the same* where it ends there and was neither. The copy
    begins as well as the network it was taken from: what lies low all along has fallen at once.
    """
    if max(curve.values()) < FALLEN:
        return "worse"
    first = curve[FROZEN]
    below, above = first - min(curve.values()), max(curve.values()) - first
    answer = _answer((curve[LAST_STEP] - first) / 100)
    strayed = {"better": below, "worse": above, "same": max(below, above)}[answer]
    return answer if strayed <= CLEARLY else None


def _measured(watched: Watched) -> Curve:
    """What the frozen half makes of the lower half of each step that was kept."""
    later = [step for step in KEPT if step >= FROZEN]
    return {step: 100 * _accuracy(watched, "none", step, FROZEN) for step in later}


def _accuracy(watched: Watched, norm: str, lower: int, upper: int, step: int = LAST_STEP) -> float:
    """A(s, t): the lower layers of step `lower` under the upper ones of step `upper`.

    Args:
        step: at which it was measured; a run that was played on still says it.
    """
    kept = watched.value(step, norm, "cut", "steps").tolist()
    if lower not in kept or upper not in kept:
        raise NotMeasured(f"the weights of steps {lower} and {upper}")
    values = watched.value(step, norm, "cut", "accuracy")  # [C, K, K]
    return float(values[CUT - 1, kept.index(lower), kept.index(upper)])


def _frozen_half(watched: Watched, frozen: int = FROZEN, end: int = LAST_STEP) -> Numbers:
    """Accuracies of the half frozen at a step, on its input at that step and at the end."""
    found: dict[str, float] = {}
    for norm in watched.config.norms:
        found[f"{norm}_first"] = _accuracy(watched, norm, frozen, frozen, end)
        found[f"{norm}_later"] = _accuracy(watched, norm, end, frozen, end)
    gain = found["none_later"] - found["none_first"]
    return {**found, **cases(*ANSWERS, found=_answer(gain))}


LESSON = Lesson(
    name="moving-targets",
    minutes=10,
    plan=schedule((40, 10), (LAST_STEP, 20), keep=KEPT, probes=("cut", "drift")),
    charts=("accuracy", "cut", "unit_hill", "drift"),
    half=("cut", "unit_hill"),
    knobs=("learning_rate",),
    answers=ANSWERS,
    rule=judge,
    drawing=Drawing(
        on="accuracy", network="none", charted=False, steps=KEPT[1:], last_step=LAST_STEP,
        marks={"frozen": FROZEN}, answer=_drawn, measured=_measured,
        usual={
            "worse": (80, 60, 40, 30, 20), "same": (80, 80, 80, 80, 80),
            "better": (80, 84, 88, 91, 94),
        },
    ),
    breaks=(
        BreakIt(
            name="raised",
            plan=schedule(
                (SOON_AT, 40), (SOON, 1), changes=(Change(SOON_AT, {"learning_rate": 1.0}),),
                keep=(0, SOON_AT, SOON), probes=("cut",),
            ),
            tell=partial(_frozen_half, frozen=SOON_AT, end=SOON),
            ends=False,
        ),
        BreakIt(name="faster", knobs={"learning_rate": 0.3}, tell=_frozen_half, ends=False),
        BreakIt(
            name="relu", knobs=RELU, tell=_frozen_half, ends=False
        ),
    ),
    widgets={"verdict": ("cut_network",)},
    values={
        "frozen": FROZEN, "cut": CUT, "upper": 6 - CUT, "soon_at": SOON_AT,
        "soon_after": SOON - SOON_AT, "raised_to": 1, "faster_rate": 0.3,
    },
)  # fmt: skip
