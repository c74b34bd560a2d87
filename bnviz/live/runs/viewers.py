"""The side of the hub that is looked at: sockets join and leave, routes read what is kept.

Everything here runs on the hub's event loop.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any, NoReturn

from bnviz.config import ConfigError
from bnviz.live import log
from bnviz.live.errors import LimitReached, NoSuchRun, NotYours
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage, SetKnob
from bnviz.live.protocol.frames import compose, plain_change
from bnviz.live.runs import run_messages
from bnviz.live.runs.kept_frames import KeptFrame
from bnviz.live.runs.live_knobs import LiveKnobs
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.time_series import TimeSeriesCache
from bnviz.live.runs.viewer import Viewer
from bnviz.words.phrase import phrase


class Viewers:
    """What viewers and routes may see of the runs."""

    def __init__(self, state: RunRegistry, changes: LiveKnobs) -> None:
        self._state, self._changes = state, changes

    def join(self, run_id: str, viewer: Viewer, owner: str | None = None) -> None:
        """Let a viewer watch: everything about the run, then the newest frame, then what comes.

        Args:
            run_id: the run to watch.
            viewer: who watches.
            owner: the secret of its browser; the run's owner may turn its live knobs.

        Raises:
            NoSuchRun: the run is over.
            LimitReached: too many watch already.
        """
        state, settings = self._state, self._state.settings
        with state.lock:
            run = self._run(run_id)
            total = sum(len(other.viewers) for other in state.runs.values())
            if len(run.viewers) >= settings.viewers_per_run:
                raise LimitReached(
                    "viewers_per_run", phrase("errors.run_watched", count=len(run.viewers))
                )
            if total >= settings.max_viewers:
                raise LimitReached("max_viewers", phrase("errors.too_many_viewers", count=total))
            run.viewers.add(viewer)
            viewer.can_control = run.owner_is(owner or "")
            run.last_watched = time.monotonic()
            self._seen(run)
            viewer.offer(run_messages.hello(run, state.queue_place(run)))
            for notice in _notices(run):
                viewer.offer(notice)
            if (newest := run.history.newest) is not None:
                viewer.offer_frame(newest.seq, self._frame(run, newest).decode())

    def leave(self, run_id: str, viewer: Viewer) -> None:
        """A viewer is gone."""
        state = self._state
        with state.lock:
            state.dropped_viewers += viewer.dropped
            state.dropped_frames += viewer.dropped_frames
            run = state.runs.get(run_id)
            if run is not None and viewer in run.viewers:
                run.viewers.discard(viewer)
                run.last_watched = time.monotonic()
                self._seen(run)
                state.settle_wants(run)

    def hide(self, run_id: str, viewer: Viewer, hidden: bool) -> None:
        """A viewer's page went out of view, or came back into it."""
        with self._state.lock:
            viewer.hide(hidden)
            run = self._state.runs.get(run_id)
            if run is not None and viewer in run.viewers:
                self._seen(run)

    def want(self, run_id: str, viewer: Viewer, probes: Collection[str]) -> None:
        """The charts a viewer has open draw these probes, and no others."""
        with self._state.lock:
            run = self._state.runs.get(run_id)
            if run is not None and viewer in run.viewers:
                viewer.wants = frozenset(probes)
                self._state.settle_wants(run)

    def set_knob(self, run_id: str, viewer: Viewer, said: SetKnob) -> None:
        """A viewer turns a live knob; it is answered when that takes effect, or refused.

        Raises:
            BadMessage: its number is none that comes after its last one's.
            NotYours: it may only watch; it was sent a refusal.
        """
        if said.n <= viewer.turned:
            raise BadMessage("n", said.n, phrase("errors.greater", last=viewer.turned))
        viewer.turned = said.n
        with self._state.lock:
            run = self._state.runs.get(run_id)
            if run is None or viewer not in run.viewers:
                return  # it is told that the run is over
            if not viewer.can_control:
                self._refuse(run, viewer, said)
            try:
                self._changes.turn(run, viewer, said)
            except ConfigError as problem:
                viewer.offer(run_messages.refused(said.n, said.knob, run, problem))

    def _refuse(self, run: Run, viewer: Viewer, said: SetKnob) -> NoReturn:
        self._state.knob_refusals += 1
        viewer.attempts += 1
        if viewer.attempts == 1:
            log.event("knob refused", run=run.id)
        problem = ConfigError("owner", None, phrase("errors.owner"))
        refusal = run_messages.refused(said.n, said.knob, run, problem)
        why = NotYours()
        viewer.offer({**refusal, **server_messages.words_of(why)})
        raise why

    def frame(self, run_id: str, seq: int) -> bytes | None:
        """The kept frame nearest to a number, as JSON; None before the first.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._state.lock:
            run = self._run(run_id)
            kept = run.history.nearest(seq)
            return None if kept is None else self._frame(run, kept)

    def kept(self, run_id: str) -> list[KeptFrame]:
        """All kept frames, in order of step.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._state.lock:
            return list(self._run(run_id).history)

    def past(self, run_id: str) -> tuple[TimeSeriesCache, int, list[KeptFrame], dict[str, Any]]:
        """What `/series` and exports read: the run's columns, the version of its history, all kept
        frames, in order of step, and the spans that nobody saw. Safe in any thread.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._state.lock:
            history = self._run(run_id).history
            return history.series, history.version, list(history), history.unseen.plain()

    def index(self, run_id: str) -> dict[str, Any]:
        """Numbers and steps of all kept frames.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._state.lock:
            return run_messages.history(self._run(run_id))

    def changes(self, run_id: str) -> list[dict[str, Any]]:
        """Every live change that took effect, in order, each value of a drag.

        Raises:
            NoSuchRun: the run is over.
        """
        with self._state.lock:
            return [plain_change(change) for change in self._run(run_id).log]

    def status(self) -> dict[str, Any]:
        """Workers, runs, viewers, drops. No ids: knowing one is the right to watch."""
        state = self._state
        with state.lock:
            runs = list(state.runs.values())
            statuses = [run.status for run in runs]
            viewers = [viewer for run in runs for viewer in run.viewers]
            workers = state.workers
            return {
                "uptime_seconds": round(time.monotonic() - state.started_at, 1),
                "workers": [
                    {
                        "number": worker.number, "pid": worker.pid, "ready": worker.ready,
                        "runs": worker.runs, "busy_seconds": round(worker.busy_seconds, 1),
                        "age_seconds": round(time.monotonic() - worker.started_at, 1),
                        "slices": worker.slices, "measurer": worker.measurer,
                    }
                    for worker in (workers.living() if workers else ())
                ],
                "workers_replaced": workers.replaced if workers else 0,
                "worker_deaths": workers.deaths if workers else 0,
                "worker_hangs": workers.hangs if workers else 0,
                "runs_moved": state.moved_runs,
                "runs_ended_by_deaths": state.ended_runs,
                "runs": {status: statuses.count(status) for status in sorted(set(statuses))},
                "runs_started": state.started_runs,
                "viewers": len(viewers),
                "viewers_dropped": state.dropped_viewers,
                "knob_refusals": state.knob_refusals,
                "frames": state.frames,
                "frames_dropped": state.dropped_frames + sum(v.dropped_frames for v in viewers),
                "history_bytes": sum(run.history.size for run in runs),
                "checkpoint_bytes": sum(len(r.checkpoint[1]) for r in runs if r.checkpoint),
            }  # fmt: skip

    def _seen(self, run: Run) -> None:
        """Who looks at a run has changed: it wakes, or is soon not measured any more."""
        now = time.monotonic()
        run.left_at = run.left_at or now  # unless some page is in view
        if run.settle_seen(now, self._state.settings.away_seconds):
            self._state.send_order(run)

    def _run(self, run_id: str) -> Run:
        run = self._state.runs.get(run_id)
        if run is None:
            raise NoSuchRun
        return run

    @staticmethod
    def _frame(run: Run, kept: KeptFrame) -> bytes:
        return compose(run.id, kept.seq, run.standing(), kept.body)


def _notices(run: Run) -> list[server_messages.Message]:
    """Notices that earlier viewers got and that a new one should have too."""
    found = []
    if run.note is not None:
        found.append(server_messages.notice("note", **server_messages.words_of(run.note)))
    if run.slow:
        found.append(server_messages.notice("slow"))
    if run.error is not None:
        found.append(server_messages.notice(run.error_key, **server_messages.words_of(run.error)))
    return found
