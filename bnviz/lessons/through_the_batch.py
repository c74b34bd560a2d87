"""The way back: what happens where the gradient takes a batch's mean and spread for constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnviz.claims.single_layer import RATE, STEPS, UNITS, SingleLayer, single_layer
from bnviz.lessons.drawing import HIGHEST, Curve, Drawing, fall
from bnviz.lessons.lesson import BreakIt, Found, Lesson, Numbers, compared, either, schedule
from bnviz.lessons.watched import Watched

LAST_STEP = 300
BEHIND, LOSS_FACTOR = 0.15, 10.0
# The loss of the layer with the bias has moved, or b has settled, from these shares of it on.
LOSS_MOVED, SETTLED = 1e-6, 1.5
ROUGH = 1e3
# What float64 loses on the way is below this.
ROUNDING = 1e-9
# Steps at which the points of a drawing stand.
DRAWN_AT = tuple(range(STEPS // 5, STEPS + 1, STEPS // 5))
# Of 100: a drawing that falls by less is one that wavers.
WAVERS = 5
# Of what straight growth from zero would add at the end: what adds less there has settled.
STILL_GROWS = 0.5
# Biases of this size have grown, in a network of so many layers.
GREW, BIASES_DEPTH = 0.1, 3


@dataclass(frozen=True)
class BiasTrace:
    """Loss [500] and ‖b‖ [501] of a training run with a bias, by step."""

    losses: np.ndarray
    sizes: np.ndarray


def learn(given: SingleLayer, *, differentiated: bool) -> BiasTrace:
    """x̂ = u + b − E[u + b], of which only b learns, by gradient descent.

    `bnviz.claims.e03_outside` measures it with the engine; a page can compute this, in NumPy. The
    browser draws the same.

    Args:
        given: the layer.
        differentiated: whether the gradient knows that E depends on b.
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
    """What becomes of a bias that a mean takes out again, the mean being a constant."""
    given = single_layer(seed)
    return of_traces(*(learn(given, differentiated=knows) for knows in (False, True)))


def of_traces(blind: BiasTrace, seeing: BiasTrace) -> Numbers:
    """What a bias did whose gradient takes the mean for a constant, and one that is told of it."""
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
    """Which answer the bias alone gives."""
    growth, change, fall = (
        float(numbers[k] or 0) for k in ("bias_growth", "loss_change", "loss_fall")
    )
    if change <= LOSS_MOVED:
        return "grows" if growth >= SETTLED else None
    if fall < -1 and growth > ROUGH:
        return "blows_up"
    return "settles" if fall > LOSS_MOVED and growth < SETTLED else None


def _drawn(curve: Curve) -> str | None:
    """Which answer the whole course of a drawn ‖b‖ amounts to.

    None of them where it falls on its way. What has grown out of the axes before the last stretch
    has *blown up*; what still grows on that stretch, at half the pace of straight growth or more,
    *grows*; what does not has *settled*, wherever it lies.
    """
    if fall(curve) > WAVERS:
        return None
    before, end = curve[DRAWN_AT[-2]], curve[STEPS]
    if before >= HIGHEST and SETTLED * curve[DRAWN_AT[0]] <= HIGHEST:
        return "blows_up"
    straight = end * (STEPS - DRAWN_AT[-2]) / STEPS
    return "grows" if end > before and end - before >= STILL_GROWS * straight else "settles"


def _measured(watched: Watched) -> Curve:
    """‖b‖ of the layer alone."""
    trace = learn(single_layer(watched.config.seed), differentiated=False)
    return dict(enumerate(trace.sizes.tolist()))


def judge(watched: Watched) -> Found:
    """Held where a whole ReLU network without these paths falls behind the one with them."""
    return judge_beside(watched, bias_alone(watched.config.seed))


def judge_beside(watched: Watched, alone: Numbers) -> Found:
    """The verdict on a run beside what became of a bias alone."""
    batch, apart, plain = (watched.accuracy(LAST_STEP, n) for n in ("batch", "ablated", "none"))
    losses = {norm: watched.at(LAST_STEP, norm).loss for norm in ("batch", "ablated")}
    weights = {
        norm: watched.value(LAST_STEP, norm, "weights", "norm")[0] for norm in ("batch", "ablated")
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
        "start_weights": watched.value(0, "batch", "weights", "norm")[0],
        **alone,
    }
    answer = answer_of(alone)
    behind = batch - apart >= BEHIND and losses["ablated"] >= LOSS_FACTOR * losses["batch"]
    return behind and answer == "grows", numbers, answer


def _biases(watched: Watched) -> Numbers:
    """The size of all hidden biases at the end, beside the accuracies."""
    rows = watched.value(watched.last_step, "ablated", "weights", "bias")[:-1]
    size = float(np.linalg.norm(rows))
    apart, plain = (watched.last_accuracy(norm) for norm in ("ablated", "none"))
    return {
        "ablated": apart,
        "none": plain,
        "bias": size,
        **either("grew", "still", size >= GREW),
        **compared("ablated", "none")(watched),
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
        BreakIt(name="tanh", knobs={"activation": "tanh"}, tell=compared("ablated", "batch")),
        BreakIt(name="faster", knobs={"learning_rate": 1.0}, tell=compared("ablated", "batch")),
        BreakIt(
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
