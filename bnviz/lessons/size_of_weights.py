"""When size stops mattering: weights multiplied by ten, before BN and without it."""

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
    BreakIt,
    Found,
    Lesson,
    Numbers,
    compared,
    either,
    schedule,
)
from bnviz.lessons.watched import NotMeasured, Watched
from bnviz.planned_runs.comparison import Comparison
from bnviz.records import Change

LAST_STEP, BREAK_LAST, LONG_LAST = 200, 300, 1_000
MULTIPLIED_AT, FACTOR, TENTH = 100, 10.0, 0.1
LATER = 120
# After weights have become a tenth: steps at which the loss is looked at, and from how many times
# what it was on it has risen.
RISES, RISEN = (101, 102, 103, 105, 110), 3
# A loss that changes by no more stays, gradients within so much of a tenth are a tenth.
LOSS_STAYS, NEAR = 0.01, 0.02
# A gradient has become smaller, or larger, from these shares of it on.
SMALLER, LARGER = 0.5, 2.0
# A network that has not stopped is broken up to this accuracy.
BROKEN = 0.2
ONE_LAYER = 3
# Weights turn at a speed of their own from about this step on; measured at every tenth.
SETTLED_FROM, SETTLED_EVERY = 600, 10
# Where a layer is as far from what the formula says, by it, weights do not turn as it says.
AS_SAID = 0.3
# A network that turns so has hardly learned up to this accuracy.
HARDLY = 0.45
RATES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
LEARNED = 0.9

ALL = Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (FACTOR, None)})


def judge(watched: Watched) -> Found:
    """Held where BN's loss stays, its hidden gradients become a tenth, and the plain one breaks."""
    loss, before = (_before(watched, "batch", key) for key in ("loss", "grad_weight_norm"))
    now = watched.at(MULTIPLIED_AT, "batch")
    after = watched.value(MULTIPLIED_AT, "batch", "gradients", "grad_weight_norm")
    shares = after / before
    hidden = shares[:-1]
    change = abs(float(now.loss) / float(loss[0]) - 1)
    plain, plain_gradient = watched.at(LAST_STEP, "none"), _plain_gradient(watched)
    stopped = plain.stopped is not None
    numbers: Numbers = {
        "batch_loss_before": loss[0],
        "batch_loss_after": now.loss,
        "batch_test_before": watched.at(MULTIPLIED_AT - 1, "batch").test_loss,
        "batch_test_after": now.test_loss,
        **_shares_told(hidden),
        "gradient_output": shares[-1],
        "batch_before": watched.accuracy(MULTIPLIED_AT - 1, "batch"),
        "batch_at": watched.accuracy(MULTIPLIED_AT, "batch"),
        "batch_later": watched.accuracy(LATER, "batch"),
        "batch": watched.accuracy(LAST_STEP, "batch"),
        "plain_loss_before": _before(watched, "none", "loss")[0],
        "plain_gradient": plain_gradient,
        "compares": plain_gradient is not None,
        **either("stopped", "goes_on", stopped),
        "plain_stopped": plain.stopped,
        "plain_after": None if plain.stopped is None else plain.stopped - MULTIPLIED_AT,
        "plain_end": None if stopped else watched.accuracy(LAST_STEP, "none"),
    }
    at_end = watched.accuracy(LAST_STEP, "none")
    broke = stopped or plain.state == "blown_up" or at_end <= BROKEN
    tenth = bool((np.abs(hidden * FACTOR - 1) <= NEAR).all())
    held = change <= LOSS_STAYS and tenth and broke
    return held, numbers, _answer(change, np.median(hidden))


def _shares_told(hidden: np.ndarray) -> Numbers:
    """Of hidden gradients, the smallest and the largest share that is left, and if one is told."""
    low, high = hidden.min(), hidden.max()
    return {
        "gradient_low": low,
        "gradient_high": high,
        **either("agree", "differ", f"{low:.3f}" == f"{high:.3f}"),
    }


def _before(watched: Watched, norm: str, key: str) -> np.ndarray:
    """What was measured just before the weights were multiplied."""
    return watched.value(MULTIPLIED_AT, norm, "before_change", key)


def _plain_gradient(watched: Watched) -> float | None:
    """By what the gradient of layer 1 was multiplied without BN; None where there was none."""
    before = float(_before(watched, "none", "grad_weight_norm")[0])
    after = float(watched.value(MULTIPLIED_AT, "none", "gradients", "grad_weight_norm")[0])
    if not (before > 0 and math.isfinite(after)) or after == 0:
        return None
    return after / before


def _answer(change: float, share: float) -> str | None:
    """Which answer a change of the loss, and the share that is left of gradients, amount to."""
    if change > LOSS_STAYS:
        return "relearns"
    return "smaller" if share <= SMALLER else "larger" if share >= LARGER else None


def _after_all(watched: Watched) -> Numbers:
    """Whether the networks took it, and what they came to."""
    found: Numbers = {}
    for norm in ("none", "batch"):
        record = watched.at(watched.last_step, norm)
        well = record.stopped is None and watched.last_accuracy(norm) > BROKEN
        found |= {f"{norm}_well": well, f"{norm}_broken": not well}
    return {**found, **compared("batch", "none")(watched)}


