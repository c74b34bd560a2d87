"""Monitoring of a network at every step: its state, and what broke first."""

from __future__ import annotations

import dataclasses
import math
from collections import deque
from collections.abc import Iterable
from itertools import accumulate
from typing import ClassVar

from bnviz.break_limits import BLOWN_UP_FACTOR, BLOWN_UP_STEPS, CHANCE_MARGIN, LEFT_MARGIN
from bnviz.records import AT_CHANCE, BLOWN_UP, CONSTANT, NONFINITE, AccuracyTrace, Break, State
from bnviz.training.accuracy_trace import AccuracyTracker
from bnviz.training.checkpoint import Checkpointed
from bnviz.training.dips import Dips
from bnviz.training.first_move import FirstMove
from bnviz.training.recovery import Recovery
from bnviz.training.rules import Rules

CHANCE_WINDOW = 100
# Number of steps to wait for a rule of a layer after the loss has blown up, because the rule may
# fire a step or two later.
PATIENCE = 10


class Monitor(Checkpointed):
    """Monitor of one network. Only non-finite values stop training.

    States:
        diverged: a value is not finite.
        blown_up: the five-step mean loss exceeded 3 times the loss at step 0 (or the loss at
            chance, if larger). The state ends when the loss is below that start value and accuracy
            is above chance.
        stuck: the mean mini-batch accuracy of the last 100 steps is at most chance + 0.05.
        recovered: the network broke, and is as accurate as before (see `Recovery`).
        learning: none of these.

    A break starts at the first step of a series of steps at which rules fire without interruption,
    until the network enters one of the first three states. A rule fires for a layer if over 90 % of
    its values are saturated or of its units dead, or if the RMS of its nonlinearity inputs is above
    10 and above 10 times its value at step 0. The lowest layer counts. If no rule fires, the break
    has no layer: the loss blew up or accuracy fell to chance. A network that never left chance is
    stuck but has no break. A break is permanent. It also names the layer that changed first, if
    that is a different layer (see `FirstMove`).
    """

    checkpointed = (
        "state", "stopped_at", "_start_loss", "_started", "_losses", "_accuracies", "_blew_up",
        "_left_chance", "_blown_since", "broke", "_streak", "rules", "dips", "accuracy_tracker",
        "first_move",
        "_recovery",
    )  # fmt: skip
    records: ClassVar = {"broke": Break, "_streak": Break}

    def __init__(self, rules: Rules, classes: int, chance_loss: float | None = None) -> None:
        """Start at step 0; `chance_loss` is the loss at chance, or None for ln `classes`."""
        self.rules = rules
        self.state: State = "learning"
        self.broke: Break | None = None
        self.stopped_at: int | None = None
        self.dips = Dips()
        self._chance = 1 / classes
        self.accuracy_tracker = AccuracyTracker(self._chance)
        self.first_move = FirstMove(rules.layer_names)
        self._recovery = Recovery(self._chance)
        self._start_loss = math.log(classes) if chance_loss is None else chance_loss
        self._started = False
        self._losses: deque[float] = deque(maxlen=BLOWN_UP_STEPS)
        self._accuracies: deque[float] = deque(maxlen=CHANCE_WINDOW)
        self._streak: Break | None = None
        self._blew_up = False
        self._left_chance = False
        self._blown_since: int | None = None

    @property
    def stopped(self) -> bool:
        """Return whether training of this network has ended."""
        return self.state == "diverged"

    def test_due(self, step: int) -> bool:
        """Return whether the test set must be evaluated after `step` updates."""
        return self.accuracy_tracker.due(step, self._accuracies)

    def accuracy_trace(self, step: int) -> AccuracyTrace:
        """Return the accuracy trace after `step` updates."""
        losses = self._losses
        ratio = sum(losses) / len(losses) / self._start_loss if losses else 1.0
        return self.accuracy_tracker.trace(step, self._accuracies, ratio)

    def changed(self, step: int, *, begins: bool = True) -> None:
        """Record a live change after `step` updates; `begins` is False for the later values of a
        slider's drag.
        """
        self.dips.changed(step, self._accuracies, begins=begins)
        self.first_move.changed(begins=begins)

    def rescaled(self) -> None:
        """Record a multiplication of weights, which directly changes the nonlinearity inputs."""
        self.first_move.forget()

    def observe(
        self,
        step: int,
        loss: float,
        accuracy: float,
        fired: tuple[str, str] | None,
        examples: int,
    ) -> None:
        """Judge the forward pass after `step` updates.

        Args:
            loss: mean loss of the mini-batch, finite.
            fired: layer and rule from `Rules.first`, or None if no rule fired.
            examples: mini-batch size.
        """
        if not self._started:
            self._started = True
            self._start_loss = max(self._start_loss, loss)
        self._losses.append(loss)
        self._accuracies.append(accuracy)
        self.dips.observe(step, self._accuracies, examples)
        self.accuracy_tracker.observe(self._accuracies, examples)
        self._recovery.observe(self._accuracies)
        if fired is None:
            self._streak = None
        elif self._streak is None:
            self._streak = Break.because(step, *fired)
            self._recovery.suspect()
        self.state = self._judge(step)
        if self.broke is None:
            self._publish(step)

    def diverge(self, step: int, layer: str, unit: int | None = None) -> None:
        """Record a non-finite value in `layer`; `unit` (from 1) is one whose norm computed 0/0."""
        self.state = "diverged"
        self.stopped_at = step
        if self.broke is None:
            key = NONFINITE if unit is None else CONSTANT
            self._broke(self._streak or Break.because(step, layer, key, unit))

    def _broke(self, broke: Break) -> None:
        """Record the break, and the layer that changed first, if any."""
        first = self.first_move.before(broke.step, broke.layer)
        if first is not None:
            broke = dataclasses.replace(broke, first_mover=first[0], first_moved_at=first[1])
        self.broke = broke

    def _judge(self, step: int) -> State:
        mean_loss = sum(self._losses) / len(self._losses)
        full = len(self._losses) == BLOWN_UP_STEPS
        if full and mean_loss > BLOWN_UP_FACTOR * self._start_loss:
            self._blew_up = True
            return "blown_up"
        accuracies = self._accuracies
        at_chance = self._chance + CHANCE_MARGIN
        if len(accuracies) == CHANCE_WINDOW:
            mean_accuracy = sum(accuracies) / CHANCE_WINDOW
            self._left_chance |= mean_accuracy > self._chance + LEFT_MARGIN
            if mean_accuracy <= at_chance:
                return "stuck"
        if self._recovery.recovered(step):
            self._blew_up = False
            return "recovered"
        if self._blew_up:
            recent = [accuracies[-1 - back] for back in range(min(BLOWN_UP_STEPS, len(accuracies)))]
            above_chance = sum(recent) / len(recent) > at_chance
            self._blew_up = not (mean_loss < self._start_loss and above_chance)
        return "blown_up" if self._blew_up else "learning"

    def _publish(self, step: int) -> None:
        """Record a break if there is one."""
        if self.state == "blown_up" and self._blown_since is None:
            self._blown_since = step
        in_trouble = self.state in ("blown_up", "stuck")
        streak = self._streak if in_trouble else None
        broke = streak or self._without_layer(step)
        if broke is not None:
            self._broke(broke)
            self._recovery.broke(step, broke.step, suspected=streak is not None)

    def _without_layer(self, step: int) -> Break | None:
        since = self._blown_since
        if since is not None:
            waited = step - since >= PATIENCE or self.state != "blown_up"
            return Break.because(since, None, BLOWN_UP) if waited else None
        if self.state == "stuck" and self._left_chance:
            good = good_steps(self._accuracies, self._chance)
            return Break.because(step - CHANCE_WINDOW + 1 + good, None, AT_CHANCE)
        return None


def good_steps(accuracies: Iterable[float], chance: float) -> int:
    """Return how many of the last hundred steps came before accuracy fell to chance.

    The mean accuracy of the hundred steps is at chance, but the first of them may be above it. The
    number is chosen so that the steps after it have the smallest sum of accuracies minus the chance
    limit.
    """
    bar = chance + LEFT_MARGIN
    sums = list(accumulate((accuracy - bar for accuracy in accuracies), initial=0.0))
    return sums.index(max(sums))
