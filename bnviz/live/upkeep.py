"""What the hub does by the clock: pause and reap unwatched runs, fill gaps, drop silent viewers."""

from __future__ import annotations

import asyncio
import time

from bnviz.live import log, messages
from bnviz.live.desk import Desk
from bnviz.live.history import AROUND
from bnviz.live.run import Run

TICK_SECONDS = 0.5
PING_SECONDS = 2.0
# The index of kept frames is sent again at most this often.
HISTORY_SECONDS = 1.0


class Upkeep:
    """One pass over all runs, every so often."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._last_ping = time.monotonic()
        shortest = min(desk.settings.grace_seconds, desk.settings.lease_seconds)
        self._tick = min(TICK_SECONDS, shortest / 2)

    async def run(self) -> None:
        """Look after the runs until cancelled."""
        while True:
            await asyncio.sleep(self._tick)
            self.look_after()

    def look_after(self) -> None:
        """One pass."""
        desk, now = self._desk, time.monotonic()
        with desk.lock:
            for run in list(desk.runs.values()):
                self._viewers(run)
                self._lease(run, now)
                if run.id in desk.runs:
                    self._gaps(run)
                    self._tell(run, now)
            desk.admit()
        if desk.workers is not None and now - self._last_ping >= PING_SECONDS:
            self._last_ping = now
            desk.workers.check()

    def _viewers(self, run: Run) -> None:
        for viewer in run.viewers:
            if viewer.silent_seconds() > self._desk.settings.idle_seconds:
                log.event("viewer silent", run=run.id)
                viewer.drop()

    def _lease(self, run: Run, now: float) -> None:
        desk, settings = self._desk, self._desk.settings
        if run.viewers:
            run.last_watched = now
            return
        unwatched = now - run.last_watched
        if run.ends_at is not None and now >= run.ends_at:
            desk.end(run, "replaced by its tab")
        elif unwatched >= settings.lease_seconds:
            desk.end(run, "unwatched")
        elif unwatched >= settings.grace_seconds and run.status == "queued":
            desk.end(run, "left the queue")
        elif unwatched >= settings.grace_seconds and run.awake:
            run.awake = False
            desk.order(run)

    def _gaps(self, run: Run) -> None:
        """Ask for the frames around breaks and changes that were passed too fast to be shown."""
        still = []
        for centre in run.to_replay:
            passed = run.step >= centre + AROUND
            if not passed:
                still.append(centre)
            if passed or run.status != "running":
                missing = set(run.history.missing(centre, run.step)) - run.replays_asked
                if missing:
                    run.replays_asked |= missing
                    self._desk.send(run, "replay", steps=sorted(missing))
        run.to_replay = still

    def _tell(self, run: Run, now: float) -> None:
        told = (len(run.viewers), run.history.thinned)
        if told != run.told:
            run.history_changed |= told[1] != run.told[1]
            self._desk.tell_status(run)
            run.told = told
        if run.history_changed and now - run.history_told >= HISTORY_SECONDS:
            run.history_changed, run.history_told = False, now
            self._desk.tell(run, messages.history(run))
