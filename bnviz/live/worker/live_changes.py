"""Live changes of one run: they wait until it is between two steps, planned ones for their step."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from bnviz.change_log import ChangeLog
from bnviz.config import ConfigError
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.server_messages import words_of
from bnviz.live.worker.hub_link import HubLink
from bnviz.live.worker.run_frames import RunFrames
from bnviz.live.worker.run_steps import RunSteps
from bnviz.records import Change


class LiveChanges:
    """The changes that wait, and what follows from one that is applied.

    Args:
        log: of the run.
        planned: changes of the run's plan.
        yields: whether they end with the first one by hand.
        done: how many of these have taken effect or were refused.
        stepping: is told of changes.
        showing: shows what they do.
        reports: to the hub.
    """

    def __init__(
        self, log: ChangeLog, planned: Sequence[Change], done: int, stepping: RunSteps,
        showing: RunFrames, reports: HubLink, *, yields: bool = False,
    ) -> None:  # fmt: skip
        self._log, self._reports = log, reports
        self._stepping, self._showing = stepping, showing
        self._planned, self._done, self._yields = planned, done, yields
        self._waiting: list[tuple[int, dict[str, Any], int]] = []

    def add(self, number: int, values: dict[str, Any], drag: int) -> None:
        """A change that is to be applied.

        Args:
            number: of the change, for the hub.
            values: by knob.
            drag: number of the drag that they are part of; 0: of none.
        """
        self._waiting.append((number, values, drag))

    def apply(self, experiment: Experiment) -> None:
        """Apply the planned ones of this step, then all that wait; the run is between two steps."""
        while self._done < len(self._planned):
            change = self._planned[self._done]
            if change.step > experiment.step_number:
                break
            self._done += 1
            values: dict[str, Any] = change.values
            try:
                changed = experiment.update(drag=change.drag, **values)
            except ConfigError as problem:
                self._reports.send("plan_refused", planned=self._done, **words_of(problem))
            else:
                self._took_effect(experiment, changed, planned=self._done)
        waiting, self._waiting = self._waiting, []
        for number, values, drag in waiting:
            changed = experiment.update(drag=drag, **values)
            if changed and self._yields:
                self._planned = ()
            self._took_effect(experiment, changed, number=number)

    def _took_effect(
        self, experiment: Experiment, changed: bool,
        *, number: int | None = None, planned: int | None = None,
    ) -> None:  # fmt: skip
        step = experiment.step_number
        told: dict[str, Any] = {"number": number, "planned": planned, "step": step}
        if not changed:
            # Whoever set what is so already is answered, and nothing has happened to the run.
            self._reports.send("changed", **told, change=None, **self._stepping.stops(step))
            return
        change = experiment.changes[-1]
        begins = self._log.add(change)
        now = time.perf_counter()
        self._stepping.changed(step, now, begins=begins, planned=planned is not None)
        stops = self._stepping.stops(step)
        self._reports.send("changed", **told, change=plain_change(change), **stops)
        if begins or planned is not None or not self._stepping.playing:
            self._showing.want("due")
        else:
            self._showing.dragged(now)
