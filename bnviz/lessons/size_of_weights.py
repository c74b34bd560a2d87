"""Lesson on the size of weights: weights multiplied by ten, with and without BN."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnviz.actions import SCALE_WEIGHTS
from bnviz.config import RunConfig
from bnviz.lessons.lesson import (
    RELU,
    TANH,
    BatchLoses,
    Found,
    Lesson,
    Numbers,
    TryIt,
    compared,
    either,
    schedule,
)
from bnviz.lessons.observation import NotMeasured, Observation
from bnviz.planned_runs.compared_rates import LEARNED, compared_rates
from bnviz.records import Change
from bnviz.words.numbers import write

LAST_STEP, BREAK_LAST, LONG_LAST = 200, 300, 1_000
MULTIPLIED_AT, FACTOR, TENTH = 100, 10.0, 0.1
LATER = 120
# Steps just after the weights are multiplied, at which charts and numbers show the effects.
JUST_AFTER = (101, 102, 103, 104, 105, 110)
# A loss has risen if it exceeds its value just before the change by more than this factor.
RISEN = 3
# Relative tolerances: of a loss that stays the same, and of gradients that shrink to a tenth.
LOSS_STAYS, NEAR = 0.01, 0.02
# Relative tolerance of gradients that become ten times smaller or larger.
ABOUT = 0.1
# Maximum test accuracy of a network that is broken but has not stopped.
BROKEN = 0.2
ONE_LAYER = 3
# First step at which weights turn at a steady rate, and number of steps between measurements.
SETTLED_FROM, SETTLED_EVERY = 600, 10
# Weights turn as predicted if the measured rate deviates from the formula by at most this share.
AS_SAID = 0.3
# Maximum test accuracy of a network that has hardly learned.
HARDLY = 0.45

# Recorded comparison of learning rates, and its numbers for the texts.
RECORDED = compared_rates()
PLAIN_RATES, BATCH_RATES = (RECORDED.learned(norm) for norm in ("none", "batch"))
GROWN = dict(zip(RECORDED.rates, RECORDED.grown("batch"), strict=True))
NINE_RATES: Numbers = {
    "lowest_rate": RECORDED.rates[0], "highest_rate": RECORDED.rates[-1],
    "rates": len(RECORDED.rates), "series_steps": RECORDED.steps, "seeds": RECORDED.seeds,
    "learned": LEARNED, "plain_rates": len(PLAIN_RATES), "batch_rates": len(BATCH_RATES),
    "batch_most": BATCH_RATES[-1],
    "usual_rate": RunConfig().learning_rate, "grown_usual": GROWN[RunConfig().learning_rate],
    "grown_most": GROWN[BATCH_RATES[-1]], "slower": (GROWN[BATCH_RATES[-1]] or 0) ** 2,
    "grown_highest": GROWN[RECORDED.rates[-1]],
}  # fmt: skip

ALL = Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (FACTOR, None)})


def judge(observed: Observation) -> Found:
    """Judge the claim: with BN, the loss stays the same and gradients shrink; without BN, training
    breaks.
    """
    before, now = _loss_before(observed), observed.at(MULTIPLIED_AT, "batch")
    factors = _factors(observed)
    hidden = factors[:-1]
    change = abs(float(now.loss) / before - 1)
    plain = observed.at(LAST_STEP, "none")
    stopped = plain.stopped is not None
    numbers: Numbers = {
        "batch_loss_before": before,
        "batch_loss_after": now.loss,
        **_factors_told(hidden),
        "gradient_output": factors[-1],
        "batch_before": observed.accuracy(MULTIPLIED_AT - 1, "batch"),
        "batch_at": observed.accuracy(MULTIPLIED_AT, "batch"),
        "batch_later": observed.accuracy(LATER, "batch"),
        "batch": observed.accuracy(LAST_STEP, "batch"),
        **either("stopped", "goes_on", stopped),
        "plain_finite": None if plain.stopped is None else plain.stopped - 1,
        "plain_end": None if stopped else observed.accuracy(LAST_STEP, "none"),
    }
    at_end = observed.accuracy(LAST_STEP, "none")
    broke = stopped or plain.state == "blown_up" or at_end <= BROKEN
    tenth = bool((np.abs(hidden * FACTOR - 1) <= NEAR).all())
    held = change <= LOSS_STAYS and tenth and broke
    return held, numbers, _answer(change, np.median(hidden))


def _loss_before(observed: Observation) -> float:
    """Return the mini-batch loss with BN just before the weights are multiplied."""
    return float(observed.value(MULTIPLIED_AT, "batch", "before_change", "loss")[0])


def _factors(observed: Observation) -> np.ndarray:
    """Return by layer: gradient norm with BN just after the weights are multiplied ÷ gradient norm
    just before.
    """
    return observed.value(MULTIPLIED_AT, "batch", "before_change", "gradient_ratio")


def _factors_told(hidden: np.ndarray) -> Numbers:
    """Return the range of gradient ratios in hidden layers, and whether both ends are equal when
    printed.
    """
    low, high = hidden.min(), hidden.max()
    return {
        "gradient_low": low,
        "gradient_high": high,
        **either("agree", "differ", write(low, "number") == write(high, "number")),
    }


def _answer(change: float, factor: float) -> str | None:
    if change > LOSS_STAYS:
        return "relearns"
    if abs(factor * FACTOR - 1) <= ABOUT:
        return "smaller"
    return "larger" if abs(factor / FACTOR - 1) <= ABOUT else None


def _after_all(observed: Observation) -> Numbers:
    """Return which networks still worked at the end, and how BN compares with no norm."""
    found: Numbers = {}
    for norm in ("none", "batch"):
        record = observed.at(observed.last_step, norm)
        well = record.stopped is None and observed.last_accuracy(norm) > BROKEN
        found |= {f"{norm}_well": well, f"{norm}_broken": not well}
    return {**found, **compared("batch", "none")(observed)}


def _after_a_tenth(observed: Observation) -> Numbers:
    """Return loss and gradients with BN when the weights are divided by ten, and the highest loss
    just after.
    """
    before = _loss_before(observed)
    highest = max(observed.at(step, "batch").loss for step in JUST_AFTER)
    return {
        **_after_all(observed),
        "loss_before": before,
        "loss_after": observed.at(MULTIPLIED_AT, "batch").loss,
        "gradient": np.median(_factors(observed)[:-1]),
        "highest": highest,
        "short": _length(observed, MULTIPLIED_AT),
        "long": _length(observed, LAST_STEP),
        **either("rises", "stays", highest > RISEN * before),
    }


def _at_a_high_rate(observed: Observation) -> Numbers:
    """Return how each network ended, how the weights of layer 1 grew with BN, and whether the loss
    with BN jumped.
    """
    first, last = (_length(observed, step) for step in (0, observed.last_step))
    found, broke = _after_all(observed), observed.at(observed.last_step, "batch").broke
    jumped = bool(found["batch_well"]) and broke is not None and broke.key == "blown_up"
    return {
        **found, "first": first, "last": last,
        "jumped": jumped, "jumped_at": broke.step if broke is not None and jumped else None,
    }  # fmt: skip


def _length(observed: Observation, step: int) -> float:
    """Return the norm of the weights in layer 1 with BN."""
    return float(observed.value(step, "batch", "weights", "norm")[0])


def _turning(observed: Observation) -> Numbers:
    """Compare the rotation per step of settled hidden weights with the prediction √(2ηλ)."""
    steps = _settled_steps(observed)
    by_step = [
        observed.value(step, "batch", "weights", "update_ratio")[:-1] for step in steps
    ]  # fmt: skip
    by_layer = np.sqrt(np.mean(np.square(by_step), axis=0))
    config = observed.config
    said = math.sqrt(2 * config.learning_rate * config.weight_decay)
    near = (np.abs(by_layer - said) <= AS_SAID * said).all()
    last = observed.last_accuracy("batch")
    return {
        "slowest": by_layer.min(),
        "fastest": by_layer.max(),
        "said": said,
        "batch": last,
        **either("hardly", "learns", last <= HARDLY),
        **either("near", "apart", near),
    }  # fmt: skip


def _settled_steps(observed: Observation) -> Sequence[int]:
    """Return the steps to average over; raise NotMeasured if the run is too short."""
    if observed.last_step < LONG_LAST:
        raise NotMeasured(f"step {LONG_LAST}")
    return SETTLED


# Schedule that is slow around the change, as in the lesson's run, so that the effects are visible.
A_TENTH = schedule(
    (MULTIPLIED_AT - 5, 40), (LATER, 5), (LAST_STEP, 40),
    shown=(MULTIPLIED_AT, *JUST_AFTER), keep=(MULTIPLIED_AT,),
    probes=("before_change", "weights"),
    changes=(Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (TENTH, None)}),),
)  # fmt: skip


# Steps measured in a long run that trains only the network with BN, with weight decay.
SETTLED = range(SETTLED_FROM, LONG_LAST + 1, SETTLED_EVERY)
LONG = schedule((LONG_LAST, 250), shown=SETTLED, probes=("weights",))
GROWING, TURNED = ("accuracy", "weight_length"), ("weights", "accuracy")
TURNING = {"norms": ("batch",), **TANH}

LESSON = Lesson(
    name="size-of-weights",
    minutes=10,
    setting=RELU,
    plan=schedule(
        (MULTIPLIED_AT - 5, 20), (LATER, 5), (LAST_STEP, 20),
        shown=(MULTIPLIED_AT - 1, MULTIPLIED_AT, *JUST_AFTER, LATER), changes=(ALL,),
        keep=(MULTIPLIED_AT,), probes=("before_change",),
    ),
    charts=("batch_loss", "gradient_change", "accuracy"),
    ranges={"loss": (0.015, 10), "gradients.grad_weight_norm": (0.004, 10)},
    knobs=("learning_rate", SCALE_WEIGHTS),
    answers=("relearns", "smaller", "larger"),
    rule=judge,
    widgets={"beside_why": ("nine_rates",)},
    breaks=(
        TryIt(
            name="tenth",
            plan=A_TENTH, tell=_after_a_tenth,
            charts=("batch_loss", "gradient_change", "weight_length"),
        ),
        TryIt(
            name="rate-three",
            knobs={**TANH, "learning_rate": 3.0},
            plan=schedule((BREAK_LAST, 40), probes=("weights",)), tell=_at_a_high_rate,
            charts=GROWING,
        ),
        TryIt(
            name="one-layer",
            knobs=TANH,
            plan=schedule(
                (LAST_STEP, 40),
                changes=(Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (FACTOR, ONE_LAYER)}),),
            ),
            tell=_after_all, charts=("accuracy", "gradients"),
        ),
        TryIt(
            name="slow", knobs={"learning_rate": 0.001}, plan=schedule((BREAK_LAST, 40)),
            tell=_after_all, batch_loses=BatchLoses(), charts=("accuracy", "gradients"),
        ),
        TryIt(
            name="turning", knobs={**TURNING, "weight_decay": 0.1}, plan=LONG, tell=_turning,
            ends=False, charts=TURNED,
        ),
        TryIt(
            name="turning-fast",
            knobs={**TURNING, "learning_rate": 1.0, "weight_decay": 0.03}, plan=LONG,
            tell=_turning, ends=False, charts=TURNED,
        ),
    ),
    values={
        "multiplied_at": MULTIPLIED_AT, "later": LATER, "factor": FACTOR, "tenth": TENTH,
        "one_layer": ONE_LAYER, "high_rate": 3, "low_rate": 0.001, "settled_from": SETTLED_FROM,
        "long": LONG_LAST, "decay": 0.1, "turning_rate": 0.1, "fast_rate": 1, "fast_decay": 0.03,
        **NINE_RATES,
    },
)  # fmt: skip
