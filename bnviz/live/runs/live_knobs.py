"""Live changes of knobs, and actions, sent to a run's worker in the order in which they were made.

A browser sends the value of a dragged knob about 30 times per second. `bnviz.live.web.run_socket`
limits the rate.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

from bnviz.actions import ACTIONS
from bnviz.checks import check_size
from bnviz.config import ConfigError, RunConfig, with_change
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.runs import run_messages
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import PendingChange, Run, size_on_worker
from bnviz.live.runs.viewer import Viewer
from bnviz.live.settings import MEGABYTE
from bnviz.words.phrase import phrase

# Maximum number of knob messages per second to the viewers of a run.
ANNOUNCEMENTS_PER_SECOND = 15.0
# Seconds without a new value after which the drag of a knob counts as ended.
DRAG_SECONDS = 1.0


def set_knobs(registry: RunRegistry, run: Run, values: dict[str, Any]) -> None:
    """Set knobs and perform actions. Thread-safe if the registry's lock is held.

    A new value or an action resumes a paused run.

    Raises:
        ConfigError: If a knob is not live, a value is out of range, or the change log is full.
    """
    _set(registry, run, values)
    registry.call_soon(_announce, registry, run)


def change(registry: RunRegistry, run: Run, viewer: Viewer, message: SetKnob | Act) -> None:
    """Set a knob or perform an action for a viewer, as in `set_knobs`, on the event loop."""
    drag, values, set_by = 0, {message.name: message.value}, {viewer: message.n}
    if isinstance(message, Act):
        _set(registry, run, values, set_by=set_by)
        return
    if message.drag:
        if viewer.drag[0] != message.drag:
            run.drags += 1
            viewer.drag = (message.drag, run.drags)
        drag = viewer.drag[1]
    _set(registry, run, values, drag=drag, set_by=set_by)
    if drag:
        run.hand.dragged_until = time.monotonic() + DRAG_SECONDS
    _announce(registry, run)


def _set(
    registry: RunRegistry, run: Run, values: dict[str, Any],
    *, drag: int = 0, set_by: dict[Viewer, int] | None = None,
) -> None:  # fmt: skip
    """Validate values, apply them to the run's config and send them to its worker."""
    if not run.history.log.has_room(len(run.pending)):
        made = len(run.log) + len(run.pending)
        raise ConfigError("changes", made, phrase("errors.fewer_changes", most=made))
    config, accepted = with_change(run.config, values)
    check_size(config, run.resolved_device)
    _check_room(registry, run, config)
    plays = bool(drag) or config != run.config or not accepted.keys().isdisjoint(ACTIONS)
    same_drag = drag != 0 and drag == run.hand.last_drag
    run.config, run.hand.last_drag = config, drag
    run.changes_made += 1
    run.pending[run.changes_made] = PendingChange(accepted, drag, set_by or {})
    registry.send_change(run, run.changes_made)
    # The worker answers `play` with a status for all viewers, so send `play` only once per drag.
    if plays and not (same_drag and run.playing and run.reason is None):
        registry.play(run)
    registry.save(run)


def _check_room(registry: RunRegistry, run: Run, config: RunConfig) -> None:
    """Raise `ConfigError` if a run grows and the other runs on workers leave too little memory."""
    size, others = size_on_worker(config), registry.others_on_workers(run)
    if run.placement.worker is None or size <= run.size or not others:
        return
    most = registry.settings.runs_bytes - sum(other.size for other in others)
    if size > most:
        raise ConfigError(
            "depth × width² × batch_size × networks",
            phrase("errors.megabytes", size=f"{size / MEGABYTE:.0f}"),
            phrase("errors.at_most_megabytes_now", most=f"{max(0, most) / MEGABYTE:.0f}"),
        )


def _announce(registry: RunRegistry, run: Run) -> None:
    """Send the knobs to all viewers, as soon as the rate limit allows."""
    with registry.lock:
        if _exists(registry, run):
            _announce_at(registry, run, run.hand.announced_at + 1 / ANNOUNCEMENTS_PER_SECOND)


def _announce_at(registry: RunRegistry, run: Run, at: float) -> None:
    hand, loop = run.hand, asyncio.get_running_loop()
    if hand.announce_timer is not None:
        hand.announce_timer.cancel()
    wait = max(0.0, at - time.monotonic())
    hand.announce_timer = loop.call_later(wait, _announce_timer_over, registry, run)


def _announce_timer_over(registry: RunRegistry, run: Run) -> None:
    with registry.lock:
        run.hand.announce_timer, run.hand.announced_at = None, time.monotonic()
        if _exists(registry, run):
            registry.broadcast(run, run_messages.knobs(run))
            if run.hand.dragged_until > run.hand.announced_at:
                # Inform viewers when the drag has ended.
                _announce_at(registry, run, run.hand.dragged_until)


def _exists(registry: RunRegistry, run: Run) -> bool:
    return registry.running and run.id in registry.runs


def confirm(pending: PendingChange, step: int) -> None:
    """Send the step at which a value took effect to the viewers who set the value."""
    for viewer, n in pending.set_by.items():
        for name, value in pending.values.items():
            kind, field = ("acted", "action") if name in ACTIONS else ("knob", "knob")
            viewer.offer({"type": kind, "n": n, field: name, "value": value, "step": step})
