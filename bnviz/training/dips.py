"""A network that falls after a live change and comes back by itself."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar

from bnviz.records import Dip
from bnviz.training.checkpoint import Checkpointed

FALLEN, REGAINED = 2 / 3, 0.9
# Steps averaged: at the change, and now. Fewer now, so that a fall is reported while it happens.
BEFORE, NOW = 5, 3
# A network that falls later than this falls for another reason than the change.
STEPS_AFTER_CHANGE = 100
# A fall counts if it is this many standard errors: five small mini-batches vary by themselves.
CERTAIN = 3.0


class Dips(Checkpointed):
    """Finds the dip after the last live change, if there was one.

    There is one when the mean mini-batch accuracy of three steps has fallen by more than a third of
    what that of five was at the change. It began with the first of the three that is as low, and is
    over when nine tenths are regained. A change in a dip belongs to it; one after it begins a new
    one. A drag is one change, from its first value to its last.
    """

    checkpointed = ("dip", "_before", "_changed")
    records: ClassVar = {"dip": Dip}

    def __init__(self) -> None:
        self.dip: Dip | None = None
        self._before: float | None = None
        self._changed = 0

    def changed(self, step: int, accuracies: Sequence[float], *, begins: bool = True) -> None:
        """Take note of a live change that acts on the update after `step`.

        Args:
            step: updates taken so far.
            accuracies: of the mini-batches so far; the last five at least.
            begins: False for a further value of a drag.
        """
        if self.dip is not None and self.dip.over is None:
            return
        if not begins:
            self._changed = step
            return
        self.dip, self._changed = None, step
        self._before = _recent(accuracies, BEFORE) if len(accuracies) >= BEFORE else None

    def observe(self, step: int, accuracies: Sequence[float], examples: int) -> None:
        """Judge the three steps up to this one.

        Args:
            step: updates taken so far.
            accuracies: of the mini-batches so far, this step's last.
            examples: size of a mini-batch.
        """
        before, dip = self._before, self.dip
        if before is None:
            return
        now = _recent(accuracies, NOW)
        if dip is not None and dip.over is None:
            if now >= REGAINED * before:
                self.dip = dataclasses.replace(dip, over=step)
            elif now < dip.value:
                self.dip = dataclasses.replace(dip, value=now)
        elif step - self._changed <= STEPS_AFTER_CHANGE and now < FALLEN * before:
            middle = (before + now) / 2
            error = math.sqrt(middle * (1 - middle) * (1 / BEFORE + 1 / NOW) / examples)
            if before - now > CERTAIN * error:
                self.dip = Dip(_began(step, accuracies, FALLEN * before), now, before)


def _recent(accuracies: Sequence[float], steps: int) -> float:
    return float(sum(accuracies[at] for at in range(-steps, 0))) / steps


def _began(step: int, accuracies: Sequence[float], low: float) -> int:
    """The first of the last steps whose own accuracy is as low; the mean is, so there is one."""
    return next(step + 1 + at for at in range(-NOW, 0) if accuracies[at] < low)
