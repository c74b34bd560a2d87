"""Where a run is: in the queue, waiting for its parent's worker, on a worker, resting, or failed.

A run moves between these states by the methods of its `Placement`; nothing else assigns its fields.
Whatever restarts a run (a jump, a reset, a move, a dead worker, a rest) ends in `Placement.start`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

# Deaths and hangs of workers count against a run for so many seconds.
DEATHS_WITHIN = 600.0


@dataclass(frozen=True)
class Checkpoint:
    """The state of a run at one step, from which a worker can continue it.

    Attributes:
        step: of the run.
        data: from `Experiment.checkpoint`.
    """

    step: int
    data: bytes


# Without bytes: the run begins at step 0.
NO_CHECKPOINT = Checkpoint(0, b"")


@dataclass
class Placement:
    """Where a run is. Times are monotonic seconds.

    Attributes:
        state: "queued" without a worker; "waiting" for a checkpoint of its parent's worker, which
            lasts a moment; "placed" on a worker; "resting" without one, because nobody watches the
            run; "failed", because of `failure`.
        worker: the number of its worker, or None.
        generation: how often it was started or taken off a worker. Messages with another number
            are dropped.
        arrives_at: the step that its worker replays to before it shows anything; None: it is there.
        checkpoint: the newest one of this run, or of its parent up to `forked_at`, or
            `NO_CHECKPOINT`.
        parent: the id of the run that it is a fork of, or None.
        forked_at: the step up to which it is the same as its parent, or at which it begins without
            one; None: it begins at step 0.
        moved_at: when it was last moved from one living worker to another.
        deaths: when workers died or hung while they worked on this run.
        failure: what ended it, or None.
        notice: the key of the notice that tells viewers of `failure`.
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
        """Give a queued run a worker; `wait` or `start` follows."""
        self._require("queued")
        self.worker, self.state = worker, "placed"

    def wait(self) -> None:
        self._require("placed")
        self.state = "waiting"

    def start(self, at: int) -> None:
        """Record that the run is sent to its worker, which replays it to the step `at`.

        The worker begins at the checkpoint if the run's log has no other changes before it.
        """
        self._require("placed", "waiting")
        self.state, self.generation, self.arrives_at = "placed", self.generation + 1, at

    def arrive(self, step: int) -> None:
        if self.arrives_at is not None and step >= self.arrives_at:
            self.arrives_at = None

    def keep(self, checkpoint: Checkpoint) -> None:
        self.checkpoint = checkpoint

    def move(self, worker: int, now: float | None = None) -> None:
        """Give the run to another worker; `start` follows.

        Args:
            worker: its number.
            now: given where the old worker still lives.
        """
        self._require("placed", "waiting")
        self.worker = worker
        if now is not None:
            self.moved_at = now

    def blame(self, now: float) -> int:
        """Count a worker that died or hung while it worked on this run; return the recent ones."""
        self.deaths = [at for at in self.deaths if now - at < DEATHS_WITHIN] + [now]
        return len(self.deaths)

    def rest(self) -> None:
        """Take the run off its worker, if it has one; `wake` puts it into the queue again.

        A run that failed stays so.
        """
        if self.state != "failed":
            self.state = "resting"
        self.worker, self.generation = None, self.generation + 1

    def wake(self) -> None:
        self._require("resting")
        self.state = "queued"

    def fail(self, failure: str, notice: str) -> None:
        """End the run; it keeps its place until it is reset or over."""
        self.state, self.failure, self.notice = "failed", failure, notice

    def start_over(self) -> None:
        """Forget what belongs to the steps so far; `start` follows where there is a worker."""
        self.checkpoint = NO_CHECKPOINT
        self.arrives_at = self.parent = self.forked_at = self.failure = None
        if self.state == "failed":
            self.state = "queued" if self.worker is None else "placed"

    def _require(self, *states: str) -> None:
        if self.state not in states:
            raise ValueError(f"state = {self.state}: {' or '.join(states)}")
