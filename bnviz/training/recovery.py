"""Detection of networks that broke and became as accurate as before."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from bnviz.break_limits import LATELY, LEFT_MARGIN
from bnviz.training.checkpoint import Checkpointed

REGAINED = 0.95
# Maximum number of steps from a break's start to its detection: a fall to chance is detected after
# 100 steps.
STEPS_BACK = 100


class Recovery(Checkpointed):
    """Comparison of the current accuracy with the best accuracy before a break.

    Both accuracies are means over 50 mini-batches. The current mean contains only mini-batches
    after the break. A network counts as recovered while its accuracy is at least 95 % of the
    earlier best. It cannot recover if the best was at most 0.1 above chance, or if the break was
    before step 50.
    """

    checkpointed = ("_best", "_bests", "_suspected", "_now", "_broke", "_before")

    def __init__(self, chance: float) -> None:
        self._learned = chance + LEFT_MARGIN
        self._best = 0.0
        self._bests: deque[float] = deque(maxlen=STEPS_BACK)
        self._suspected = 0.0
        self._now: float | None = None
        self._broke: int | None = None
        self._before = 0.0

    def observe(self, accuracies: Sequence[float]) -> None:
        """Record a step; `accuracies` must hold the last 50 mini-batches, the newest last."""
        self._bests.append(self._best)
        if len(accuracies) >= LATELY:
            self._now = sum([accuracies[at] for at in range(-LATELY, 0)]) / LATELY
            self._best = max(self._best, self._now)

    def suspect(self) -> None:
        """Mark this step as the possible start of a break that may be confirmed much later."""
        self._suspected = self._bests[-1]

    def broke(self, step: int, began: int, *, suspected: bool) -> None:
        """Record a break that began within the last 99 steps, or at a `suspected` step."""
        self._broke = began
        self._before = self._suspected if suspected else self._bests[began - step - 1]

    def recovered(self, step: int) -> bool:
        """Return whether the network has regained most of its accuracy from before the break."""
        if self._broke is None or self._now is None or step - self._broke < LATELY:
            return False
        return self._before > self._learned and self._now >= REGAINED * self._before
