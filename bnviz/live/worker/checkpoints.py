"""Checkpoints of a run: when they are taken, kept in the worker, and sent to the hub."""

from __future__ import annotations

import math
import time
from bisect import bisect_right, insort

from bnviz.experiment import Experiment
from bnviz.pieces import Pieces

# Maximum total size in bytes, and maximum number, of the checkpoints that a worker keeps per run.
STORE_BYTES = 16 * 2**20
MOST = 40
# Number of newest checkpoints that are always kept. A break is published some steps after it
# happened, so a recent checkpoint before it may be needed.
RECENT = 8
# Minimum number of steps between two checkpoints, and maximum share of time spent on checkpoints.
STORE_STEPS = 50
STORE_SHARE = 0.03
# Maximum size of checkpoints sent to the hub, in bytes per second of work.
CHECKPOINT_RATE = 4 * 2**20


class Checkpointer:
    """Checkpoints of one run.

    The hub gets a checkpoint of up to `largest` bytes after at least `seconds` of work.
    """

    def __init__(self, seconds: float, largest: int) -> None:
        self.checkpoints = CheckpointStore()
        self._seconds, self._largest = seconds, largest
        self._cost = 0.0
        self._taken_at = -math.inf
        self._sent_at = 0.0
        # Whether the hub has asked for a checkpoint that it has not got yet.
        self.wanted = False

    def due(self, step: int) -> bool:
        newest, _ = self.checkpoints.nearest(step)
        if step - newest < STORE_STEPS:
            return False
        return time.perf_counter() - self._taken_at >= self._cost / STORE_SHARE

    def take(self, experiment: Experiment, worked: float) -> Pieces[bytes | None]:
        """Take and keep a checkpoint in pieces. Return it if it is to be sent to the hub."""
        began = time.thread_time()
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self.checkpoints.add(experiment.step_number, checkpoint)
        self._taken_at = time.perf_counter()
        # Pieces of other runs are worked on between these pieces, so the cost may be overestimated.
        self._cost = time.thread_time() - began
        fits, wanted, self.wanted = len(checkpoint) <= self._largest, self.wanted, False
        interval = max(self._seconds, len(checkpoint) / CHECKPOINT_RATE)
        if worked - self._sent_at < interval and not wanted:
            return None
        self._sent_at = worked
        return checkpoint if fits else None


class CheckpointStore:
    """Checkpoints by step, at least one and up to `limit` bytes. Older ones are further apart."""

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
        """Return the step and bytes of the last checkpoint up to `step`, or (0, b"") if none."""
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
