"""Placement of a run in the queue or on a worker.

Only the methods of `Placement` change its fields. Every restart of a run (by a jump, a reset, a
move or a dead worker) ends in `Placement.start`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

# Seconds for which the death or hang of a worker counts against a run.
DEATHS_WITHIN = 600.0


@dataclass(frozen=True)
class Checkpoint:
    """State of a run at one step, from which a worker can continue."""

    step: int
    data: bytes


# Placeholder without data, for a run that starts at step 0.
NO_CHECKPOINT = Checkpoint(0, b"")


@dataclass
class Placement:
    """Current placement of a run. Times are monotonic seconds.

    Attributes:
        state: "queued" without a worker, "waiting" briefly for a checkpoint from the parent's
            worker, "placed" on a worker, "resting" without a worker because nobody watches, or
            "failed".
        generation: Number of starts and removals. Worker messages of other generations are dropped.
        arrives_at: Step up to which the worker replays without output, or None after that.
        checkpoint: Newest checkpoint of this run or of its parent up to `forked_at`.
        forked_at: Step at which a fork starts, or None if the run starts at step 0.
        moved_at: Time of the last move between two living workers.
        deaths: Times when a worker died or hung while it computed this run.
        notice: Text key of the message about the failure.
    """

    parent: str | None = None
    forked_at: int | None = None
    state: Literal["queued", "waiting", "placed", "resting", "failed"] = "queued"
    worker: int | None = None
    generation: int = 0
    arrives_at: int | None = None
    checkpoint: Checkpoint = NO_CHECKPOINT
    moved_at: float = -math.inf
    deaths: list[float] = field(default_factory=list)
    failure: str | None = None
    notice: str = "error"

    def assign(self, worker: int) -> None:
        """Assign a worker to a queued run. Call `wait` or `start` next."""
        self._require("queued")
        self.worker, self.state = worker, "placed"

    def wait(self) -> None:
        self._require("placed")
        self.state = "waiting"

    def start(self, at: int) -> None:
        """Record that the worker replays the run to the step `at`.

        The worker starts from the checkpoint if it and the run's log contain the same live changes.
        """
        self._require("placed", "waiting")
        self.state, self.generation, self.arrives_at = "placed", self.generation + 1, at

    def arrive(self, step: int) -> None:
        if self.arrives_at is not None and step >= self.arrives_at:
            self.arrives_at = None

    def keep(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def move(self, worker: int, now: float | None = None) -> None:
        """Move the run to another worker. Call `start` next.

        `now` is None if the old worker died.
        """
        self._require("placed", "waiting")
        self.worker = worker
        if now is not None:
            self.moved_at = now

    def blame(self, now: float) -> int:
        """Count the death or hang of a worker during this run. Return the count of recent ones."""
        self.deaths = [at for at in self.deaths if now - at < DEATHS_WITHIN] + [now]
        return len(self.deaths)

    def rest(self) -> None:
        """Take the run off its worker, until `wake` puts it back into the queue."""
        if self.state != "failed":
            self.state = "resting"
        self.worker, self.generation = None, self.generation + 1

    def wake(self) -> None:
        self._require("resting")
        self.state = "queued"

    def fail(self, failure: str, notice: str) -> None:
        """Mark the run as failed. It keeps its worker until it is reset or ended."""
        self.state, self.failure, self.notice = "failed", failure, notice

    def start_over(self) -> None:
        """Reset everything about past steps. Call `start` next if the run has a worker."""
        self.checkpoint = NO_CHECKPOINT
        self.arrives_at = self.parent = self.forked_at = self.failure = None
        if self.state == "failed":
            self.state = "queued" if self.worker is None else "placed"

    def _require(self, *states: str) -> None:
        if self.state not in states:
            raise ValueError(f"`state` must be {' or '.join(states)}, got {self.state}.")
