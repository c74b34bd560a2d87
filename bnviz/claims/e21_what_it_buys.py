"""E21: how much of the speed is BN's, and what the paper's other changes do here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from bnviz.claims.random_numbers import CLAIMS_STREAM
from bnviz.claims.runs import accuracy
from bnviz.claims.statement import (
    Claim,
    Expectation,
    Kind,
    Statement,
    Unit,
    at_least,
    at_most,
    between,
    in_lab,
)
from bnviz.config import RunConfig
from bnviz.experiment import Experiment
from bnviz.training.batches import Batches

RATE, ENOUGH, STEPS = 0.03, 0.93, 400
EVERY = 5
FIVE, THIRTY = 5, 30
DECAY, DECAY_LESS = 0.001, 0.0002
LARGE_DECAY, LARGE_DECAY_LESS = 0.02, 0.004
LOWERED_AT, LOWERED_BY = 60, 10
FEW = 16
CHARTS = ("accuracy_by",)

LOW: dict[str, Any] = {"learning_rate": RATE}
HIGH: dict[str, Any] = {"learning_rate": FIVE * RATE}
HIGHEST: dict[str, Any] = {"learning_rate": THIRTY * RATE}
SIGMOID: dict[str, Any] = {**HIGH, "activation": "sigmoid"}
RELU: dict[str, Any] = {**LOW, "activation": "relu", "init": "he"}
SHUFFLED: dict[str, Any] = {**HIGH, "norms": ("batch",), "batch_size": FEW}

SWITCHES = "switches"


class Race(NamedTuple):
    """How a network did over `STEPS` steps.

    Attributes:
        reached: the first step, of every fifth, at which it had `ENOUGH`; infinity: none.
        highest: test accuracy, 0 to 1.
        last: the same at the last step.
    """

    reached: float
    highest: float
    last: float


def _steps(
    key: str, expected: Expectation, setting: Mapping[str, Any], kind: Kind = Kind.EARLIER,
    part: str = "",
) -> Statement:  # fmt: skip
    """A statement of the steps that a network needs."""
    return Statement(
        key=key, expected=expected, kind=kind, part=part,
        watch=in_lab(setting, CHARTS, step=STEPS // 2),
    )  # fmt: skip


def _never(key: str, setting: Mapping[str, Any]) -> Statement:
    """A statement of the highest accuracy of a network that does not get there."""
    return Statement(
        key=key, expected=at_most(0.9), kind=Kind.EARLIER, unit=Unit.PERCENT,
        watch=in_lab(setting, CHARTS, step=STEPS),
    )  # fmt: skip


def _switch(
    key: str, expected: Expectation, setting: Mapping[str, Any] | None, unit: Unit = Unit.NONE
) -> Statement:
    """A statement of one of the paper's further changes; with BN."""
    watch = None if setting is None else in_lab({**setting, "norms": ("batch",)}, CHARTS, STEPS)
    return Statement(
        key=key, expected=expected, kind=Kind.EARLIER, unit=unit, part=SWITCHES, watch=watch
    )


