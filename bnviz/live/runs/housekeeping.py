"""What the hub does by the clock: pause and reap unwatched runs, fill gaps, drop silent viewers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from bnviz.live import log
from bnviz.live.runs import run_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run

TICK_SECONDS = 0.5
# The index of kept frames is sent again at most this often.
HISTORY_SECONDS = 1.0


class Housekeeping:
    """One pass over all runs and whatever else the hub has, every so often.

    Args:
        state: of the hub.
        others: by name of a feature, what looks after it.
    """

    def __init__(self, state: RunRegistry, others: Mapping[str, Callable[[], None]]) -> None:
        self._state, self._others = state, others
        settings = state.settings
        shortest = min(
            settings.grace_seconds, settings.lease_seconds, settings.map_patience_seconds
        )
        self._tick = min(TICK_SECONDS, shortest / 2)

    async def run(self) -> None:
        """Look after the runs until cancelled."""
        while True:
            await asyncio.sleep(self._tick)
            with log.guarded("upkeep failed"):
                self.look_after()

    def look_after(self) -> None:
        """One pass."""
        state, now = self._state, time.monotonic()
        with state.lock:
            for run in list(state.runs.values()):
                with log.guarded("upkeep of a run failed", run=run.id):
                    self._look_after(run, now)
            with log.guarded("admission from the queue failed"):
                state.admit()
            if state.workers is not None:
                with log.guarded("runs not rebalanced"):
                    state.rebalance()
        for name, look_after in self._others.items():
            with log.guarded(f"{name} not looked after"):
                look_after()
        if state.workers is not None:
            state.workers.end_hung()
            state.workers.check()

    def _look_after(self, run: Run, now: float) -> None:
        self._viewers(run)
        self._lease(run, now)
        if run.id in self._state.runs:
            self._gaps(run)
            self._inform_viewers(run, now)

    def _viewers(self, run: Run) -> None:
        for viewer in run.viewers:
            if viewer.silent_seconds() > self._state.settings.idle_seconds:
                log.event("viewer silent", run=run.id)
                viewer.drop()

    def _lease(self, run: Run, now: float) -> None:
        state, settings = self._state, self._state.settings
        if run.settle_seen(now, settings.away_seconds):
            state.send_order(run)
        if run.viewers:
            run.last_watched = now
            if run.awake and now - run.last_seen >= settings.grace_seconds:
                self._sleep(run)
            return
        unwatched = now - run.last_watched
        if run.ends_at is not None and now >= run.ends_at:
            state.end(run, "replaced by its tab")
        elif unwatched >= settings.lease_seconds:
            state.end(run, "unwatched")
        elif unwatched >= settings.grace_seconds and run.status == "queued":
            state.end(run, "left the queue")
        elif unwatched >= settings.grace_seconds and run.awake:
            self._sleep(run)

    def _sleep(self, run: Run) -> None:
        run.awake = False
        self._state.send_order(run)

    def _gaps(self, run: Run) -> None:
        """Ask for the frames around breaks and changes that were passed too fast to be shown."""
        steps = run.history.take_steps_to_replay(run.step, rests=run.status != "running")
        if steps:
            self._state.send(run, "replay", steps=steps)

    def _inform_viewers(self, run: Run, now: float) -> None:
        current = (len(run.viewers), run.history.thinned)
        if current != run.announced:
            run.history_changed |= current[1] != run.announced[1]
            self._state.tell_status(run)
            run.announced = current
        if run.history_changed and now - run.history_sent_at >= HISTORY_SECONDS:
            run.history_changed, run.history_sent_at = False, now
            self._state.tell(run, run_messages.history(run))
