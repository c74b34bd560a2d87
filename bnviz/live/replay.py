"""Frames of steps that were passed too fast to be shown, made again from kept checkpoints."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

from bnviz.experiment import Experiment
from bnviz.live.forward import advance, reopen
from bnviz.live.frames import encode_body
from bnviz.live.measuring import How, Measuring
from bnviz.story import tell

if TYPE_CHECKING:
    from bnviz.live.worker_run import Send, WorkerRun

# Further back than this a replay would take longer than anyone waits for it.
FURTHEST = 20_000
IN_FLIGHT = 4
# Dear probes are measured in one of so many frames.
DEAR_EVERY = 4


class Replay:
    """A job beside a run: the frames of some of its past steps, for the history only."""

    weight = 1.0
    urgent = False

    def __init__(self, run: WorkerRun, steps: list[int], send: Send) -> None:
        self.run, self.used = run, run.used
        self._steps, self._send = sorted(set(steps)), send
        self._experiment: Experiment | None = None
        self._measuring = Measuring(run.wants)
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

    def due(self, now: float) -> float:
        """When there is work."""
        return now if self._steps and self._in_flight < IN_FLIGHT else math.inf

    def work(self, deadline: float) -> None:
        """Step towards the next wanted step, and measure it when there."""
        wanted = self._steps[0]
        experiment = self._nearest(wanted)
        if experiment is None:
            self._steps.clear()
            return
        self._experiment = experiment
        if not advance(experiment, self.run.log, wanted, deadline):
            return
        self._steps.pop(0)
        how: How = "full" if self._made % DEAR_EVERY == 0 else "due"
        self._made += 1
        self._measuring.want(self.run.wants)
        snapshot = self._measuring.measure(experiment, time.perf_counter(), how)
        log = [change for change in self.run.log if change.step <= wanted]
        story = tell(snapshot, self.run.config, log)
        body = encode_body(snapshot, changes=log, story=story, replayed=True)
        self._in_flight += 1
        self._send(
            {"type": "replayed", "run": self.run.id, "epoch": self.run.epoch, "step": wanted}, body
        )

    def _nearest(self, step: int) -> Experiment | None:
        """An experiment at or before `step`: the one at hand or a kept checkpoint's."""
        at_hand, kept = self._experiment, self.run.ring.nearest(step)
        from_kept = kept[0] if kept else -1
        if at_hand is not None and from_kept <= at_hand.step_number <= step:
            return at_hand
        if kept is None:
            return reopen(self.run.config, None) if step <= FURTHEST else None
        return reopen(self.run.config, kept[1]) if step - kept[0] <= FURTHEST else None
