"""Steps of a run: its clock, the step in progress, and the reasons to hold or stop the run."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence

from bnviz.experiment import Experiment
from bnviz.live.protocol.pace import PLANNED, Clock, read_plan
from bnviz.live.protocol.wire import Header
from bnviz.pieces import Pieces

# Factor by which the estimate of the longest step decays after a shorter step.
LONGEST_KEPT = 0.95
# Maximum seconds that a run waits at a step of its plan. The first limit is for the default probes,
# the second for the step's frame and the probes that the plan needs.
MOST_SECONDS, MOST_SECONDS_NEEDED = 2.0, 10.0


class RunSteps:
    """Clock of a run, requested single steps, and the step in progress.

    `step_seconds` is the time that one network needs for a step. It begins as an estimate and then
    follows the longest recent time.
    """

    def __init__(self, start: Header, step_seconds: float) -> None:
        self.playing = bool(start["playing"])
        self.step_seconds = step_seconds
        self._plan = read_plan(start["plan"])
        self.clock = Clock(
            pace=start["pace"], origin=start["origin"], pause_at=start["pause_at"], plan=self._plan
        )
        self._most_steps: int = start["max_steps"]
        self._single_steps = 0
        self._pieces: Pieces[None] | None = None

    # Requests.

    def control(self, step: int, now: float, *, playing: bool, pace: str) -> None:
        """Set the pace, and play or pause the run. The new pace counts from `step`."""
        if pace != self.clock.pace or (playing and not self.playing):
            self.clock.pace = pace
            if playing:
                self.clock.resume(step, now)
        self.playing = playing

    def single_step(self) -> None:
        self.playing = False
        self._single_steps += 1

    def stop(self) -> None:
        self.playing, self._single_steps = False, 0

    # Times at which the next step is due, and reasons to stop the run.

    @property
    def full_pace(self) -> bool:
        return self.clock.pace == "full"

    def due(self, step: int, after_frame: float, *, behind: bool) -> float:
        """Return the time at which the next step is due, or infinity if the run is paused.

        If every step gets a frame, the next step is not due before the time `after_frame`, unless
        frames are `behind` the steps.
        """
        if self._single_steps:
            return after_frame
        if not self.playing:
            return math.inf
        if self.clock.every_step(step) and not behind:
            return max(self.clock.due, after_frame)
        return self.clock.due

    def stop_reason(self, step: int, states: Collection[str]) -> str | None:
        """Return the hub's name of the reason to stop at `step`, or None if the run continues."""
        if step >= self._most_steps:
            return "limit"
        if all(state == "diverged" for state in states):
            return "diverged"
        if not self.playing:
            return None
        if self.clock.pauses and step >= self.clock.pause_at:
            return "watch" if self._plan is None else PLANNED
        return None

    def stops(self) -> Header:
        """Return fields for the hub: origin of the schedule, next pause and next stop, as steps."""
        clock = self.clock
        target = clock.target(self._most_steps)
        return {"origin": clock.origin, "pause_at": clock.pause_at, "target": target}

    # The step in progress.

    @property
    def under_way(self) -> bool:
        return self._pieces is not None

    def begin(self, experiment: Experiment) -> None:
        self._pieces = experiment.step_in_pieces()

    def work(self) -> float:
        """Train the next network, or end the step. Return the time spent in seconds."""
        assert self._pieces is not None
        began = time.perf_counter()
        ended = next(self._pieces, True)
        spent = time.perf_counter() - began
        if ended:
            self._pieces = None
        else:
            self.step_seconds = max(spent, LONGEST_KEPT * self.step_seconds)
        return spent

    def end_step(self, step: int, now: float) -> bool:
        """Advance the clock after a step. Return whether it was a requested single step."""
        self.clock.stepped(step, now)
        if not self._single_steps:
            return False
        self._single_steps -= 1
        return True


class MeasurementHold:
    """Pause of a run at the steps of its plan until all probes are measured, for a limited time.

    `needed` are the probes that have the longer time limit.
    """

    def __init__(self, steps: Collection[int], needed: Collection[str]) -> None:
        self._steps, self._needed = frozenset(steps), frozenset(needed)
        self._began = -math.inf

    @property
    def active(self) -> bool:
        return self._began > -math.inf

    def arrive(self, step: int, now: float) -> bool:
        """Record that the run is at a step. Return whether the run is held there."""
        self._began = now if step in self._steps else -math.inf
        return self.active

    def ends_at(self, unmeasured: Sequence[str], now: float, *, shown: bool) -> float:
        """Return the latest end of the hold, or minus infinity if the hold is over.

        `unmeasured` are probes without values of this step. `shown` says whether the step's frame
        is complete.
        """
        if not self.active:
            return -math.inf
        if unmeasured or not shown:
            needed = not shown or not self._needed.isdisjoint(unmeasured)
            end = self._began + (MOST_SECONDS_NEEDED if needed else MOST_SECONDS)
            if now < end:
                return end
        self._began = -math.inf
        return self._began
