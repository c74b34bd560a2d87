"""Checkpoints of a run: when they are taken, which the worker keeps, and which the hub gets too."""

from __future__ import annotations

import math
import time
from bisect import bisect_right, insort

from bnviz.experiment import Experiment
from bnviz.pieces import Pieces

# What a worker keeps of one run: so many bytes, so many checkpoints.
STORE_BYTES = 16 * 2**20
MOST = 40
# The newest ones are never thinned: a break is published some steps after it happened.
RECENT = 8
# Checkpoints are this many steps apart, or further, so that they take no more than this share of
# the time.
STORE_STEPS = 50
STORE_SHARE = 0.03
# The hub gets at most so many bytes of checkpoints for a second of work.
CHECKPOINT_RATE = 4 * 2**20


class Checkpointer:
    """Takes the checkpoints of one run.

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
        newest, _ = self.checkpoints.nearest(step)
        if step - newest < STORE_STEPS:
            return False
        return time.perf_counter() - self._taken_at >= self._cost / STORE_SHARE

    def take(self, experiment: Experiment, worked: float) -> Pieces[bytes | None]:
        """Take a checkpoint in pieces, and keep it; the run takes no step meanwhile.

        Args:
            experiment: between two steps.
            worked: seconds of work on the run so far.

        Returns:
            The checkpoint if it is to be sent to the hub.
        """
        began = time.thread_time()
        checkpoint = yield from experiment.checkpoint_in_pieces()
        self.checkpoints.add(experiment.step_number, checkpoint)
        self._taken_at = time.perf_counter()
        # Pieces of other runs lie in between: at worst it counts as more expensive than it is.
        self._cost = time.thread_time() - began
        interval = max(self._seconds, len(checkpoint) / CHECKPOINT_RATE)
        if worked - self._sent_at < interval:
            return None
        self._sent_at = worked
        return checkpoint if len(checkpoint) <= self._largest else None


class CheckpointStore:
    """Checkpoints by step, within a number of bytes: dense near the present, sparse before.

    Args:
        limit: bytes of all of them together; one is kept whatever its size.
    """

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
        """Keep a checkpoint; it replaces one of the same step."""
        self._kept = [kept for kept in self._kept if kept[0] != step]
        insort(self._kept, (step, checkpoint), key=lambda kept: kept[0])
        while len(self._kept) > 1 and (self.size > self._limit or len(self._kept) > MOST):
            self._drop()

    def nearest(self, step: int) -> tuple[int, bytes]:
        """The last checkpoint at or before a step: its own step, and its bytes.

        If there is none: step 0 and no bytes, which means that the run begins at step 0.
        """
        index = bisect_right(self._kept, step, key=lambda kept: kept[0])
        return self._kept[index - 1] if index else (0, b"")

    def _drop(self) -> None:
        """Drop the checkpoint whose neighbours lie closest together for their age."""
        newest = self._kept[-1][0]
        inner = range(1, len(self._kept) - RECENT)
        del self._kept[min(inner, key=lambda at: self._gap(at, newest), default=0)]

    def _gap(self, index: int, newest: int) -> float:
        before, here, after = (self._kept[at][0] for at in (index - 1, index, index + 1))
        return (after - before) / (newest - here + 1)
