"""Housekeeping: pauses and ends unwatched runs, backfills frames, drops silent viewers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from bnviz.live import log
from bnviz.live.runs import run_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run

# Seconds between two passes.
TICK_SECONDS = 0.5
# Seconds between two indices of a run's kept frames that viewers are sent.
HISTORY_SECONDS = 1.0


class Housekeeping:
    """Regular passes over all runs and the hub's other features, on the event loop.

    Args:
        registry: of the runs.
        others: by name of a feature, the function that looks after it.
    """

    def __init__(self, registry: RunRegistry, others: Mapping[str, Callable[[], None]]) -> None:
        self._registry, self._others = registry, others
        settings = registry.settings
        shortest = min(
            settings.grace_seconds,
            settings.lease_seconds,
            settings.pin_seconds,
            settings.map_patience_seconds,
        )
        self._tick = min(TICK_SECONDS, shortest / 2)

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._tick)
            with log.guarded("housekeeping failed"):
                self.look_after()

    def look_after(self) -> None:
        registry, now = self._registry, time.monotonic()
        with registry.lock:
            for run in list(registry.runs.values()):
                with log.guarded("housekeeping of a run failed", run=run.id):
                    self._look_after_run(run, now)
            with log.guarded("admission from the queue failed"):
                registry.admit()
                registry.take_turns()
            with log.guarded("runs not rebalanced"):
                registry.rebalance()
        for name, look_after in self._others.items():
            with log.guarded(f"{name} not looked after"):
                look_after()
        registry.workers.end_hung()
        registry.workers.check()

    def _look_after_run(self, run: Run, now: float) -> None:
        self._drop_silent_viewers(run)
        self._check_lease(run, now)
        if run.id in self._registry.runs:
            self._backfill(run)
            self._inform_viewers(run, now)

    def _drop_silent_viewers(self, run: Run) -> None:
        for viewer in run.viewers:
            if viewer.silent_seconds() > self._registry.settings.idle_seconds:
                log.event("viewer silent", run=run.id)
                viewer.drop()

    def _check_lease(self, run: Run, now: float) -> None:
        """Pause a run that nobody has watched for a while; end it when its lease is over.

        A pinned run rests then, until somebody watches it again or its pin is over.
        """
        registry, settings = self._registry, self._registry.settings
        if run.pinned_until is not None and now >= run.pinned_until:
            run.pinned_until = None
            registry.broadcast_status(run)
        if run.update_seen(now, settings.away_seconds):
            registry.send_order(run)
        if run.viewers:
            run.last_watched, run.abandoned = now, False
            if run.awake and now - run.last_seen >= settings.grace_seconds:
                self._pause_unwatched(run)
            return
        unwatched, over = now - run.last_watched, ""
        run.abandoned = unwatched >= settings.grace_seconds
        if run.ends_at is not None and now >= run.ends_at:
            over = "replaced by its tab"
        elif unwatched >= settings.lease_seconds:
            over = "unwatched"
        elif run.abandoned and run.placement.state == "queued":
            over = "left the queue"
        if over and run.pinned_until is None:
            registry.end(run, over)
        elif over and run.placement.state != "resting":
            registry.rest(run)
        elif run.abandoned and run.awake:
            self._pause_unwatched(run)

    def _pause_unwatched(self, run: Run) -> None:
        run.awake = False
        self._registry.send_order(run)

    def _backfill(self, run: Run) -> None:
        """Request frames around breaks and changes that the run has passed without a frame."""
        steps = run.history.take_steps_to_replay(run.step, rests=run.status != "running")
        if steps:
            self._registry.send(run, "replay", steps=steps)

    def _inform_viewers(self, run: Run, now: float) -> None:
        """Send viewers what has changed: their number, the run's place in the queue, the index of
        its kept frames.
        """
        current = (len(run.viewers), run.history.thinned, self._registry.queue_place(run))
        if current != run.reported:
            run.history_changed |= current[1] != run.reported[1]
            self._registry.broadcast_status(run)
            run.reported = current
        if run.frames_missed and run.status != "running":
            run.history_changed, run.frames_missed = True, False
        if run.history_changed and now - run.history_sent_at >= HISTORY_SECONDS:
            run.history_changed, run.history_sent_at = False, now
            self._registry.broadcast(run, run_messages.history(run))