STATEMENTS = (
    _steps("plain", between(60, 220), LOW),
    _steps("batch", between(20, 90), LOW),
    _steps("plain-five", between(15, 70), HIGH),
    _steps("batch-five", between(8, 35), HIGH),
    _steps("batch-thirty", between(15, 100), HIGHEST),
    _never("plain-thirty", HIGHEST),
    _steps("batch-sigmoid", between(20, 100), SIGMOID),
    _never("plain-sigmoid", SIGMOID),
    _steps("relu-plain", between(60, 220), RELU),
    _steps("relu-batch", between(100, 350), RELU),
    Statement(
        key="relu-slower", expected=at_least(1.2), kind=Kind.EARLIER, unit=Unit.TIMES,
        watch=in_lab(RELU, CHARTS, step=STEPS // 2),
    ),
    _switch("decay", between(8, 35), {**HIGH, "weight_decay": DECAY}),
    _switch("decay-less", between(8, 35), {**HIGH, "weight_decay": DECAY_LESS}),
    _switch("large-decay", at_most(0.95), {**HIGH, "weight_decay": LARGE_DECAY}, Unit.PERCENT),
    _switch(
        "large-decay-less", at_least(0.96), {**HIGH, "weight_decay": LARGE_DECAY_LESS},
        Unit.PERCENT,
    ),
    _switch("lowered", between(15, 100), None),
    _switch("lowered-end", between(0.93, 0.98), None, Unit.PERCENT),
    _switch("not-lowered-end", between(0.95, 0.99), HIGHEST, Unit.PERCENT),
    _switch("shuffled", between(10, 120), SHUFFLED),
    _switch("shuffled-end", between(0.9, 0.99), SHUFFLED, Unit.PERCENT),
    _switch("fixed", between(10, 120), None),
    _switch("fixed-end", between(0.9, 0.99), None, Unit.PERCENT),
)  # fmt: skip


def measure(seed: int) -> dict[str, float]:
    """One value a statement of the ladder."""
    low, high, highest, sigmoid, relu = (
        races(Experiment(RunConfig(**setting, seed=seed)))
        for setting in (LOW, HIGH, HIGHEST, SIGMOID, RELU)
    )
    return {
        "plain": low["none"].reached,
        "batch": low["batch"].reached,
        "plain-five": high["none"].reached,
        "batch-five": high["batch"].reached,
        "batch-thirty": highest["batch"].reached,
        "plain-thirty": highest["none"].highest,
        "batch-sigmoid": sigmoid["batch"].reached,
        "plain-sigmoid": sigmoid["none"].highest,
        "relu-plain": relu["none"].reached,
        "relu-batch": relu["batch"].reached,
        "relu-slower": relu["batch"].reached / relu["none"].reached,
    }


def races(
    experiment: Experiment, before_step: Callable[[Experiment], None] | None = None
) -> dict[str, Race]:
    """Train for `STEPS` steps and test every network at every fifth.

    Args:
        experiment: at step 0.
        before_step: what is done before each step is taken.
    """
    found: dict[str, dict[int, float]] = {norm: {} for norm in experiment.networks}
    for step in range(STEPS + 1):
        if step:
            if before_step is not None:
                before_step(experiment)
            experiment.step()
        if step % EVERY == 0:
            for norm, record in experiment.snapshot(()).networks.items():
                found[norm][step] = accuracy(record)
    return {norm: _race(values) for norm, values in found.items()}


def _race(accuracies: Mapping[int, float]) -> Race:
    reached = next((step for step, value in accuracies.items() if value >= ENOUGH), math.inf)
    return Race(reached, max(accuracies.values()), accuracies[STEPS])


def measure_switches(seed: int) -> dict[str, float]:
    """One value a statement of the further changes."""

    def run(setting: Mapping[str, Any]) -> Experiment:
        return Experiment(RunConfig(**{**setting, "norms": ("batch",)}, seed=seed))

    def lower(experiment: Experiment) -> None:
        if experiment.step_number == LOWERED_AT:
            experiment.update(learning_rate=THIRTY * RATE / LOWERED_BY)

    decay, less, large, large_less, shuffled, not_lowered = (
        races(run(setting))["batch"]
        for setting in (
            {**HIGH, "weight_decay": DECAY}, {**HIGH, "weight_decay": DECAY_LESS},
            {**HIGH, "weight_decay": LARGE_DECAY}, {**HIGH, "weight_decay": LARGE_DECAY_LESS},
            SHUFFLED, HIGHEST,
        )
    )  # fmt: skip
    lowered = races(run(HIGHEST), lower)["batch"]
    fixed = races(with_companions(run(SHUFFLED), seed))["batch"]
    return {
        "decay": decay.reached,
        "decay-less": less.reached,
        "large-decay": large.last,
        "large-decay-less": large_less.last,
        "lowered": lowered.reached,
        "lowered-end": lowered.last,
        "not-lowered-end": not_lowered.last,
        "shuffled": shuffled.reached,
        "shuffled-end": shuffled.last,
        "fixed": fixed.reached,
        "fixed-end": fixed.last,
    }


def with_companions(experiment: Experiment, seed: int) -> Experiment:
    """The same at step 0, with mini-batches that have the same examples in every epoch."""
    experiment.batches = SameCompanions(len(experiment.data.train_labels), seed, FEW)
    return experiment


class SameCompanions(Batches):
    """Mini-batches of one size: the same examples stand together in each epoch, in other orders."""

    def __init__(self, size: int, seed: int, batch: int) -> None:
        # What does not fill a mini-batch is left out, so that epochs begin with one.
        super().__init__(size - size % batch, seed)
        self._batch = batch
        self._together = Batches(size, seed).peek(size - size % batch).reshape(-1, batch)

    def _epoch(self, epoch: int) -> np.ndarray:
        generator = np.random.default_rng([self._seed, CLAIMS_STREAM, epoch])
        return self._together[generator.permutation(len(self._together))].ravel()


CLAIM = Claim(
    STATEMENTS,
    measure,
    parts={SWITCHES: measure_switches},
    numbers={
        "rate": RATE, "high": FIVE * RATE, "highest": THIRTY * RATE, "percent": 100 * ENOUGH,
        "steps": STEPS, "every": EVERY, "five": FIVE, "thirty": THIRTY, "decay": DECAY,
        "decay_less": DECAY_LESS,
        "large_decay": LARGE_DECAY, "large_decay_less": LARGE_DECAY_LESS,
        "lowered_at": LOWERED_AT, "lowered_by": LOWERED_BY, "few": FEW,
    },
)  # fmt: skip
