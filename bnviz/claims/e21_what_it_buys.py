"""E21: how much of the speed is BN's, and what the paper's other changes do here."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from bnviz.claims.random_numbers import CLAIMS_STREAM
from bnviz.claims.runs import accuracies, begin
from bnviz.claims.statement import (
    PERCENT,
    POINTS,
    TIMES,
    Claim,
    Expectation,
    Knobs,
    Values,
    Watch,
    at_least,
    at_most,
    between,
    earlier,
    in_lab,
)
from bnviz.experiment import Experiment
from bnviz.training.batches import Batches

RATE, ENOUGH, STEPS = 0.03, 0.93, 400
EVERY = 5
FIVE, THIRTY = 5, 30
DECAY, DECAY_LESS = 0.001, 0.0002
LARGE_DECAY, LARGE_DECAY_LESS = 0.02, 0.004
LOWERED_AT, LOWERED_BY = 60, 10
FEW = 16
# The first of every fifth step at which two networks arrive: apart by one test at most.
LEVEL: Expectation = between(-EVERY, EVERY)

LOW: Knobs = {"learning_rate": RATE}
HIGH: Knobs = {"learning_rate": FIVE * RATE}
HIGHEST: Knobs = {"learning_rate": THIRTY * RATE}
SIGMOID: Knobs = {**HIGH, "activation": "sigmoid"}
RELU: Knobs = {**LOW, "activation": "relu", "init": "he"}
# The paper's further changes, with BN.
WITH_BN: Knobs = {**HIGH, "norms": ("batch",)}
DECAYING: Knobs = {**WITH_BN, "weight_decay": DECAY}
DECAYING_LESS: Knobs = {**WITH_BN, "weight_decay": DECAY_LESS}
DECAYING_MUCH: Knobs = {**WITH_BN, "weight_decay": LARGE_DECAY}
DECAYING_A_FIFTH: Knobs = {**WITH_BN, "weight_decay": LARGE_DECAY_LESS}
NOT_LOWERED: Knobs = {**HIGHEST, "norms": ("batch",)}
SHUFFLED: Knobs = {**WITH_BN, "batch_size": FEW}


def _half_way(knobs: Knobs) -> Watch:
    return in_lab(knobs, "accuracy_by", STEPS // 2)


def _at_end(knobs: Knobs) -> Watch:
    return in_lab(knobs, "accuracy_by", STEPS)


# How many steps a network needs; where the unit is percent, its accuracy.
STATEMENTS = (
    earlier("plain", between(60, 220), watch=_half_way(LOW)),
    earlier("batch", between(20, 90), watch=_half_way(LOW)),
    earlier("plain-five", between(15, 70), watch=_half_way(HIGH)),
    earlier("batch-five", between(8, 35), watch=_half_way(HIGH)),
    earlier("batch-thirty", between(15, 100), watch=_half_way(HIGHEST)),
    earlier("plain-thirty", at_most(0.9), PERCENT, _at_end(HIGHEST)),
    earlier("batch-sigmoid", between(20, 100), watch=_half_way(SIGMOID)),
    earlier("plain-sigmoid", at_most(0.9), PERCENT, _at_end(SIGMOID)),
    earlier("relu-plain", between(60, 220), watch=_half_way(RELU)),
    earlier("relu-batch", between(100, 350), watch=_half_way(RELU)),
    earlier("relu-slower", at_least(1.2), TIMES, _half_way(RELU)),
    earlier("decay", between(8, 35), watch=_at_end(DECAYING), part="switches"),
    earlier("decay-less", between(8, 35), watch=_at_end(DECAYING_LESS), part="switches"),
    earlier("large-decay", at_most(0.95), PERCENT, _at_end(DECAYING_MUCH), part="switches"),
    earlier("large-decay-less", at_least(0.96), PERCENT, _at_end(DECAYING_A_FIFTH),
            part="switches"),
    earlier("lowered", between(15, 100), part="switches"),
    earlier("lowered-end", between(0.93, 0.98), PERCENT, part="switches"),
    earlier("not-lowered-end", between(0.95, 0.99), PERCENT, _at_end(NOT_LOWERED),
            part="switches"),
    earlier("shuffled", between(10, 120), watch=_at_end(SHUFFLED), part="switches"),
    earlier("shuffled-end", between(0.9, 0.99), PERCENT, _at_end(SHUFFLED), part="switches"),
    earlier("fixed", between(10, 120), part="switches"),
    earlier("fixed-end", between(0.9, 0.99), PERCENT, part="switches"),
    earlier("batch-share", between(0.2, 0.7), TIMES, _half_way(LOW)),
    earlier("plain-five-share", between(0.2, 0.5), TIMES),
    earlier("decay-later", LEVEL, watch=_half_way(DECAYING), part="switches"),
    earlier("decay-less-later", LEVEL, watch=_half_way(DECAYING_LESS), part="switches"),
    earlier("large-decay-gain", at_most(-0.02), POINTS, _at_end(DECAYING_MUCH), part="switches",
            difference=True, comparator="no-decay-end"),
    earlier("large-decay-less-gain", between(-0.02, 0.02), POINTS, _at_end(DECAYING_A_FIFTH),
            part="switches", difference=True, comparator="no-decay-end"),
    earlier("lowered-gain", at_most(0.02), POINTS, part="switches", difference=True,
            comparator="not-lowered-end"),
)  # fmt: skip


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


def measure(seed: int) -> Values:
    """One value a statement of the ladder."""
    low, high, highest, sigmoid, relu = (
        races(begin(seed, knobs)) for knobs in (LOW, HIGH, HIGHEST, SIGMOID, RELU)
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
        "batch-share": low["batch"].reached / low["none"].reached,
        "plain-five-share": high["none"].reached / low["none"].reached,
    }


def races(
    experiment: Experiment, before_step: Callable[[Experiment], None] = lambda experiment: None
) -> dict[str, Race]:
    """Train for `STEPS` steps and test every network at every fifth.

    Args:
        experiment: at step 0.
        before_step: what is done before each step is taken.
    """
    looks = [accuracies(experiment.snapshot(()).networks)]
    while experiment.step_number < STEPS:
        before_step(experiment)
        experiment.step()
        if experiment.step_number % EVERY == 0:
            looks.append(accuracies(experiment.snapshot(()).networks))
    return {norm: _race([look[norm] for look in looks]) for norm in experiment.networks}


def _race(found: Sequence[float]) -> Race:
    reached = next((EVERY * look for look, each in enumerate(found) if each >= ENOUGH), math.inf)
    return Race(reached, max(found), found[-1])


def measure_switches(seed: int) -> Values:
    """One value a statement of the further changes."""

    def lower(experiment: Experiment) -> None:
        if experiment.step_number == LOWERED_AT:
            experiment.update(learning_rate=THIRTY * RATE / LOWERED_BY)

    no_decay, decay, less, large, large_less, shuffled, not_lowered = (
        races(begin(seed, knobs))["batch"]
        for knobs in (
            WITH_BN, DECAYING, DECAYING_LESS, DECAYING_MUCH, DECAYING_A_FIFTH, SHUFFLED,
            NOT_LOWERED,
        )
    )  # fmt: skip
    lowered = races(begin(seed, NOT_LOWERED), lower)["batch"]
    fixed = races(with_companions(begin(seed, SHUFFLED), seed))["batch"]
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
        "no-decay-end": no_decay.last,
        "decay-later": decay.reached - no_decay.reached,
        "decay-less-later": less.reached - no_decay.reached,
        "large-decay-gain": large.last - no_decay.last,
        "large-decay-less-gain": large_less.last - no_decay.last,
        "lowered-gain": lowered.last - not_lowered.last,
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
    parts={"switches": measure_switches},
    other_numbers={"high": FIVE * RATE, "highest": THIRTY * RATE, "percent": 100 * ENOUGH},
)
