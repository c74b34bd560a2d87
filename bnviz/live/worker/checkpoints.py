"""Checkpoints of one run kept in its worker: dense near the present, ever sparser before.

When a run's checkpoints are taken, and which of them the hub gets too.
"""

from __future__ import annotations

import math
import time
from bisect import bisect_right, insort

from bnviz.experiment import Experiment
from bnviz.pieces import Pieces

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


# Checkpoints are this many steps apart, or further where they are expensive.
STORE_STEPS = 50
STORE_SHARE = 0.03
# Bytes of checkpoints sent for a second of work, at most.
CHECKPOINT_RATE = 4 * 2**20


class Checkpointer:
    """The checkpoints of one run.

    Args:
        seconds: of work between two that the hub gets, at least.
        largest: bytes of one that the hub gets, at most.

    Attributes:
        checkpoints: those that the worker keeps.
    """

    def __init__(self, seconds: float, largest: int) -> None:
        self.checkpoints = CheckpointStore()
        self._seconds, self._largest = seconds, largest
        self._cost = 0.0
        self._taken_at = -math.inf
        self._sent_at = 0.0

    def due(self, step: int) -> bool:
        """Whether it is time for a checkpoint of this step."""
        newest = self.checkpoints.nearest(step)
        if newest is not None and step - newest[0] < STORE_STEPS:
            return False
        return time.perf_counter() - self._taken_at >= self._cost / STORE_SHARE

    def take(self, experiment: Experiment, used: float) -> Pieces[bytes | None]:
        """Keep a checkpoint, made in pieces; the run stands still meanwhile.

        Args:
            experiment: between two steps.
            used: seconds of work on the run so far.

        Returns:
            The checkpoint, if it is one for the hub.
        """
        began = time.thread_time()
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self.checkpoints.add(experiment.step_number, checkpoint)
        self._taken_at = time.perf_counter()
        # Pieces of other runs lie in between: at worst it counts as more expensive than it is.
        self._cost = time.thread_time() - began
        interval = max(self._seconds, len(checkpoint) / CHECKPOINT_RATE)
        if used - self._sent_at < interval:
            return None
        self._sent_at = used
        return checkpoint if len(checkpoint) <= self._largest else None
