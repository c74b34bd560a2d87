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
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.runs.viewer import Viewer
from bnviz.words.phrase import phrase

# Messages about the knobs that viewers are sent in a second.
ANNOUNCEMENTS_PER_SECOND = 15.0
# A drag ends if no value has come for so many seconds.
DRAG_SECONDS = 1.0


def set_knobs(registry: RunRegistry, run: Run, values: dict[str, Any]) -> None:
    """Set knobs; a paused run goes on if one of the values is new. From any thread, with the lock.

    Args:
        registry: of the runs.
        run: whose they are.
        values: by knob; and by action, what it is given. A paused run goes on with an action.

    Raises:
        ConfigError: a knob is not a live one, a value is out of range, or the run's log of changes
            is full.
    """
    config, accepted = _checked(run, values)
    new = config != run.config or not accepted.keys().isdisjoint(ACTIONS)
    run.config = config
    _send(registry, run, PendingChange(accepted, plays=new))
    registry.call_soon(_announce, registry, run)


def change(registry: RunRegistry, run: Run, viewer: Viewer, message: SetKnob | Act) -> None:
    """Set a knob or do an action as a viewer wants it; on the event loop, with the lock.

    Raises:
        ConfigError: as `set_knobs`.
    """
    config, accepted = _checked(run, {message.name: message.value})
    set_by = {viewer: message.n}
    if isinstance(message, Act):
        _send(registry, run, PendingChange(accepted, set_by=set_by))
        return
    plays, run.config = bool(message.drag) or config != run.config, config
    if message.drag and viewer.drag[0] != message.drag:
        run.drags += 1
        viewer.drag = (message.drag, run.drags)
    drag = viewer.drag[1] if message.drag else 0
    _send(registry, run, PendingChange(accepted, drag, set_by, plays))
    if drag:
        run.hand.dragged_until = time.monotonic() + DRAG_SECONDS
        if run.hand.release_timer is None:
            run.hand.release_timer = _later(DRAG_SECONDS, _release_timer_over, registry, run)
    _announce(registry, run)


def _checked(run: Run, values: dict[str, Any]) -> tuple[RunConfig, dict[str, Any]]:
    """The run's config with these values, and the values as the log has them."""
    if not run.history.log.has_room(len(run.pending)):
        made = len(run.log) + len(run.pending)
        raise ConfigError("changes", made, phrase("errors.fewer_changes", most=made))
    return with_change(run.config, values)


def _send(registry: RunRegistry, run: Run, pending: PendingChange) -> None:
    same_drag = pending.drag != 0 and pending.drag == run.hand.last_drag
    run.hand.last_drag = pending.drag
    run.changes_made += 1
    run.pending[run.changes_made] = pending
    registry.send_change(run, run.changes_made)
    # The worker answers `play` with a status for all viewers: once in a drag is enough.
    if pending.plays and not (same_drag and run.playing and run.reason is None):
        registry.play(run)


def _announce(registry: RunRegistry, run: Run) -> None:
    """Send all viewers the knobs, now or when the rate limit allows it."""
    with registry.lock:
        if run.hand.announce_timer is None and _exists(registry, run):
            wait = run.hand.announced_at + 1 / ANNOUNCEMENTS_PER_SECOND - time.monotonic()
            timer = _later(max(0.0, wait), _announce_timer_over, registry, run)
            run.hand.announce_timer = timer


def _announce_timer_over(registry: RunRegistry, run: Run) -> None:
    with registry.lock:
        run.hand.announce_timer, run.hand.announced_at = None, time.monotonic()
        if _exists(registry, run):
            registry.broadcast(run, run_messages.knobs(run))


def _release_timer_over(registry: RunRegistry, run: Run) -> None:
    with registry.lock:
        left, run.hand.release_timer = run.hand.dragged_until - time.monotonic(), None
        if left > 0:
            run.hand.release_timer = _later(left, _release_timer_over, registry, run)
            return
    _announce(registry, run)


def _exists(registry: RunRegistry, run: Run) -> bool:
    """Whether run and hub are still there when a timer is over."""
    return registry.running and run.id in registry.runs


def confirm(pending: PendingChange, step: int) -> None:
    """Tell the viewers who set a value that it took effect at a step; on the event loop."""
    for viewer, n in pending.set_by.items():
        for name, value in pending.values.items():
            kind, field = ("acted", "action") if name in ACTIONS else ("knob", "knob")
            viewer.offer({"type": kind, "n": n, field: name, "value": value, "step": step})


def _later(seconds: float, call: Callable[..., object], *given: Any) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, call, *given)
