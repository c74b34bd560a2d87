"""Checkpoints of one run kept in its worker: dense near the present, ever sparser before."""

from __future__ import annotations

from bisect import bisect_right, insort

STORE_BYTES = 16 * 2**20
MOST = 40
# The newest few are never thinned: a break is published some steps after it happened.
RECENT = 8


class CheckpointStore:
    """Steps and their checkpoints, within a number of bytes."""

    def __init__(self, limit: int = STORE_BYTES) -> None:
        self._limit = limit
        self._kept: list[tuple[int, bytes]] = []
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Bytes of all checkpoints kept."""
        return self._bytes

    def steps(self) -> list[int]:
        """The steps there is a checkpoint of, ascending."""
        return [step for step, _ in self._kept]

    def add(self, step: int, checkpoint: bytes) -> None:
        """Keep a checkpoint; one of the same step is replaced."""
        for index, (known, old) in enumerate(self._kept):
            if known == step:
                self._bytes -= len(old)
                del self._kept[index]
                break
        insort(self._kept, (step, checkpoint), key=lambda kept: kept[0])
        self._bytes += len(checkpoint)
        while len(self._kept) > 1 and (self._bytes > self._limit or len(self._kept) > MOST):
            self._drop()

    def nearest(self, step: int) -> tuple[int, bytes] | None:
        """The last checkpoint at or before a step."""
        index = bisect_right(self._kept, step, key=lambda kept: kept[0])
        return self._kept[index - 1] if index else None

    def _drop(self) -> None:
        """Forget the one whose neighbours lie closest together for their age."""
        newest = self._kept[-1][0]
        inner = range(1, len(self._kept) - RECENT)
        index = min(inner, key=lambda at: self._gap(at, newest), default=0)
        self._bytes -= len(self._kept.pop(index)[1])

    def _gap(self, index: int, newest: int) -> float:
        before, here, after = (self._kept[at][0] for at in (index - 1, index, index + 1))
        return (after - before) / (newest - here + 1)
