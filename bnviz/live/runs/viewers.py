"""Viewers of all runs: they join, leave, and set knobs. Used on the event loop."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection
from operator import attrgetter
from typing import Any, NoReturn

from bnviz.config import ConfigError
from bnviz.device import this_gpu
from bnviz.live import log
from bnviz.live.errors import LimitReached, NotYours
from bnviz.live.protocol.client_messages import Act, BadMessage, SetKnob
from bnviz.live.protocol.server_messages import Message, notice, words_of
from bnviz.live.runs import live_knobs, run_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import Run
from bnviz.live.runs.turns import of_those_with_most
from bnviz.live.runs.versions import changed_versions
from bnviz.live.runs.viewer import Viewer
from bnviz.words.phrase import phrase


class Viewers:
    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry

    def join(
        self, run_id: str, viewer: Viewer, owner: str | None = None, tab: str = "",
        address: str = "",
    ) -> None:  # fmt: skip
        """Add a viewer to a run, and send it `hello` and the newest frame.

        If all places are taken, a viewer that is out of view or silent is dropped. Otherwise the
        address with the most viewers loses a viewer. Within one address, the browser with the most
        viewers loses a viewer. The browser that started a run can always watch it once.

        Raises:
            NoSuchRun: If the run has ended.
            LimitReached: If there are too many viewers.
        """
        registry, settings = self._registry, self._registry.settings
        with registry.held(run_id) as run:
            viewer.browser, viewer.address = owner or address, address
            everybody = [other for each in registry.runs.values() for other in each.viewers]
            own = [other for other in everybody if other.browser == viewer.browser]
            owns = run.owner_is(owner or "")
            for taken, most, limit, key in (
                (own, settings.viewers_per_browser if owner else settings.viewers_per_address,
                 "viewers", "errors.too_many_pages"),
                (run.viewers, settings.viewers_per_run, "viewers_per_run", "errors.run_watched"),
                (everybody, settings.max_viewers, "max_viewers", "errors.too_many_viewers"),
            ):  # fmt: skip
                full = (count := len(taken)) >= most
                if full and not self._make_room(taken, viewer) and not (owns and not own):
                    raise LimitReached(limit, phrase(key, count=count))
            run.viewers.add(viewer)
            viewer.run_id = run_id
            viewer.can_control, viewer.tab = owns, tab
            run.last_watched = time.monotonic()
            self._update_view_state(run)
            registry.wake(run)
            viewer.offer(run_messages.hello(run, registry.queue_place(run)))
            if (coming := registry.shown_by(tab, run)) is not run:
                viewer.offer(run_messages.shown(coming.id))
            for message in _past_notices(run):
                viewer.offer(message)
            if (newest := run.history.newest) is not None:
                viewer.offer_frame(newest.seq, run_messages.frame(run, newest).decode())

    def leave(self, viewer: Viewer) -> None:
        registry = self._registry
        with registry.lock:
            registry.counts["viewers_dropped"] += viewer.dropped
            registry.counts["frames_dropped"] += viewer.dropped_frames
            if run := self._watched_by(viewer):
                run.viewers.discard(viewer)
                run.last_watched = time.monotonic()
                self._update_view_state(run)
                registry.update_wants(run)

    def _watched_by(self, viewer: Viewer) -> Run | None:
        run = self._registry.runs.get(viewer.run_id)
        return run if run is not None and viewer in run.viewers else None

    def _make_room(self, viewers: Collection[Viewer], new: Viewer) -> bool:
        """Drop a viewer to make room for a new one, and return whether that was possible."""
        holders = attrgetter("address"), attrgetter("browser")
        giving = [viewer for viewer in viewers if viewer.may_give_way()]
        giving = giving or of_those_with_most(viewers, new, *holders)
        if not giving:
            return False
        chosen = max(giving, key=lambda viewer: viewer.hidden)
        chosen.drop()
        self.leave(chosen)
        return True

    def hide(self, viewer: Viewer, hidden: bool) -> None:
        with self._registry.lock:
            viewer.hide(hidden)
            if run := self._watched_by(viewer):
                self._update_view_state(run)

    def want(self, viewer: Viewer, probes: Collection[str]) -> None:
        """Set the probes that the open charts of a viewer need."""
        with self._registry.lock:
            if run := self._watched_by(viewer):
                viewer.wants = frozenset(probes)
                self._registry.update_wants(run)

    def change(
        self, viewer: Viewer, message: SetKnob | Act, too_often: ConfigError | None = None
    ) -> None:
        """Set a live knob or perform an action for a viewer, who receives a response later.

        Raises:
            BadMessage: If the message's number is not higher than the viewer's previous number.
            NotYours: If the viewer does not own the run. The viewer has then received a refusal.
        """
        last = viewer.last_knob_number
        if message.n <= last:
            raise BadMessage("n", message.n, phrase("errors.greater", last=last))
        viewer.last_knob_number = message.n
        with self._registry.lock:
            run = self._watched_by(viewer)
            if run is None:
                return  # the viewer is notified that the run has ended
            if not viewer.can_control:
                self._refuse_stranger(run, viewer, message)
            run = self._registry.shown_by(viewer.tab, run)
            n, name = message.n, message.name
            try:
                if too_often is not None:
                    raise too_often
                live_knobs.change(self._registry, run, viewer, message)
            except ConfigError as problem:
                viewer.offer(run_messages.refused(n, name, run, problem))

    def _refuse_stranger(self, run: Run, viewer: Viewer, message: SetKnob | Act) -> NoReturn:
        self._registry.counts["knob_refusals"] += 1
        viewer.refused_knobs += 1
        if viewer.refused_knobs == 1:
            log.event("knob refused", run=run.id)
        problem = ConfigError("owner", None, phrase("errors.owner"))
        refusal = run_messages.refused(message.n, message.name, run, problem)
        why = NotYours()
        viewer.offer({**refusal, **words_of(why)})
        raise why

    def _update_view_state(self, run: Run) -> None:
        """Update whether a page with the run is in view, and notify the worker of a change."""
        now = time.monotonic()
        # `update_view_state` resets this time if a page is in view.
        run.out_of_view_since = run.out_of_view_since or now
        if run.update_view_state(now, self._registry.settings.away_seconds):
            self._registry.send_control(run)

    def status(self) -> dict[str, Any]:
        """Return JSON values for `/status`, without ids, because anyone with an id can watch."""
        registry = self._registry
        with registry.lock:
            runs = list(registry.runs.values())
            viewers = [viewer for run in runs for viewer in run.viewers]
            workers, counts = registry.workers, registry.counts
            overwritten = sum(viewer.dropped_frames for viewer in viewers)
            gpu = this_gpu()
            return {
                "gpu": gpu and gpu.name,
                "host": registry.host_facts(),
                "uptime_seconds": round(time.monotonic() - registry.started_at, 1),
                "workers": [worker.status() for worker in workers.living()],
                "workers_replaced": workers.replaced,
                "worker_deaths": workers.deaths,
                "worker_hangs": workers.hangs,
                "runs": Counter(sorted(run.status for run in runs)),
                "viewers": len(viewers),
                **counts,
                "frames_dropped": counts["frames_dropped"] + overwritten,
                "runs_pinned": len(registry.pinned()),
                "history_bytes": sum(run.history.size for run in runs),
                "checkpoint_bytes": sum(len(run.placement.checkpoint.data) for run in runs),
            }


def _past_notices(run: Run) -> list[Message]:
    """Return the notices to earlier viewers that still apply."""
    found = []
    if run.note is not None:
        found.append(notice("note", **words_of(run.note)))
    if changed := changed_versions(run.versions, run.resolved_device):
        found.append(notice("other_versions", **changed))
    if run.slow:
        found.append(notice("slow"))
    if run.placement.failure is not None:
        found.append(notice(run.placement.notice, **words_of(run.placement.failure)))
    return found
