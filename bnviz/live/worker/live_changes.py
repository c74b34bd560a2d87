"""Live changes of a run, made by hand or by its plan, and applied between two steps."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from typing import Any

from bnviz.change_log import ChangeLog, plain_change
from bnviz.config import ConfigError
from bnviz.experiment import Experiment
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.worker.hub_link import HubLink
from bnviz.live.worker.run_frames import RunFrames
from bnviz.live.worker.run_steps import RunSteps
from bnviz.records import Change


class LiveChanges:
    """Queue of a run's changes by hand, and its planned changes.

    A change that takes effect is logged, reported to the hub and shown in a frame. At some paces,
    the run then slows down for a while.

    Args:
        done: number of planned changes that were already applied or refused.
        yields: whether the first change by hand cancels the remaining planned changes.

    Attributes:
        queue: request number, values, and drag number (or 0) of each change by hand.
    """

    def __init__(
        self, log: ChangeLog, planned: Sequence[Change], done: int, steps: RunSteps,
        frames: RunFrames, hub: HubLink, *, yields: bool = False,
    ) -> None:  # fmt: skip
        self._log, self._hub = log, hub
        self._steps, self._frames = steps, frames
        self._planned, self._done, self._yields = planned, done, yields
        self.queue: list[tuple[int, dict[str, Any], int]] = []

    @property
    def next_planned_step(self) -> float:
        """Step of the next planned change, or infinity if no planned change is left."""
        return self._planned[self._done].step if self._done < len(self._planned) else math.inf

    def apply(self, experiment: Experiment) -> None:
        """Apply the planned changes up to this step, then the queued changes, between two steps."""
        self.apply_planned(experiment)
        queue, self.queue = self.queue, []
        for number, values, drag in queue:
            changed = experiment.update(drag=drag, **values)
            if changed and self._yields:
                self._planned = ()
            self._after_update(experiment, changed, number=number)

    def apply_planned(self, experiment: Experiment) -> None:
        """Apply the planned changes up to this step. Report refused changes to the hub."""
        while self.next_planned_step <= experiment.step_number:
            change = self._planned[self._done]
            self._done += 1
            values: dict[str, Any] = change.values
            try:
                changed = experiment.update(drag=change.drag, **values)
            except ConfigError as problem:
                self._hub.send("plan_refused", planned=self._done, **words_of(problem))
            else:
                self._after_update(experiment, changed, planned=self._done)

    def _after_update(
        self, experiment: Experiment, changed: bool,
        *, number: int | None = None, planned: int | None = None,
    ) -> None:  # fmt: skip
        """Report a change to the hub. If it changed a value, log it and request a frame."""
        step = experiment.step_number
        plain = None
        if changed:
            change, now, by_plan = experiment.changes[-1], time.perf_counter(), planned is not None
            plain, begins = plain_change(change), self._log.add(change)
            self._steps.clock.changed(step, now, begins=begins, planned=by_plan)
            if begins or by_plan or not self._steps.playing:
                self._frames.request("due")
            else:
                self._frames.request_while_dragging(now)
        self._hub.send(
            "changed", number=number, planned=planned, step=step, change=plain,
            **self._steps.stops(),
        )  # fmt: skip
