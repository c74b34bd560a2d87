"""Periodic housekeeping: pause and end unwatched runs, backfill frames, drop silent viewers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping

from bnviz.live import log
from bnviz.live.runs import run_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run

# Seconds between passes.
TICK_SECONDS = 0.5
# Minimum number of seconds between two messages with the index of a run's frames.
HISTORY_SECONDS = 1.0


async def run_housekeeping(registry: RunRegistry, others: Mapping[str, Callable[[], None]]) -> None:
    """Check all runs and call `others` (other features of the hub) regularly, until cancelled."""
    settings = registry.settings
    shortest = min(
        settings.grace_seconds, settings.lease_seconds, settings.pin_seconds,
        settings.map_patience_seconds,
    )  # fmt: skip
    while True:
        await asyncio.sleep(min(TICK_SECONDS, shortest / 2))
        with log.guarded("housekeeping failed"):
            maintain(registry)
            for name, look_after_it in others.items():
                with log.guarded(f"housekeeping of {name} failed"):
                    look_after_it()
            registry.workers.end_hung()
            registry.workers.check()


def maintain(registry: RunRegistry) -> None:
    now = time.monotonic()
    with registry.lock:
        for run in list(registry.runs.values()):
            with log.guarded("housekeeping of a run failed", run=run.id):
                _look_after_run(registry, run, now)
        with log.guarded("admission from the queue failed"):
            registry.admit()
            registry.take_turns()
        with log.guarded("rebalancing of runs failed"):
            registry.rebalance()


def _look_after_run(registry: RunRegistry, run: Run, now: float) -> None:
    for viewer in run.viewers:
        if viewer.silent_seconds() > registry.settings.idle_seconds:
            log.event("silent viewer dropped", run=run.id)
            viewer.drop()
    _check_lease(registry, run, now)
    if run.id in registry.runs:
        # Request the frames that are missing around breaks and changes.
        steps = run.history.take_steps_to_replay(run.step, stopped=run.status != "running")
        if steps:
            registry.send(run, "replay", steps=steps)
        _inform_viewers(registry, run, now)


def _check_lease(registry: RunRegistry, run: Run, now: float) -> None:
    """Pause a run after it was unwatched for a while, and end it when its lease expires.

    A pinned run is taken off its worker instead, until a viewer returns or the pin expires.
    """
    settings = registry.settings
    if run.pinned_until is not None and now >= run.pinned_until:
        run.pinned_until = None
        registry.broadcast_status(run)
    if run.update_view_state(now, settings.away_seconds):
        registry.send_control(run)
    if run.viewers:
        run.last_watched = now
        if run.attended and now - run.last_in_view >= settings.grace_seconds:
            _pause_unwatched(registry, run)
        return
    unwatched, over = now - run.last_watched, ""
    abandoned = unwatched >= settings.grace_seconds
    if run.ends_at is not None and now >= run.ends_at:
        over = "replaced by a new run in its tab"
    elif unwatched >= settings.lease_seconds:
        over = "unwatched"
    elif abandoned and run.placement.state == "queued":
        over = "unwatched in the queue"
    if over and run.pinned_until is None:
        registry.end(run, over)
    elif over and run.placement.state != "resting":
        registry.rest(run)
    elif abandoned and run.attended:
        _pause_unwatched(registry, run)


def _pause_unwatched(registry: RunRegistry, run: Run) -> None:
    run.attended = False
    registry.send_control(run)


def _inform_viewers(registry: RunRegistry, run: Run, now: float) -> None:
    """Send changes in the number of viewers, the place in the queue and the index of frames."""
    current = (len(run.viewers), run.history.thinned, registry.queue_place(run))
    if current != run.reported:
        run.history_changed |= current[1] != run.reported[1]
        registry.broadcast_status(run)
        run.reported = current
    if run.frames_missed and run.status != "running":
        run.history_changed, run.frames_missed = True, False
    if run.history_changed and now - run.history_sent_at >= HISTORY_SECONDS:
        run.history_changed, run.history_sent_at = False, now
        registry.broadcast(run, run_messages.history(run))
