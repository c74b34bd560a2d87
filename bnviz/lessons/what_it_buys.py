"""Lesson on speed, in steps and in seconds: the effects of BN and of the learning rate."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bnviz.config import RunConfig
from bnviz.lessons.lesson import RELU, BatchLoses, Found, Lesson, Numbers, TryIt, cases
from bnviz.lessons.observation import Observation
from bnviz.planned_runs.arrival import arrival
from bnviz.planned_runs.comparison import Comparison
from bnviz.planned_runs.plan import Plan

RATE, ENOUGH, LAST_STEP = 0.03, 0.93, 240
# Multiples of the low learning rate.
FIVE, THIRTY = 5, 30
# Steps per second.
PACE = 60
# Number of steps between tests.
EVERY = 5
# Typical numbers of steps that the network without BN needs to reach the target accuracy at five
# times the low learning rate, if the answer is *rate* or *batch*.
BY_RATE, BY_BATCH = 40, 90
# The answer is *rate* if, at five times the low learning rate, the network without BN needs at most
# this share of the steps that it needs at the low rate.
SHARE = 2 / 3
# Learning rate at which each network learns approximately fastest.
BEST = (0.15, 0.2)

# Settings of the paper's other changes to training, as in claim E21.
CHANGES = {
    "decay": 0.001, "large_decay": 0.02, "lowered_at": 60, "lowered_by": 10, "few": 16,
    "steps": 400,
}  # fmt: skip

NETWORKS = {"plain": "none", "batch": "batch"}
KEYS = ("low", "five", "thirty", "sigmoid")
# Runs in which the network without BN is not expected to reach the target accuracy.
BEYOND = ("thirty", "sigmoid")


def ladder(config: RunConfig) -> Comparison:
    """Return a comparison of runs at the learning rate of `config`, at higher rates, and with
    sigmoid units.
    """

    def times(factor: float) -> RunConfig:
        return config.replace(learning_rate=float(f"{factor * config.learning_rate:.6g}"))

    settings = {
        "low": config, "five": times(FIVE), "thirty": times(THIRTY),
        "sigmoid": times(FIVE).replace(activation="sigmoid"),
    }  # fmt: skip
    shown = tuple(range(0, LAST_STEP + 1, EVERY))
    return Comparison.of(
        "ladder", settings, last_step=LAST_STEP, target_accuracy=ENOUGH, rate=PACE, shown=shown
    )


def judge(observed: Observation) -> Found:
    """Judge the claim: both BN and the higher learning rate save steps.

    With BN, every run reaches the target accuracy: at the low rate earlier than without BN, and at
    the higher rate even earlier. Without BN, the higher rate saves a third of the steps, but no run
    of `BEYOND` reaches the target.
    """
    reached = {
        f"{name}_{key}": observed.curve(key, norm).reached
        for name, norm in NETWORKS.items() for key in KEYS
    }  # fmt: skip
    price = _price(observed)
    plain, plain_five = reached["plain_low"], reached["plain_five"]
    batch, batch_five = reached["batch_low"], reached["batch_five"]
    numbers: Numbers = {
        **reached,
        **_arrivals(reached),
        "whole": _times(plain, batch_five),
        "by_rate": _times(plain, plain_five),
        "by_batch": _times(plain, batch),
        "price": price,
        "in_steps": _times(batch_five, plain_five),
        "in_seconds": _times(batch_five, plain_five, price),
    }
    answer = _answer(plain, plain_five)
    ahead = _before(batch, plain) and _before(batch_five, batch)
    bears = all(reached[f"batch_{key}"] is not None for key in BEYOND)
    alone = all(reached[f"plain_{key}"] is None for key in BEYOND)
    return ahead and bears and alone and answer == "rate", numbers, answer


def _answer(plain: int | None, plain_five: int | None) -> str | None:
    """Return the answer that matches the steps without BN at both learning rates, or None."""
    if plain_five is None:
        return "breaks"
    if plain_five <= SHARE * (plain or LAST_STEP):
        return "rate"
    return "batch" if plain else None


def _arrivals(reached: Mapping[str, int | None]) -> dict[str, bool]:
    """Return flags that tell which runs reached the target accuracy and which did not."""
    return {
        **{f"{name}_arrived": steps is not None for name, steps in reached.items()},
        **{f"{name}_never": steps is None for name, steps in reached.items()},
    }


def _before(one: int | None, other: int | None) -> bool:
    """Return whether `one` is fewer steps than `other`. None means that the target was missed."""
    return one is not None and (other is None or one < other)


def _times(over: float | None, under: float | None, price: float | None = 1.0) -> float | None:
    """Return `price` × `over` ÷ `under`, or None if a value is missing."""
    return price * over / under if price and over and under else None


def _price(observed: Observation) -> float | None:
    """Return the time per step with BN ÷ the time without BN, or None if nothing was timed.

    Times are divided by epochs, because a network that stopped took fewer steps than planned.
    """
    curves = {norm: [observed.curve(key, norm) for key in KEYS] for norm in NETWORKS.values()}
    plain, batch = (
        sum(curve.seconds[-1] for curve in of) / sum(curve.epochs[-1] for curve in of)
        for of in curves.values()
    )
    return batch / plain if plain else None


def _race(name: str, knobs: Mapping[str, Any], last_step: int, every: int, **more: Any) -> TryIt:
    """Return an experiment that measures when each network reaches `ENOUGH`."""
    plan = Plan(
        rates=((last_step, PACE),), last_step=last_step, brief=True,
        shown=tuple(range(0, last_step + 1, every)),
    )  # fmt: skip

    def tell(observed: Observation) -> Numbers:
        """Return the steps and seconds of each network, and which network arrived first."""
        found: dict[str, int | None] = {}
        seconds: dict[str, float | None] = {}
        for network, norm in NETWORKS.items():
            shares = observed.accuracies(norm, 0, observed.last_step)
            # Use only the planned steps, which every machine measures.
            at = arrival({step: shares[step] for step in plan.shown if step in shares}, ENOUGH)
            found[network] = at
            seconds[network] = None if at is None else observed.at(at, norm).training_seconds
        plain, batch = found["plain"], found["batch"]
        first = "plain_first" if _before(plain, batch) else "batch_first"
        return {
            **found,
            **_arrivals(found),
            **{f"{network}_seconds": spent for network, spent in seconds.items()},
            "in_steps": _times(batch, plain),
            "in_seconds": _times(seconds["batch"], seconds["plain"]),
            **cases("plain_first", "batch_first", found=None if plain == batch else first),
        }  # fmt: skip

    return TryIt(
        name=name, knobs=knobs, plan=plan, tell=tell, ends=False, target_accuracy=ENOUGH, **more
    )


LESSON = Lesson(
    name="what-it-buys",
    minutes=12,
    setting={"learning_rate": RATE},
    plan=ladder(RunConfig(learning_rate=RATE)).plan,
    charts=("accuracy_by",),
    knobs=("learning_rate",),
    answers=("breaks", "batch", "rate"),
    rule=judge,
    compares=ladder,
    guessed_bars={
        "breaks": ("five", "none", None), "batch": ("five", "none", BY_BATCH),
        "rate": ("five", "none", BY_RATE),
    },
    breaks=(
        _race("each-at-its-best", {"learning_rates": BEST}, 200, EVERY),
        _race("relu", RELU, 400, 10, batch_loses=BatchLoses(by="steps")),
    ),
    widgets={"figure": ("ladder", "steps_seconds"), "more": ("benefits",)},
    values={
        "enough": ENOUGH, "five": FIVE, "thirty": THIRTY, "by_rate": BY_RATE,
        "by_batch": BY_BATCH, "every": EVERY, "high_rate": FIVE * RATE, "best_plain": BEST[0],
        "best_batch": BEST[1], **CHANGES,
    },
)  # fmt: skip
