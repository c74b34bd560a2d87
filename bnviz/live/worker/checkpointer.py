"""When a run's checkpoints are taken, and which of them the hub gets too."""

from __future__ import annotations

import math
import time

from bnviz.experiment import Experiment
from bnviz.live.worker.checkpoint_store import CheckpointStore
from bnviz.pieces import Pieces

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
