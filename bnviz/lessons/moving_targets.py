"""Lesson on shifting inputs: a frozen upper half on top of a lower half that keeps learning."""

from __future__ import annotations

from functools import partial

from bnviz.lessons.drawing import Drawing, DrawnCurve
from bnviz.lessons.lesson import RELU, Found, Lesson, Numbers, TryIt, cases, schedule
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.records import Change

LAST_STEP = 100
KEPT = (0, 20, 40, 60, 80, 100)
FROZEN, CUT = 20, 3
# Shift of the top layer's values since step 0, in standard deviations: minimum to count as moved,
# and maximum to count as hardly moved.
MOVED, HARDLY = 0.5, 0.2
# Test accuracies count as equal if they differ by at most this much (about three test images).
ABOUT = 0.01
# Tolerance in percentage points: a drawn curve whose last point matches an answer may deviate by at
# most this much from the course of that answer.
CLEARLY = 5
# Accuracy in percent. A drawn curve that stays below it means that the upper half failed as soon as
# it was frozen.
FALLEN = 50
SOON_AT, SOON = 100, 104
# Answers: how the accuracy of the frozen half changes on later inputs.
ANSWERS = ("worse", "same", "better")


def judge(observed: Observation) -> Found:
    """Judge the claim: values shift only without BN, and the frozen half does not lose accuracy."""
    first = _accuracy(observed, "none", FROZEN, FROZEN)
    later = _accuracy(observed, "none", LAST_STEP, FROZEN)
    moved = {
        # With BN, take row 0, the values before normalization.
        norm: observed.value(LAST_STEP, norm, "drift", "w1_start")[row, -1].item()
        for norm, row in (("none", 1), ("batch", 0))
    }
    numbers: Numbers = {
        "frozen_first": first,
        "frozen_later": later,
        "trained": _accuracy(observed, "none", LAST_STEP, LAST_STEP),
        "batch_first": _accuracy(observed, "batch", FROZEN, FROZEN),
        "batch_later": _accuracy(observed, "batch", LAST_STEP, FROZEN),
        "plain_moved": moved["none"],
        "batch_moved": moved["batch"],
    }
    held = moved["none"] >= MOVED and moved["batch"] <= HARDLY and later >= first
    return held, numbers, _answer(later - first)


def _answer(gain: float) -> str:
    if abs(gain) <= ABOUT:
        return "same"
    return "better" if gain > 0 else "worse"


def _drawn(curve: DrawnCurve) -> str | None:
    """Return the answer that matches a drawn accuracy curve (in percent), or None.

    The last point decides, but before it, the curve must not stray to the other side of its first
    value. A curve that is low throughout is *worse*, because the copy starts as accurate as the
    network.
    """
    if max(curve.values()) < FALLEN:
        return "worse"
    first = curve[FROZEN]
    below, above = first - min(curve.values()), max(curve.values()) - first
    answer = _answer((curve[LAST_STEP] - first) / 100)
    strayed = {"better": below, "worse": above, "same": max(below, above)}[answer]
    return answer if strayed <= CLEARLY else None


def _measured(observed: Observation) -> DrawnCurve:
    """Return the frozen half's accuracy in percent, on top of the lower half of each kept step."""
    later = [step for step in KEPT if step >= FROZEN]
    return {step: 100 * _accuracy(observed, "none", step, FROZEN) for step in later}


def _accuracy(
    observed: Observation, norm: str, lower: int, upper: int, step: int = LAST_STEP
) -> float:
    """Return A(s, t), the accuracy of the lower layers of step s under the upper layers of step t.

    `step` is the step of the measurement, which stays available if the run continues.
    """
    kept = observed.value(step, norm, "cut", "steps").tolist()
    if lower not in kept or upper not in kept:
        raise NotMeasured(f"the weights of steps {lower} and {upper}")
    values = observed.value(step, norm, "cut", "accuracy")  # [C, K, K]
    return float(values[CUT - 1, kept.index(lower), kept.index(upper)])


def _frozen_half(observed: Observation, frozen: int = FROZEN, end: int = LAST_STEP) -> Numbers:
    """Return the accuracy of the frozen half on its inputs at `frozen` and at `end`, by norm."""
    found: dict[str, float] = {}
    for norm in observed.config.norms:
        found[f"{norm}_first"] = _accuracy(observed, norm, frozen, frozen, end)
        found[f"{norm}_later"] = _accuracy(observed, norm, end, frozen, end)
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
        TryIt(
            name="raised",
            plan=schedule(
                (SOON_AT, 40), (SOON, 1), changes=(Change(SOON_AT, {"learning_rate": 1.0}),),
                keep=(0, SOON_AT, SOON), probes=("cut",),
            ),
            tell=partial(_frozen_half, frozen=SOON_AT, end=SOON),
            ends=False,
        ),
        TryIt(name="faster", knobs={"learning_rate": 0.3}, tell=_frozen_half, ends=False),
        TryIt(
            name="relu", knobs=RELU, tell=_frozen_half, ends=False
        ),
    ),
    widgets={"verdict": ("cut_network",)},
    values={
        "frozen": FROZEN, "cut": CUT, "upper": 6 - CUT, "soon_at": SOON_AT,
        "soon_after": SOON - SOON_AT, "raised_to": 1, "faster_rate": 0.3,
    },
)  # fmt: skip
