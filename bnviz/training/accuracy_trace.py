"""Recent accuracies of a network, from which the text of a headline is derived."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from bnviz.break_limits import CHANCE_MARGIN, KEPT, LATELY, LEFT_MARGIN
from bnviz.records import AccuracyTrace, reached
from bnviz.training.checkpoint import Checkpointed

# Number of steps between evaluations on the test set. The interval does not depend on viewers,
# because the text about a run must not depend on when frames are measured. With 256 examples, the
# evaluations take 4 % of a run's time.
TEST_EVERY = 25
# Shorter interval, in steps. It applies at the start of a run, while successive evaluations differ,
# and for `RESTLESS` steps after a fall in test accuracy.
TEST_OFTEN = 5
RESTLESS = 200
NEAR_CHANCE = 0.15
SETTLED = 0.1
MOST_TESTS = LATELY // TEST_OFTEN + 2
NOW = 5
# Number of standard errors by which the mini-batch accuracy must fall. A smaller fall proves
# nothing: the largest of many means over a few small mini-batches exceeds the others by chance.
CERTAIN = 4.0


class AccuracyTracker(Checkpointed):
    """Accuracies on the test set at fixed steps, and recent mini-batch accuracies.

    The accuracies belong to the run's state and its checkpoints, so that a restored, replayed or
    forked run reports the same text at the same step.
    """

    checkpointed = ("_tests", "_left", "_since", "_restless_until", "_examples")

    def __init__(self, chance: float) -> None:
        self._chance = chance
        self._tests: deque[tuple[int, float]] = deque(maxlen=MOST_TESTS)
        self._left = False
        self._since = 0
        self._restless_until = TEST_EVERY
        self._examples = 1

    def due(self, step: int, accuracies: Sequence[float]) -> bool:
        """Return whether the test set must be evaluated after `step` updates."""
        if step % TEST_EVERY == 0:
            return True
        if step % TEST_OFTEN:
            return False
        return step < self._restless_until or self._unsettled(accuracies)

    def _unsettled(self, accuracies: Sequence[float]) -> bool:
        """Return whether the last two tests differ, or the last contradicts recent mini-batches."""
        seen = [reached(accuracy) for _, accuracy in self._tests][-2:]
        if not seen:
            return False
        recent = list(accuracies)[-LATELY:]
        low = seen[-1] <= self._chance + NEAR_CHANCE
        hardly = low and sum(recent) > (self._chance + CHANCE_MARGIN) * len(recent)
        return hardly or abs(seen[-1] - seen[0]) > SETTLED

    def add_test(self, step: int, accuracy: float) -> None:
        """Record an accuracy on the test set, or NaN if logits are not finite."""
        if self._tests and reached(accuracy) < KEPT * reached(self._tests[-1][1]):
            self._restless_until = step + RESTLESS
        self._tests.append((step, accuracy))
        if accuracy > self._chance + CHANCE_MARGIN:
            self._left |= accuracy > self._chance + LEFT_MARGIN
            self._since = step + 1

    def observe(self, accuracies: Sequence[float], examples: int) -> None:
        """Record a mini-batch of size `examples`; its accuracy is the last of `accuracies`."""
        self._examples = examples
        if not self._left and len(accuracies) >= LATELY:
            recent = [accuracies[at] for at in range(-LATELY, 0)]
            self._left = sum(recent) / LATELY > self._chance + LEFT_MARGIN

    def trace(self, step: int, accuracies: Sequence[float], loss_ratio: float) -> AccuracyTrace:
        """Return the accuracy trace after `step` updates; `loss_ratio` is loss ÷ initial loss."""
        recent = list(accuracies)[-LATELY:]
        means = [sum(recent[at : at + NOW]) / NOW for at in range(len(recent) - NOW + 1)]
        return AccuracyTrace(
            chance=self._chance,
            test_accuracies=self._within(step),
            batches=sum(recent) / len(recent) if recent else math.nan,
            fell=self._fall(means),
            left_chance=self._left,
            at_chance_since=self._since,
            loss_ratio=loss_ratio,
        )

    def _within(self, step: int) -> tuple[tuple[int, float], ...]:
        """Return the evaluations of the last 50 steps, and the evaluation before them."""
        before = sum(at < step - LATELY for at, _ in self._tests)
        return tuple(self._tests)[max(0, before - 1) :]

    def _fall(self, means: Sequence[float]) -> tuple[float, float] | None:
        """Return the highest and the last mean if they differ significantly, otherwise None."""
        if not means:
            return None
        highest, now = max(means), means[-1]
        middle = (highest + now) / 2
        error = math.sqrt(middle * (1 - middle) * 2 / (NOW * self._examples))
        return (highest, now) if highest - now > CERTAIN * error else None
