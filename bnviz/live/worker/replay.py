"""Frames of steps that were passed too fast to be shown, made again from kept checkpoints."""

from __future__ import annotations

import math

from bnviz.experiment import Experiment
from bnviz.live.worker.builder import ExperimentBuild, catch_up_to
from bnviz.live.worker.hub_link import Send
from bnviz.live.worker.probe_schedule import FrameScope, ProbeSchedule
from bnviz.live.worker.run import WorkerRun
from bnviz.live.worker.run_frames import FrameMaker

# Further back than this a replay would take longer than anyone waits for it.
FURTHEST = 20_000
IN_FLIGHT = 4
# Expensive probes are measured in one of so many frames.
EXPENSIVE_EVERY = 4


class Replay:
    """A background job of a run: the frames of some of its past steps, for the history only."""

    what = "replay"

    def __init__(self, run: WorkerRun, steps: list[int], send: Send) -> None:
        self.run = run
        self._steps, self._send = sorted(set(steps)), send
        self._experiment: Experiment | None = None
        self._building: ExperimentBuild | None = None
        self._frame: FrameMaker | None = None
        # Slow probes are left out: they are measured at the run's present step only.
        self._probe_schedule = ProbeSchedule(
            run.probe_schedule.wanted, dict(run.probe_schedule.costs)
        )
        self._in_flight = self._made = 0

    @property
    def done(self) -> bool:
        """Whether every frame was made."""
        return not self._steps

    def extend(self, steps: list[int]) -> None:
        """More steps."""
        self._steps = sorted({*self._steps, *steps})

    def acknowledge(self) -> None:
        """The hub took a frame."""
        self._in_flight -= 1

    def close(self) -> None:
        """The run is over here."""
        if self._building is not None:
            self._building.abandon()

    def due(self, now: float) -> float:
        """When there is work."""
        if not self._steps or self._in_flight >= IN_FLIGHT:
            return math.inf
        return now if self._building is None else self._building.due(now)

    def work(self, deadline: float) -> None:
        """Step towards the next wanted step, and measure it when there."""
        if self._building is not None:
            self._experiment, self._building = self._building.result(), None
        elif self._frame is not None:
            self._show(deadline)
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

    def _show(self, deadline: float) -> None:
        frame = self._frame
        assert frame is not None
        if not frame.work(deadline):
            return
        self._frame = None
        # More steps may have been asked for meanwhile, earlier ones too.
        self._steps = [step for step in self._steps if step != frame.step]
        self._in_flight += 1
        facts = {"type": "replayed", "run": self.run.id, "generation": self.run.generation}
        self._send({**facts, "step": frame.step}, frame.body)

    def _reach(self, step: int) -> bool:
        """Whether there is an experiment at or before `step`, or one on its way."""
        at_hand, kept = self._experiment, self.run.checkpoints.nearest(step)
        from_kept = kept[0] if kept else -1
        if at_hand is not None and from_kept <= at_hand.step_number <= step:
            return True
        if step - max(from_kept, 0) > FURTHEST:
            return False
        self._experiment = None
        self._building = ExperimentBuild(self.run.config, kept[1] if kept else None)
        return True
