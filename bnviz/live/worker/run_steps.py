"""How a run steps: by its clock or one step at a time, each in pieces, and why it stops.

Steps of a plan that a run does not leave before everything is measured there, for a while.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection, Sequence
from typing import Any

from bnviz.experiment import Experiment
from bnviz.live.protocol.pace import PLANNED, Clock, read_plan
from bnviz.live.protocol.wire import Header
from bnviz.pieces import Pieces

# How much of the longest step's time is still believed after another one.
LONGEST_KEPT = 0.95


class RunSteps:
    """The clock of a run, the single steps asked for, and the step under way.

    Attributes:
        playing: whether the run steps by its clock.
        step_seconds: how long a step of one network takes: an estimate, then the longest of late.
    """

    def __init__(self, start: Header, step_seconds: float) -> None:
        """Begin.

        Args:
            start: the hub's message that starts the run.
            step_seconds: the estimate.
        """
        self.playing = bool(start["playing"])
        self.step_seconds = step_seconds
        self._plan = read_plan(start["plan"])
        self._clock = Clock(
            pace=start["pace"], origin=start["origin"], pause_at=start["pause_at"], plan=self._plan
        )
        self._most_steps: int = start["max_steps"]
        self._single_steps = 0
        # Whether the networks have the accuracy at which the plan ends, and the run stopped for it.
        self._reached, self._stopped_there = False, bool(start["reached"])
        self._pieces: Pieces[None] | None = None

    # What is asked for.

    def start_clock(self, now: float) -> None:
        """The run is where it should be: the next step is due now."""
        self._clock.due = now

    def control(self, step: int, now: float, *, playing: bool, pace: str) -> None:
        """Play or pause, at a pace, from `step` on."""
        if pace != self._clock.pace or (playing and not self.playing):
            self._clock.pace = pace
            if playing:
                self._clock.resume(step, now)
        self.playing = playing

    def single_step(self) -> None:
        """One step more, paused."""
        self.playing = False
        self._single_steps += 1

    def changed(self, step: int, now: float, *, begins: bool, planned: bool) -> None:
        """A live change took effect; see `Clock.changed`."""
        self._clock.changed(step, now, begins=begins, planned=planned)

    def stop(self) -> None:
        """The run stops by itself."""
        self.playing, self._single_steps = False, 0
        self._stopped_there |= self._reached

    # When.

    @property
    def full_pace(self) -> bool:
        """Whether the run steps as fast as it can."""
        return self._clock.pace == "full"

    def shows_every_step(self, step: int) -> bool:
        """Whether the pace is so slow that every step is to be shown."""
        return self._clock.every_step(step)

    def due(self, step: int, shown_at: float, *, behind: bool) -> float:
        """When the next step is due; at slow paces not before the present one is shown.

        Args:
            step: the present one.
            shown_at: when the present step is shown, or was waited for long enough.
            behind: there is no time to show every step.
        """
        if self._single_steps:
            return shown_at
        if not self.playing:
            return math.inf
        if self.shows_every_step(step) and not behind:
            return max(self._clock.due, shown_at)
        return self._clock.due

    def stop_reason(self, step: int, states: Collection[str]) -> str | None:
        """Why the run goes no further than `step`, with its networks in these states."""
        if step >= self._most_steps:
            return "limit"
        if all(state == "diverged" for state in states):
            return "diverged"
        if not self.playing:
            return None
        if self._reached and not self._stopped_there:
            return "reached"
        if self._clock.pauses and step >= self._clock.pause_at:
            return "watch" if self._plan is None else PLANNED
        return None

    def stops(self, step: int) -> dict[str, Any]:
        """Where the watch pace counts from and pauses, and where the run stops by itself."""
        clock = self._clock
        target = clock.target(step, self._most_steps)
        return {"origin": clock.origin, "pause_at": clock.pause_at, "target": target}

    @property
    def ends_at(self) -> float | None:
        """The test accuracy at which the run is to stop; None: at none, or it has stopped there."""
        if self._plan is None or self._reached or self._stopped_there:
            return None
        return self._plan.until

    def reach(self) -> None:
        """Every network has that accuracy."""
        self._reached = True

    # The step under way.

    @property
    def under_way(self) -> bool:
        """Whether the run is within a step."""
        return self._pieces is not None

    def begin(self, experiment: Experiment) -> None:
        """Begin a step."""
        self._pieces = experiment.step_in_pieces()

    def go_on(self) -> float:
        """Train one network, or end the step. Returns the seconds that it took."""
        assert self._pieces is not None
        began = time.perf_counter()
        ended = next(self._pieces, True)
        spent = time.perf_counter() - began
        if ended:
            self._pieces = None
        else:
            self.step_seconds = max(spent, LONGEST_KEPT * self.step_seconds)
        return spent

    def stepped(self, step: int, now: float) -> bool:
        """A step has ended. Returns whether it was a single one, asked for."""
        self._clock.stepped(step, now)
        if not self._single_steps:
            return False
        self._single_steps -= 1
        return True


# So long a run waits for what every page shows, and for what its plan needs.
MOST_SECONDS, MOST_SECONDS_NEEDED = 2.0, 10.0


class MeasurementHold:
    """Whether a run is held at its step, and until when.

    Args:
        steps: at which it is.
        needed: probes that are waited for the longest.
    """

    def __init__(self, steps: Collection[int], needed: Collection[str]) -> None:
        self._steps, self._needed = frozenset(steps), frozenset(needed)
        self._began = -math.inf

    @property
    def on(self) -> bool:
        """Whether the run is held."""
        return self._began > -math.inf

    def come_to(self, step: int, now: float) -> bool:
        """The run is at a step. Returns whether it is held there."""
        self._began = now if step in self._steps else -math.inf
        return self.on

    def until(self, unmeasured: Sequence[str], now: float, *, shown: bool) -> float:
        """When the run may go on at the latest; a time in the past: now.

        Args:
            unmeasured: probes that have no values of this step yet.
            now: seconds of the monotonic clock.
            shown: whether a frame has all values that there are.
        """
        if not self.on:
            return -math.inf
        if unmeasured or not shown:
            needed = not shown or not self._needed.isdisjoint(unmeasured)
            end = self._began + (MOST_SECONDS_NEEDED if needed else MOST_SECONDS)
            if now < end:
                return end
        self._began = -math.inf
        return self._began