def _after_a_tenth(watched: Watched) -> Numbers:
    """What BN's mini-batch loss is just before and after, and how far it then rises."""
    loss, before = (_before(watched, "batch", key) for key in ("loss", "grad_weight_norm"))
    after = watched.value(MULTIPLIED_AT, "batch", "gradients", "grad_weight_norm")
    losses = [watched.at(step, "batch").loss for step in RISES]
    highest = max(losses)
    return {
        **_after_all(watched),
        "loss_before": loss[0],
        "loss_after": watched.at(MULTIPLIED_AT, "batch").loss,
        "gradient": np.median(after[:-1] / before[:-1]),
        "highest": highest,
        **either("rises", "stays", highest > RISEN * loss[0]),
    }


def _turning(watched: Watched) -> Numbers:
    """How far hidden weights turn in a step once they have settled, and what the formula says."""
    steps = _settled_steps(watched)
    by_step = [
        watched.value(step, "batch", "weights", "update_ratio")[:-1] for step in steps
    ]  # fmt: skip
    by_layer = np.sqrt(np.mean(np.square(by_step), axis=0))
    config = watched.config
    said = math.sqrt(2 * config.learning_rate * config.weight_decay)
    near = (np.abs(by_layer - said) <= AS_SAID * said).all()
    last = watched.last_accuracy("batch")
    return {
        "slowest": by_layer.min(),
        "fastest": by_layer.max(),
        "said": said,
        "batch": last,
        **either("hardly", "learns", last <= HARDLY),
        **either("near", "apart", near),
    }  # fmt: skip


def _settled_steps(watched: Watched) -> Sequence[int]:
    """The steps over which the mean is taken.

    Raises:
        NotMeasured: the run has not come so far.
    """
    if watched.last_step < LONG_LAST:
        raise NotMeasured(f"step {LONG_LAST}")
    return SETTLED


# The lesson's own changes of pace, so that what follows on the change can be seen.
A_TENTH = schedule(
    (MULTIPLIED_AT - 5, 40), (LATER, 5), (LAST_STEP, 40),
    shown=(MULTIPLIED_AT, *RISES), keep=(MULTIPLIED_AT,), probes=("before_change",),
    changes=(Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (TENTH, None)}),),
)  # fmt: skip


# A long run of BN alone, with weight decay, of which the last part is measured.
SETTLED = range(SETTLED_FROM, LONG_LAST + 1, SETTLED_EVERY)
LONG = schedule((LONG_LAST, 250), shown=SETTLED, probes=("weights",))
TURNED = ("weights", "accuracy")
TURNING = {"norms": ("batch",), **TANH}

LESSON = Lesson(
    name="size-of-weights",
    minutes=10,
    setting=RELU,
    plan=schedule(
        (MULTIPLIED_AT - 5, 20), (LATER, 5), (LAST_STEP, 20),
        shown=(MULTIPLIED_AT - 1, MULTIPLIED_AT, LATER), changes=(ALL,), keep=(MULTIPLIED_AT,),
        probes=("before_change",),
    ),
    charts=("loss", "gradients", "mode_gap"),
    knobs=("learning_rate", SCALE_WEIGHTS),
    answers=("relearns", "smaller", "larger"),
    rule=judge,
    series=Comparison.over(
        "learning_rate", RATES, RunConfig(), last_step=BREAK_LAST, learned=LEARNED
    ),
    series_first=True,
    breaks=(
        BreakIt(
            name="tenth",
            plan=A_TENTH, tell=_after_a_tenth,
        ),
        BreakIt(
            name="one-layer",
            knobs=TANH,
            plan=schedule(
                (LAST_STEP, 40),
                changes=(Change(MULTIPLIED_AT, {SCALE_WEIGHTS: (FACTOR, ONE_LAYER)}),),
            ),
            tell=_after_all,
        ),
        BreakIt(
            name="rate-three",
            knobs={**TANH, "learning_rate": 3.0},
            plan=schedule((BREAK_LAST, 40)), tell=_after_all,
        ),
        BreakIt(
            name="slow", knobs={"learning_rate": 0.001}, plan=schedule((BREAK_LAST, 40)),
            tell=_after_all, batch_loses=BatchLoses(),
        ),
        BreakIt(
            name="turning", knobs={**TURNING, "weight_decay": 0.1}, plan=LONG, tell=_turning,
            ends=False, charts=TURNED,
        ),
        BreakIt(
            name="turning-fast",
            knobs={**TURNING, "learning_rate": 1.0, "weight_decay": 0.03}, plan=LONG,
            tell=_turning, ends=False, charts=TURNED,
        ),
    ),
    values={
        "multiplied_at": MULTIPLIED_AT, "later": LATER, "factor": FACTOR, "tenth": TENTH,
        "one_layer": ONE_LAYER, "lowest_rate": RATES[0], "highest_rate": RATES[-1],
        "rates": len(RATES), "series_steps": BREAK_LAST, "high_rate": 3,
        "low_rate": 0.001, "settled_from": SETTLED_FROM, "long": LONG_LAST, "decay": 0.1,
        "turning_rate": 0.1, "fast_rate": 1, "fast_decay": 0.03,
    },
)  # fmt: skip
