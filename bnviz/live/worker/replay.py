"""Frames for past steps that have no frame in the history. They are made from checkpoints."""

from __future__ import annotations

import math

from bnviz.experiment import Experiment
from bnviz.live.worker.builder import Builder, build_experiment, catch_up_to
from bnviz.live.worker.probe_schedule import FrameScope, ProbeSchedule
from bnviz.live.worker.run import WorkerRun
from bnviz.live.worker.run_frames import FrameMaker

# Maximum number of steps to replay for a frame. Viewers would not wait for more steps.
FURTHEST = 20_000
# Maximum number of frames that were sent to the hub and are not acknowledged yet.
IN_FLIGHT = 4
# Interval, in frames, between two frames that contain the expensive probes.
EXPENSIVE_EVERY = 4


class Replay(Builder):
    """Background job that replays the past of a run on a copy, and makes frames of `steps`."""

    kind_of_work = "replay"

    def __init__(self, run: WorkerRun, steps: list[int]) -> None:
        self.run = run
        self._steps = sorted(set(steps))
        self._experiment: Experiment | None = None
        self._frame: FrameMaker | None = None
        # Leave out the slow probes, because they are measured only at the current step of the run.
        self._probe_schedule = ProbeSchedule(
            run.probe_schedule.wanted, dict(run.probe_schedule.costs)
        )
        self._in_flight = self._made = 0

    @property
    def done(self) -> bool:
        return not self._steps

    def extend(self, steps: list[int]) -> None:
        self._steps = sorted({*self._steps, *steps})

    def acknowledge(self) -> None:
        self._in_flight -= 1

    def due(self, now: float) -> float:
        if not self._steps or self._in_flight >= IN_FLIGHT:
            return math.inf
        if self._steps[0] > self.run.step:
            # The run itself is still being replayed to its step, and planned changes may be applied
            # on the way.
            return math.inf
        return super().due(now)

    def work(self, deadline: float) -> None:
        if self.building is not None:
            self._experiment, self.building = self.building.result(), None
        elif self._frame is not None:
            self._work_on_frame(self._frame, deadline)
        elif not self._reach(self._steps[0]):
            self._steps.clear()
        elif self._experiment is not None and catch_up_to(
            self._experiment, self.run.log, self._steps[0], deadline
        ):
            self._begin_frame(self._experiment)

    def _begin_frame(self, experiment: Experiment) -> None:
        scope: FrameScope = "full" if self._made % EXPENSIVE_EVERY == 0 else "due"
        self._made += 1
        self._probe_schedule.want(self.run.probe_schedule.wanted)
        self._frame = FrameMaker(
            experiment, self.run.log, self._probe_schedule, scope, replayed=True
        )

    def _work_on_frame(self, frame: FrameMaker, deadline: float) -> None:
        if not frame.work(deadline):
            return
        self._frame = None
        # Remove this step by value, because `extend` may have inserted earlier steps in the
        # meantime.
        self._steps = [step for step in self._steps if step != frame.step]
        self._in_flight += 1
        self.run.hub.send("replayed", frame.body, step=frame.step)

    def _reach(self, step: int) -> bool:
        """Find or build an experiment at or before `step`; return False if no checkpoint is
        near.
        """
        at_hand, (checkpoint_step, checkpoint) = (
            self._experiment,
            self.run.checkpoints.nearest(step),
        )
        if at_hand is not None and checkpoint_step <= at_hand.step_number <= step:
            return True
        if step - checkpoint_step > FURTHEST:
            return False
        self._experiment = None
        self.building = build_experiment(self.run.config, checkpoint)
        return True
