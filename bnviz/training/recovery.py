"""Whether a network that broke does as well again as it did before."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from bnviz.break_limits import LATELY, LEFT_MARGIN
from bnviz.training.checkpoint import Checkpointed

REGAINED = 0.95
# A break can turn out so many steps after it began: it takes a hundred steps to be at chance.
LOOKS_BACK = 100


class Recovery(Checkpointed):
    """Compares the accuracy of now with the best before the break.

    Both are means over 50 successive mini-batches, now the last 50, all of them after the break.
    The network has recovered as long as that is at least 95 % of the best one before. One whose
    best was at most 0.1 above chance, or that broke before its 50th step, had learned nothing that
    it could regain.
    """

    checkpointed = ("_best", "_bests", "_suspected", "_now", "_broke", "_before")

    def __init__(self, chance: float) -> None:
        """At step 0, of a network that guesses right in a share `chance` of all cases."""
        self._learned = chance + LEFT_MARGIN
        self._best = 0.0
        self._bests: deque[float] = deque(maxlen=LOOKS_BACK)
        self._suspected = 0.0
        self._now: float | None = None
        self._broke: int | None = None
        self._before = 0.0

    def observe(self, accuracies: Sequence[float]) -> None:
        """Take note of a step.

        Args:
            accuracies: of the mini-batches so far, this step's last; the last 50 at least.
        """
        self._bests.append(self._best)
        if len(accuracies) >= LATELY:
            self._now = sum([accuracies[at] for at in range(-LATELY, 0)]) / LATELY
            self._best = max(self._best, self._now)

    def suspect(self) -> None:
        """At this step something began that may turn out to be the break, however much later."""
        self._suspected = self._bests[-1]

    def broke(self, step: int, began: int, *, suspected: bool) -> None:
        """Take note that the network has broken.

        Args:
            step: updates taken so far.
            began: the step of the break, at most 99 steps ago.
            suspected: or as long ago as one likes, if `suspect` was called there.
        """
        self._broke = began
        self._before = self._suspected if suspected else self._bests[began - step - 1]

    def recovered(self, step: int) -> bool:
        """Whether it does as well after `step` updates as before it broke."""
        if self._broke is None or self._now is None or step - self._broke < LATELY:
            return False
        return self._before > self._learned and self._now >= REGAINED * self._before
