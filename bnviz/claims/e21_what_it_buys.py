"""E21: share of the speedup that is due to BN, and effect of the paper's other changes."""

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
    ClaimValues,
    Expectation,
    KnobValues,
    LabLink,
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
# Expected difference in steps if two networks reach `ENOUGH` at the same test or one test apart.
LEVEL: Expectation = between(-EVERY, EVERY)

LOW: KnobValues = {"learning_rate": RATE}
HIGH: KnobValues = {"learning_rate": FIVE * RATE}
HIGHEST: KnobValues = {"learning_rate": THIRTY * RATE}
SIGMOID: KnobValues = {**HIGH, "activation": "sigmoid"}
RELU: KnobValues = {**LOW, "activation": "relu", "init": "he"}
# Settings for the paper's further changes, which are made to networks with BN.
WITH_BN: KnobValues = {**HIGH, "norms": ("batch",)}
DECAYING: KnobValues = {**WITH_BN, "weight_decay": DECAY}
DECAYING_LESS: KnobValues = {**WITH_BN, "weight_decay": DECAY_LESS}
DECAYING_MUCH: KnobValues = {**WITH_BN, "weight_decay": LARGE_DECAY}
DECAYING_A_FIFTH: KnobValues = {**WITH_BN, "weight_decay": LARGE_DECAY_LESS}
NOT_LOWERED: KnobValues = {**HIGHEST, "norms": ("batch",)}
SHUFFLED: KnobValues = {**WITH_BN, "batch_size": FEW}


def _half_way(knobs: KnobValues) -> LabLink:
    return in_lab(knobs, "accuracy_by", STEPS // 2)


def _at_end(knobs: KnobValues) -> LabLink:
    return in_lab(knobs, "accuracy_by", STEPS)


# Statements on the number of steps a network needs, or on its accuracy if the unit is percent.
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
    """First tested step with an accuracy of `ENOUGH` (or infinity), highest and last accuracy."""

    reached: float
    highest: float
    last: float


def measure(seed: int) -> ClaimValues:
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
    """Train for `STEPS` steps, test every `EVERY` steps, and return each network's result."""
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


def measure_switches(seed: int) -> ClaimValues:

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
    """Make an experiment at step 0 use the same mini-batches in every epoch."""
    experiment.batches = SameCompanions(len(experiment.data.train_labels), seed, FEW)
    return experiment


class SameCompanions(Batches):
    """Mini-batches that keep their examples in every epoch. Only their order changes."""

    def __init__(self, size: int, seed: int, batch: int) -> None:
        # Leave out the examples that do not fill a mini-batch, so that each epoch starts with a new
        # mini-batch.
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
