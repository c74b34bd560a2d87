"""A network's accuracies of the last steps: what a headline may say without being wrong."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence

from bnviz.break_limits import CHANCE_MARGIN, KEPT, LATELY, LEFT_MARGIN
from bnviz.records import AccuracyTrace, reached
from bnviz.training.checkpoint import Checkpointed

# The test set is looked at in every so many steps, whoever watches: what a run says of itself must
# not depend on when frames were made. 256 examples then cost 4 % of a run.
TEST_EVERY = 25
# More often at first, where the last looks were not settled, and for so many steps after a fall.
TEST_OFTEN = 5
RESTLESS = 200
NEAR_CHANCE = 0.15
SETTLED = 0.1
MOST_TESTS = LATELY // TEST_OFTEN + 2
NOW = 5
# A fall on mini-batches counts if it is this many standard errors: the highest of many means of
# few small mini-batches lies above the others by itself.
CERTAIN = 4.0


class AccuracyTracker(Checkpointed):
    """AccuracyTracker at the test set at fixed steps, and what mini-batches say beside them.

    Part of a run's state, and so of its checkpoints: a run that was rescued, replayed or forked
    says the same words at the same step.
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
        """Whether the test set is to be looked at before the update after `step`.

        Args:
            step: updates taken so far.
            accuracies: of the mini-batches so far.
        """
        if step % TEST_EVERY == 0:
            return True
        if step % TEST_OFTEN:
            return False
        return step < self._restless_until or self._unsettled(accuracies)

    def _unsettled(self, accuracies: Sequence[float]) -> bool:
        """Whether two looks differ much, or one was near chance where mini-batches are not."""
        seen = [reached(accuracy) for _, accuracy in self._tests][-2:]
        if not seen:
            return False
        recent = list(accuracies)[-LATELY:]
        low = seen[-1] <= self._chance + NEAR_CHANCE
        hardly = low and sum(recent) > (self._chance + CHANCE_MARGIN) * len(recent)
        return hardly or abs(seen[-1] - seen[0]) > SETTLED

    def add_test(self, step: int, accuracy: float) -> None:
        """Take note of a look.

        Args:
            step: updates taken so far.
            accuracy: in inference mode, 0 to 1; NaN where logits are not finite.
        """
        if self._tests and reached(accuracy) < KEPT * reached(self._tests[-1][1]):
            self._restless_until = step + RESTLESS
        self._tests.append((step, accuracy))
        if accuracy > self._chance + CHANCE_MARGIN:
            self._left |= accuracy > self._chance + LEFT_MARGIN
            self._since = step + 1

    def observe(self, accuracies: Sequence[float], examples: int) -> None:
        """Take note of a mini-batch: those so far, its own last, and its size."""
        self._examples = examples
        if not self._left and len(accuracies) >= LATELY:
            recent = [accuracies[at] for at in range(-LATELY, 0)]
            self._left = sum(recent) / LATELY > self._chance + LEFT_MARGIN

    def trace(self, step: int, accuracies: Sequence[float], loss_ratio: float) -> AccuracyTrace:
        """What is known after `step` updates, without measuring.

        Args:
            step: updates taken so far.
            accuracies: of the mini-batches so far.
            loss_ratio: mean loss of the last mini-batches by that at the start.
        """
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
        """The looks of the last 50 steps, and the one before."""
        before = sum(at < step - LATELY for at, _ in self._tests)
        return tuple(self._tests)[max(0, before - 1) :]

    def _fall(self, means: Sequence[float]) -> tuple[float, float] | None:
        """Highest and last mean, if the difference is more than chance would have it."""
        if not means:
            return None
        highest, now = max(means), means[-1]
        middle = (highest + now) / 2
        error = math.sqrt(middle * (1 - middle) * 2 / (NOW * self._examples))
        return (highest, now) if highest - now > CERTAIN * error else None
