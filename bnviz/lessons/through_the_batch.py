"""Lesson on the backward pass: gradients that treat the batch statistics as constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnviz.claims.single_layer import RATE, STEPS, UNITS, SingleLayer, single_layer
from bnviz.lessons.drawing import HIGHEST, Drawing, DrawnCurve, fall
from bnviz.lessons.lesson import Found, Lesson, Numbers, TryIt, compared, either, schedule
from bnviz.lessons.observation import Observation

LAST_STEP = 300
BEHIND, LOSS_FACTOR = 0.15, 10.0
# Minimum relative change of a loss that counts as moved, and maximum factor by which ‖b‖ grows over
# the second half of a run in which b settles.
LOSS_MOVED, SETTLED = 1e-6, 1.5
ROUGH = 1e3
# Upper limit of rounding errors in float64.
ROUNDING = 1e-9
# Steps at which a drawing has its points.
DRAWN_AT = tuple(range(STEPS // 5, STEPS + 1, STEPS // 5))
# Maximum drop that is ignored in a drawing, whose values are from 0 to 100.
WAVERS = 5
# A bias counts as still growing if, in its drawn curve, the growth over the last stretch is at
# least this share of the growth of a straight line from zero.
STILL_GROWS = 0.5
# Minimum norm at which biases count as grown, and number of layers of their network.
GREW, BIASES_DEPTH = 0.1, 3


@dataclass(frozen=True)
class BiasTrace:
    """Loss [500] and ‖b‖ [501] at each step of a run in which only a bias learns."""

    losses: np.ndarray
    sizes: np.ndarray


def learn(given: SingleLayer, *, differentiated: bool) -> BiasTrace:
    """Train only b in x̂ = u + b − E[u + b] by gradient descent.

    If `differentiated`, the gradient includes the dependence of E on b. NumPy suffices, so a page
    can run this function. The browser draws the same run, and
    `bnviz.claims.e03_mean_outside_gradient` repeats it with the engine.
    """
    bias, losses, sizes = np.zeros(given.inputs.shape[1]), [], [0.0]
    examples = len(given.labels)
    rows = np.arange(examples)
    for _ in range(STEPS):
        shifted = given.inputs + bias
        logits = (shifted - shifted.mean(axis=0)) @ given.readout
        logits -= logits.max(axis=1, keepdims=True)
        logarithms = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
        losses.append(float(-logarithms[rows, given.labels].mean()))
        gradient = np.exp(logarithms)
        gradient[rows, given.labels] -= 1
        back = gradient @ given.readout.T / examples
        if differentiated:
            back = back - back.mean(axis=0)
        bias = bias - RATE * back.sum(axis=0)
        sizes.append(float(np.linalg.norm(bias)))
    return BiasTrace(np.array(losses), np.array(sizes))


def bias_alone(seed: int) -> Numbers:
    """Train the bias twice, with the mean as a constant and with the full gradient, and compare the
    runs.
    """
    given = single_layer(seed)
    return of_traces(*(learn(given, differentiated=knows) for knows in (False, True)))


def of_traces(blind: BiasTrace, seeing: BiasTrace) -> Numbers:
    """Compare a run that treats the mean as a constant with a run that uses the full gradient."""
    half, end = blind.sizes[STEPS // 2], blind.sizes[-1]
    change = (blind.losses.max() - blind.losses.min()) / blind.losses[0]
    inside = seeing.sizes[-1]
    return {
        "loss": blind.losses[0],
        "loss_change": change,
        "loss_still": change <= ROUNDING,
        "loss_moved": change > ROUNDING,
        "loss_fall": (blind.losses[0] - blind.losses[-1]) / blind.losses[0],
        "bias_half": half,
        "bias_end": end,
        "bias_growth": end / half if half else 1.0,
        "bias_inside": inside,
        "inside_still": inside <= ROUNDING,
        "inside_moved": inside > ROUNDING,
    }


def answer_of(numbers: Numbers) -> str | None:
    growth, change, fall = (
        float(numbers[k] or 0) for k in ("bias_growth", "loss_change", "loss_fall")
    )
    if change <= LOSS_MOVED:
        return "grows" if growth >= SETTLED else None
    if fall < -1 and growth > ROUGH:
        return "blows_up"
    return "settles" if fall > LOSS_MOVED and growth < SETTLED else None


def _drawn(curve: DrawnCurve) -> str | None:
    """Return the answer that matches a drawn curve of ‖b‖, or None if the curve falls.

    The curve *blows up* if it reaches the top before the last stretch. It *grows* if its last
    stretch is at least half as steep as a straight line from 0 to its end. Otherwise it *settles*.
    """
    if fall(curve) > WAVERS:
        return None
    before, end = curve[DRAWN_AT[-2]], curve[STEPS]
    if before >= HIGHEST and SETTLED * curve[DRAWN_AT[0]] <= HIGHEST:
        return "blows_up"
    straight = end * (STEPS - DRAWN_AT[-2]) / STEPS
    return "grows" if end > before and end - before >= STILL_GROWS * straight else "settles"


def _measured(observed: Observation) -> DrawnCurve:
    """Return ‖b‖ of the single layer by step."""
    trace = learn(single_layer(observed.config.seed), differentiated=False)
    return dict(enumerate(trace.sizes.tolist()))


def judge(observed: Observation) -> Found:
    """Judge the claim: a ReLU network without gradients through batch statistics falls behind."""
    return judge_beside(observed, bias_alone(observed.config.seed))


def judge_beside(observed: Observation, alone: Numbers) -> Found:
    """Judge a run, given the numbers of the single layer in which only the bias learns."""
    batch, apart, plain = (observed.accuracy(LAST_STEP, n) for n in ("batch", "ablated", "none"))
    losses = {norm: observed.at(LAST_STEP, norm).loss for norm in ("batch", "ablated")}
    weights = {
        norm: observed.value(LAST_STEP, norm, "weights", "norm")[0] for norm in ("batch", "ablated")
    }
    numbers: Numbers = {
        "batch": batch,
        "ablated": apart,
        "plain": plain,
        "batch_loss": losses["batch"],
        "ablated_loss": losses["ablated"],
        "loss_factor": losses["ablated"] / losses["batch"],
        "batch_weights": weights["batch"],
        "ablated_weights": weights["ablated"],
        "start_weights": observed.value(0, "batch", "weights", "norm")[0],
        **alone,
    }
    answer = answer_of(alone)
    behind = batch - apart >= BEHIND and losses["ablated"] >= LOSS_FACTOR * losses["batch"]
    return behind and answer == "grows", numbers, answer


def _biases(observed: Observation) -> Numbers:
    """Return the norm of all hidden biases at the end, and the accuracies."""
    rows = observed.value(observed.last_step, "ablated", "weights", "bias")[:-1]
    size = float(np.linalg.norm(rows))
    apart, plain = (observed.last_accuracy(norm) for norm in ("ablated", "none"))
    return {
        "ablated": apart,
        "none": plain,
        "bias": size,
        **either("grew", "still", size >= GREW),
        **compared("ablated", "none")(observed),
    }


LESSON = Lesson(
    name="through-the-batch",
    minutes=10,
    setting={
        "norms": ("none", "batch", "ablated"), "ablation_gradient": False, "activation": "relu",
    },
    plan=schedule((LAST_STEP, 20), probes=("weights",)),
    charts=("accuracy", "loss", "weights"),
    half=("loss", "weights"),
    ranges={
        "loss": (0.002, 10), "test_loss": (0.05, 20),
        "weights.norm": (4, 22), "weights.effective_rate": (0.0002, 0.006),
    },
    knobs=("activation", "ablation_gradient"),
    answers=("settles", "grows", "blows_up"),
    rule=judge,
    drawing=Drawing(
        on="outside_gradient", steps=DRAWN_AT, last_step=STEPS, percent=False, answer=_drawn,
        measured=_measured,
        usual={
            "settles": (20, 35, 42, 45, 45), "grows": (20, 40, 60, 80, 100),
            "blows_up": (10, 50, 90, 100, 100),
        },
    ),
    breaks=(
        TryIt(name="tanh", knobs={"activation": "tanh"}, tell=compared("ablated", "batch")),
        TryIt(name="faster", knobs={"learning_rate": 1.0}, tell=compared("ablated", "batch")),
        TryIt(
            name="biases",
            knobs={
                "activation": "tanh", "depth": BIASES_DEPTH, "norms": ("none", "ablated"),
                "ablation_statistics": "mean", "ablation_gradient": False, "ablation_bias": True,
            },
            tell=_biases,
            ends=False,
        ),
    ),
    break_rates=((LAST_STEP, 40),),
    widgets={"figure": ("outside_gradient",), "why": ("by_hand_backward",)},
    values={
        "bias_steps": STEPS, "bias_half_steps": STEPS // 2,
        "bias_rate": RATE, "bias_units": UNITS, "faster_rate": 1,
        "biases_depth": BIASES_DEPTH,
    },
)  # fmt: skip
