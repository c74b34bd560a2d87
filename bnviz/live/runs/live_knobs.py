"""Live knobs: values that scripts and sockets set, on their way to the run's worker in one order.

A browser sends the newest value of a knob some thirty times a second; its socket takes no more than
`bnviz.live.web.run_socket` allows. Actions go the same way in the same order.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bnviz.actions import ACTIONS
from bnviz.config import ConfigError, RunConfig, with_change
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.runs import run_messages
from bnviz.live.runs.history import MOST_CHANGES
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.runs.viewer import Viewer
from bnviz.words.phrase import phrase

# Messages about the knobs that viewers are sent in a second.
ANNOUNCEMENTS_PER_SECOND = 15.0
# A drag ends if no value has come for so many seconds.
DRAG_SECONDS = 1.0


class LiveKnobs:
    """Checks values and sends them to workers. The registry's lock is held in all public methods.

    Args:
        registry: of the runs.
    """

    def __init__(self, registry: RunRegistry) -> None:
        self._registry = registry

    def set_knobs(self, run: Run, values: dict[str, Any]) -> None:
        """Set knobs; a paused run goes on if one of the values is new. From any thread.

        Args:
            run: whose they are.
            values: by knob; and by action, what it is given. A paused run goes on with an action.

        Raises:
            ConfigError: a knob is not a live one, a value is out of range, or the run's log of
                changes is full.
        """
        config, accepted = self._checked(run, values)
        new = config != run.config or not accepted.keys().isdisjoint(ACTIONS)
        run.config = config
        self._send(run, PendingChange(accepted, plays=new))
        self._registry.call_soon(self._announce, run)

    def change(self, run: Run, viewer: Viewer, message: SetKnob | Act) -> None:
        """Set a knob or do an action as a viewer wants it; on the event loop.

        Raises:
            ConfigError: as `set_knobs`.
        """
        config, accepted = self._checked(run, {message.name: message.value})
        set_by = {viewer: message.n}
        if isinstance(message, Act):
            self._send(run, PendingChange(accepted, set_by=set_by))
            return
        plays, run.config = bool(message.drag) or config != run.config, config
        drag = _run_drag(run, viewer, message.drag)
        self._send(run, PendingChange(accepted, drag, set_by, plays))
        if message.drag:
            self._extend_drag(run)
        self._announce(run)

    def _checked(self, run: Run, values: dict[str, Any]) -> tuple[RunConfig, dict[str, Any]]:
        """The run's config with these values, and the values as the log has them."""
        made = len(run.log) + len(run.pending)
        if made >= MOST_CHANGES or not run.history.log.has_room(len(run.pending)):
            most = min(made, MOST_CHANGES)
            raise ConfigError("changes", made, phrase("errors.fewer_changes", most=most))
        return with_change(run.config, values)

    def _send(self, run: Run, pending: PendingChange) -> None:
        same_drag = pending.drag != 0 and pending.drag == run.hand.last_drag
        run.hand.last_drag = pending.drag
        run.changes_made += 1
        run.pending[run.changes_made] = pending
        self._registry.send(
            run, "set_knobs", number=run.changes_made, values=pending.values, drag=pending.drag
        )
        # The worker answers `play` with a status for all viewers: once in a drag is enough.
        if pending.plays and not (same_drag and run.playing and run.reason is None):
            self._registry.play(run)

    # To viewers.

    def _announce(self, run: Run) -> None:
        """Send all viewers the knobs, now or when the rate limit allows it."""
        with self._registry.lock:
            hand = run.hand
            if hand.announce_timer is None and self._exists(run):
                wait = hand.announced_at + 1 / ANNOUNCEMENTS_PER_SECOND - time.monotonic()
                hand.announce_timer = _later(max(0.0, wait), self._announce_timer_over, run)

    def _announce_timer_over(self, run: Run) -> None:
        with self._registry.lock:
            run.hand.announce_timer, run.hand.announced_at = None, time.monotonic()
            if self._exists(run):
                self._registry.broadcast(run, run_messages.knobs(run))

    def _extend_drag(self, run: Run) -> None:
        hand = run.hand
        hand.dragged_until = time.monotonic() + DRAG_SECONDS
        if hand.release_timer is None:
            hand.release_timer = _later(DRAG_SECONDS, self._release_timer_over, run)

    def _release_timer_over(self, run: Run) -> None:
        with self._registry.lock:
            hand = run.hand
            left = hand.dragged_until - time.monotonic()
            hand.release_timer = _later(left, self._release_timer_over, run) if left > 0 else None
        if left <= 0:
            self._announce(run)

    def _exists(self, run: Run) -> bool:
        """Whether run and hub are still there when a timer is over."""
        return self._registry.running and run.id in self._registry.runs


def confirm(pending: PendingChange, step: int) -> None:
    """Tell the viewers who set a value that it took effect at a step; on the event loop."""
    for viewer, n in pending.set_by.items():
        for name, value in pending.values.items():
            kind, field = ("acted", "action") if name in ACTIONS else ("knob", "knob")
            viewer.offer({"type": kind, "n": n, field: name, "value": value, "step": step})


def _run_drag(run: Run, viewer: Viewer, number: int) -> int:
    """The run's number for a drag that has this number in its browser; 0 stays 0."""
    if number == 0:
        return 0
    if viewer.drag[0] != number:
        run.drags += 1
        viewer.drag = (number, run.drags)
    return viewer.drag[1]


def _later(seconds: float, call: Callable[..., object], run: Run) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, call, run)
