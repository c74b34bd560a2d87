"""The side of the hub that is looked at: sockets join and leave, routes read what is kept.

Everything here runs on the hub's event loop.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from bnviz.live import messages
from bnviz.live.desk import Desk
from bnviz.live.errors import NoSuchRun, Refused
from bnviz.live.frames import compose
from bnviz.live.history import Kept
from bnviz.live.run import Run
from bnviz.live.viewer import Viewer


class Gallery:
    """What viewers and routes may see of the runs."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def join(self, run_id: str, viewer: Viewer) -> None:
        """Let a viewer watch: everything about the run, then the newest frame, then what comes.

        Raises:
            NoSuchRun: the run is over.
            Refused: too many watch already.
        """
        desk, settings = self._desk, self._desk.settings
        with desk.lock:
            run = self._run(run_id)
            total = sum(len(other.viewers) for other in desk.runs.values())
            if len(run.viewers) >= settings.viewers_per_run:
                raise Refused("viewers_per_run", f"{len(run.viewers)} already watch this run.")
            if total >= settings.max_viewers:
                raise Refused("max_viewers", f"{total} viewers are connected already.")
            run.viewers.add(viewer)
            run.last_watched = time.monotonic()
            if not run.awake:
                run.awake = True
                desk.order(run)
            viewer.offer(messages.hello(run, desk.queue_place(run)))
            for notice in _notices(run):
                viewer.offer(notice)
            if (newest := run.history.newest) is not None:
                viewer.offer_frame(newest.seq, self._frame(run, newest).decode())

    def leave(self, run_id: str, viewer: Viewer) -> None:
        """A viewer is gone."""
        desk = self._desk
        with desk.lock:
            desk.dropped_viewers += viewer.dropped
            desk.dropped_frames += viewer.dropped_frames
            run = desk.runs.get(run_id)
            if run is not None and viewer in run.viewers:
                run.viewers.discard(viewer)
                run.last_watched = time.monotonic()
                desk.settle_wants(run)

    def want(self, run_id: str, viewer: Viewer, probes: Collection[str]) -> None:
        """The charts a viewer has open draw these probes, and no others."""
        with self._desk.lock:
            run = self._desk.runs.get(run_id)
            if run is not None and viewer in run.viewers:
                viewer.wants = frozenset(probes)
                self._desk.settle_wants(run)

    def frame(self, run_id: str, seq: int) -> bytes | None:
        """The kept frame nearest to a number, as JSON; None before the first.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._desk.lock:
            run = self._run(run_id)
            kept = run.history.nearest(seq)
            return None if kept is None else self._frame(run, kept)

    def kept(self, run_id: str) -> list[Kept]:
        """All kept frames, in order of step.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._desk.lock:
            return list(self._run(run_id).history)

    def index(self, run_id: str) -> dict[str, Any]:
        """Numbers and steps of all kept frames.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._desk.lock:
            return messages.history(self._run(run_id))

    def status(self) -> dict[str, Any]:
        """Workers, runs, viewers, drops. No ids: knowing one is the right to watch."""
        desk = self._desk
        with desk.lock:
            runs = list(desk.runs.values())
            statuses = [run.status for run in runs]
            viewers = [viewer for run in runs for viewer in run.viewers]
            workers = desk.workers
            return {
                "uptime_seconds": round(time.monotonic() - desk.born, 1),
                "workers": [
                    {
                        "number": worker.number, "pid": worker.pid, "ready": worker.ready,
                        "runs": worker.runs, "busy_seconds": round(worker.busy_seconds, 1),
                        "age_seconds": round(time.monotonic() - worker.born, 1),
                    }
                    for worker in (workers.living() if workers else ())
                ],
                "workers_replaced": workers.replaced if workers else 0,
                "runs": {status: statuses.count(status) for status in sorted(set(statuses))},
                "runs_started": desk.started_runs,
                "viewers": len(viewers),
                "viewers_dropped": desk.dropped_viewers,
                "frames": desk.frames,
                "frames_dropped": desk.dropped_frames + sum(v.dropped_frames for v in viewers),
                "history_bytes": sum(run.history.size for run in runs),
                "checkpoint_bytes": sum(len(r.checkpoint[1]) for r in runs if r.checkpoint),
            }  # fmt: skip

    def _run(self, run_id: str) -> Run:
        run = self._desk.runs.get(run_id)
        if run is None:
            raise NoSuchRun
        return run

    @staticmethod
    def _frame(run: Run, kept: Kept) -> bytes:
        return compose(run.id, kept.seq, run.status, kept.body)


def _notices(run: Run) -> list[messages.Message]:
    """What earlier viewers were told and whoever joins should know."""
    found = []
    if run.note is not None:
        found.append(messages.notice("note", text=run.note))
    if run.error is not None:
        found.append(messages.notice("error", message=run.error))
    return found
