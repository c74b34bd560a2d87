"""Checkpoints of a run: when to take them, and which ones the worker and the hub get."""

from __future__ import annotations

import math
import time
from bisect import bisect_right, insort

from bnviz.experiment import Experiment
from bnviz.pieces import Pieces

# Maximum total size in bytes and maximum number of the checkpoints that a worker keeps per run.
STORE_BYTES = 16 * 2**20
MOST = 40
# Number of newest checkpoints that are never thinned, because a break is published some steps after
# it happened.
RECENT = 8
# Minimum number of steps between two checkpoints, and maximum share of time spent on them.
STORE_STEPS = 50
STORE_SHARE = 0.03
# Maximum bytes of checkpoints sent to the hub per second of work.
CHECKPOINT_RATE = 4 * 2**20


class Checkpointer:
    """Checkpoints of one run.

    The hub gets a checkpoint after at least `seconds` of work, and only up to `largest` bytes.
    """

    def __init__(self, seconds: float, largest: int) -> None:
        self.checkpoints = CheckpointStore()
        self._seconds, self._largest = seconds, largest
        self._cost = 0.0
        self._taken_at = -math.inf
        self._sent_at = 0.0

    def due(self, step: int) -> bool:
        newest, _ = self.checkpoints.nearest(step)
        if step - newest < STORE_STEPS:
            return False
        return time.perf_counter() - self._taken_at >= self._cost / STORE_SHARE

    def take(self, experiment: Experiment, worked: float) -> Pieces[bytes | None]:
        """Take and keep a checkpoint in pieces, between two steps. Return it if the hub gets it."""
        began = time.thread_time()
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self.checkpoints.add(experiment.step_number, checkpoint)
        self._taken_at = time.perf_counter()
        # Pieces of other runs run in between. At worst, the cost is overestimated.
        self._cost = time.thread_time() - began
        interval = max(self._seconds, len(checkpoint) / CHECKPOINT_RATE)
        if worked - self._sent_at < interval:
            return None
        self._sent_at = worked
        return checkpoint if len(checkpoint) <= self._largest else None


class CheckpointStore:
    """Checkpoints by step, up to `limit` bytes but at least one. Older ones are further apart."""

    def __init__(self, limit: int = STORE_BYTES) -> None:
        self._limit = limit
        self._kept: list[tuple[int, bytes]] = []

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        return sum(len(checkpoint) for _, checkpoint in self._kept)

    def steps(self) -> list[int]:
        return [step for step, _ in self._kept]

    def add(self, step: int, checkpoint: bytes) -> None:
        self._kept = [kept for kept in self._kept if kept[0] != step]
        insort(self._kept, (step, checkpoint), key=lambda kept: kept[0])
        while len(self._kept) > 1 and (self.size > self._limit or len(self._kept) > MOST):
            self._drop()

    def nearest(self, step: int) -> tuple[int, bytes]:
        """Return step and bytes of the last checkpoint up to `step`, or 0 and no bytes."""
        index = bisect_right(self._kept, step, key=lambda kept: kept[0])
        return self._kept[index - 1] if index else (0, b"")

    def _drop(self) -> None:
        """Drop the checkpoint whose neighbours are closest together, relative to its age."""
        newest = self._kept[-1][0]
        inner = range(1, len(self._kept) - RECENT)
        del self._kept[min(inner, key=lambda at: self._gap(at, newest), default=0)]

    def _gap(self, index: int, newest: int) -> float:
        before, here, after = (self._kept[at][0] for at in (index - 1, index, index + 1))
        return (after - before) / (newest - here + 1)
