"""What a run's log of live changes costs, and whether one more has room."""

from __future__ import annotations

from array import array

import orjson

from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.wire import MAX_HEADER
from bnviz.records import Change

# A run takes no more live changes than these, nor more than so much of its history's bytes, nor
# than fit into the message that hands it to another worker.
MOST_CHANGES = 20_000
SHARE = 0.25
MOST_TEXT = 3 * MAX_HEADER // 4
# What one change costs besides its text.
OVERHEAD = 40


class LogBudget:
    """Steps and sizes of the changes made so far.

    Args:
        cap: bytes of the history that the log is a part of.
    """

    def __init__(self, cap: int) -> None:
        self._most_bytes = cap * SHARE
        self._steps = array("I")
        self._sizes = array("I")
        self._text = 0
        self._newest: Change | None = None

    @property
    def size(self) -> int:
        """Bytes of all changes."""
        return self._text + OVERHEAD * len(self._sizes)

    def add(self, change: Change) -> None:
        """A change was made. Of a drag's values before the same step only the last one is kept."""
        newest, self._newest = self._newest, change
        if newest and change.drag and (newest.drag, newest.step) == (change.drag, change.step):
            self._steps.pop()
            self._text -= self._sizes.pop()
        self._count(change.step, len(orjson.dumps(plain_change(change))))

    def takes(self, waiting: int) -> bool:
        """Whether one more has room, besides those that wait to take effect."""
        made = len(self._sizes)
        total = made + waiting + 1
        text = self._text + (waiting + 1) * (self._text / made if made else 0.0)
        return (
            total <= MOST_CHANGES
            and text <= MOST_TEXT
            and text + total * OVERHEAD <= self._most_bytes
        )

    def take_from(self, other: LogBudget, until: int) -> None:
        """Add what another run's log costs up to a step."""
        for step, size in zip(other._steps, other._sizes, strict=True):
            if step <= until:
                self._count(step, size)

    def _count(self, step: int, size: int) -> None:
        self._steps.append(step)
        self._sizes.append(size)
        self._text += size
