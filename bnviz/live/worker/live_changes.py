"""Live changes of one run: they wait until it is between two steps."""

from __future__ import annotations

import time
from typing import Any

from bnviz.change_log import ChangeLog
from bnviz.experiment import Experiment
from bnviz.live.protocol.frames import plain_change
from bnviz.live.worker.reports import Reports
from bnviz.live.worker.showing import Showing
from bnviz.live.worker.stepping import Stepping


class LiveChanges:
    """The changes that wait, and what follows from one that is applied."""

    def __init__(
        self, log: ChangeLog, stepping: Stepping, showing: Showing, reports: Reports
    ) -> None:
        self._log, self._reports = log, reports
        self._stepping, self._showing = stepping, showing
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
        """Apply all that wait; the run is between two steps."""
        waiting, self._waiting = self._waiting, []
        for number, values, drag in waiting:
            experiment.update(drag=drag, **values)
            change = experiment.changes[-1]
            begins = self._log.add(change)
            now = time.perf_counter()
            self._stepping.changed(change.step, now, begins=begins)
            stops = self._stepping.stops(change.step)
            self._reports.send("changed", number=number, change=plain_change(change), **stops)
            if begins or not self._stepping.playing:
                self._showing.want("due")
            else:
                self._showing.dragged(now)
