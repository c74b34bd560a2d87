"""Detection of dips in accuracy that follow a live change, and from which a network recovers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import ClassVar

from bnviz.records import Dip
from bnviz.training.checkpoint import Checkpointed

FALLEN, REGAINED = 2 / 3, 0.9
# Number of steps over which accuracy is averaged, before the change and after it. `NOW` is smaller,
# so that a fall is reported early.
BEFORE, NOW = 5, 3
# Maximum number of steps between a change and a fall that is attributed to the change.
STEPS_AFTER_CHANGE = 100
# Number of standard errors by which accuracy must fall. A smaller fall may be due to chance,
# because a mean covers at most five small mini-batches.
CERTAIN = 3.0


class Dips(Checkpointed):
    """Detector of the dip after the last live change.

    A dip is a fall of the mini-batch accuracy, averaged over three steps, by more than a third of
    its five-step mean at the change. The dip starts at the first of the three steps with an
    accuracy below that limit, and ends when nine tenths of the mean are regained. A change during a
    dip belongs to the dip. All values of one drag of a slider are one change.
    """

    checkpointed = ("dip", "_before", "_changed")
    records: ClassVar = {"dip": Dip}

    def __init__(self) -> None:
        self.dip: Dip | None = None
        self._before: float | None = None
        self._changed = 0

    def changed(self, step: int, accuracies: Sequence[float], *, begins: bool = True) -> None:
        """Record a live change after `step` updates; `begins` is False for the later values of a
        slider's drag.
        """
        if self.dip is not None and self.dip.over is None:
            return
        if not begins:
            self._changed = step
            return
        self.dip, self._changed = None, step
        self._before = _recent(accuracies, BEFORE) if len(accuracies) >= BEFORE else None

    def observe(self, step: int, accuracies: Sequence[float], examples: int) -> None:
        """Update the dip after a step, whose mini-batch accuracy is the last of `accuracies`."""
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
    """Return the first recent step whose accuracy is below `low` (the recent mean is below it)."""
    return next(step + 1 + at for at in range(-NOW, 0) if accuracies[at] < low)
