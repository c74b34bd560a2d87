"""When a run takes its next step: its clock, the step under way, and what holds or stops it."""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence

from bnviz.experiment import Experiment
from bnviz.live.protocol.pace import PLANNED, Clock, read_plan
from bnviz.live.protocol.wire import Header
from bnviz.pieces import Pieces

# After a shorter step the estimate of the longest one falls to this share of itself.
LONGEST_KEPT = 0.95
# At a step of its plan a run waits so long for what every page shows, and so long for the probes
# that the plan needs.
MOST_SECONDS, MOST_SECONDS_NEEDED = 2.0, 10.0


class RunSteps:
    """The clock of a run, the single steps that were asked for, and the step under way.

    Attributes:
        playing: whether the run steps by its clock.
        step_seconds: how long a step of one network takes: first an estimate, then the longest of
            the last ones.
        clock: tells when the next step is due.
    """

    def __init__(self, start: Header, step_seconds: float) -> None:
        """Set the clock as the run starts.

        Args:
            start: the hub's message that starts the run.
            step_seconds: the estimate.
        """
        self.playing = bool(start["playing"])
        self.step_seconds = step_seconds
        self._plan = read_plan(start["plan"])
        self.clock = Clock(
            pace=start["pace"], origin=start["origin"], pause_at=start["pause_at"], plan=self._plan
        )
        self._most_steps: int = start["max_steps"]
        self._single_steps = 0
        self._pieces: Pieces[None] | None = None

    # What is asked for.

    def control(self, step: int, now: float, *, playing: bool, pace: str) -> None:
        """Play or pause, at a pace, from `step` on."""
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

    # When the next step is due, and where the run stops.

    @property
    def full_pace(self) -> bool:
        return self.clock.pace == "full"

    def due(self, step: int, after_frame: float, *, behind: bool) -> float:
        """When the next step is due; infinity where none is.

        Args:
            step: that the run is at.
            after_frame: the earliest time for the next step where every step gets a frame.
            behind: whether there is no time for a frame of every step.
        """
        if self._single_steps:
            return after_frame
        if not self.playing:
            return math.inf
        if self.clock.every_step(step) and not behind:
            return max(self.clock.due, after_frame)
        return self.clock.due

    def stop_reason(self, step: int, states: Collection[str]) -> str | None:
        """Why the run goes no further than `step`, as the hub calls it; None: it goes on.

        Args:
            step: that the run is at.
            states: of its networks.
        """
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
        """For messages to the hub: the step from which the watch pace counts, the one at which it
        pauses, and the one at which the run stops by itself.
        """
        clock = self.clock
        target = clock.target(self._most_steps)
        return {"origin": clock.origin, "pause_at": clock.pause_at, "target": target}

    # The step under way.

    @property
    def under_way(self) -> bool:
        return self._pieces is not None

    def begin(self, experiment: Experiment) -> None:
        self._pieces = experiment.step_in_pieces()

    def work(self) -> float:
        """Train the next network, or end the step. Returns the seconds that it took."""
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
        """Set the clock after a step. Returns whether it was a single step that was asked for."""
        self.clock.stepped(step, now)
        if not self._single_steps:
            return False
        self._single_steps -= 1
        return True


class MeasurementHold:
    """Holds a run at steps of its plan until everything is measured there, for some seconds.

    Args:
        steps: at which the run is held.
        needed: the probes for which it is held the longest.
    """

    def __init__(self, steps: Collection[int], needed: Collection[str]) -> None:
        self._steps, self._needed = frozenset(steps), frozenset(needed)
        self._began = -math.inf

    @property
    def active(self) -> bool:
        return self._began > -math.inf

    def arrive(self, step: int, now: float) -> bool:
        """Note that the run is at a step. Returns whether it is held there."""
        self._began = now if step in self._steps else -math.inf
        return self.active

    def ends_at(self, unmeasured: Sequence[str], now: float, *, shown: bool) -> float:
        """When the run may go on at the latest; minus infinity once nothing is missing any more.

        Args:
            unmeasured: probes that have no values of this step yet.
            now: seconds of the monotonic clock.
            shown: whether a frame with all measured values has been made.
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
