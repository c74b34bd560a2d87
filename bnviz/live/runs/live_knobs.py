"""Live changes on their way from scripts and sockets to a run's worker, in one order.

A script's change goes at once; values from sockets go at most thirty a second, the newest of each
knob, and the last one always does. Called with the state's lock held.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

from bnviz.config import ConfigError, RunConfig, check_live
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import SetKnob
from bnviz.live.runs import run_messages
from bnviz.live.runs.history import MOST_CHANGES
from bnviz.live.runs.registry import RunRegistry
from bnviz.live.runs.run import PendingChange, Run
from bnviz.live.runs.viewer import Viewer
from bnviz.words.phrase import phrase

# Values a second that a run's worker gets from sockets.
VALUES_PER_SECOND = 30.0
# Messages a second that tell those who watch how the knobs move.
ANNOUNCEMENTS_PER_SECOND = 15.0
# A drag of which no value has come for so long is over.
DRAG_SECONDS = 1.0


class LiveKnobs:
    """Accepts values and passes them on."""

    def __init__(self, state: RunRegistry) -> None:
        self._state = state

    def set(self, run: Run, values: dict[str, Any]) -> None:
        """Change knobs at once, from any thread; a paused run goes on, if that changes any.

        Raises:
            ConfigError: a knob may not change while a run is going, is out of range, or the run's
                log of changes is full.
        """
        config = self._checked(run, values)
        # Values that came earlier take effect earlier.
        while run.knob_queue.waiting:
            self._pass_next(run)
        moves, run.config = config != run.config, config
        taken = {name: getattr(config, name) for name in values}
        self._pass_on(run, PendingChange(taken, moves=moves))
        self._state.call_soon(self._announce, run)

    def turn(self, run: Run, viewer: Viewer, said: SetKnob) -> None:
        """Take a value that a viewer has set; on the event loop.

        Raises:
            ConfigError: as `set`.
        """
        config = self._checked(run, {said.knob: said.value})
        moves, run.config = bool(said.drag) or config != run.config, config
        before = run.knob_queue.waiting.pop(said.knob, PendingChange({}, moves=False))
        run.knob_queue.waiting[said.knob] = PendingChange(
            {said.knob: getattr(run.config, said.knob)}, _drag(run, viewer, said.drag),
            {**before.set_by, viewer: said.n}, before.moves or moves,
        )  # fmt: skip
        if said.drag:
            self._hold(run)
        self._send_waiting(run)
        self._announce(run)

    def _checked(self, run: Run, values: dict[str, Any]) -> RunConfig:
        check_live(values)
        waiting = len(run.pending) + len(run.knob_queue.waiting)
        made = len(run.log) + waiting
        if made >= MOST_CHANGES or not run.history.has_room_for_change(waiting):
            most = min(made, MOST_CHANGES)
            raise ConfigError("changes", made, phrase("errors.fewer_changes", most=most))
        return run.config.replace(**values)

    def _send_waiting(self, run: Run) -> None:
        """Pass the next value on if its time has come, and see to the others."""
        queue, now = run.knob_queue, time.monotonic()
        if queue.send_timer is not None:
            return
        if queue.waiting and now >= queue.send_at:
            self._pass_next(run)
            queue.send_at = now + 1 / VALUES_PER_SECOND
        if queue.waiting:
            queue.send_timer = _later(queue.send_at - now, self._sending_due, run)

    def _sending_due(self, run: Run) -> None:
        with self._state.lock:
            run.knob_queue.send_timer = None
            if self._goes_on(run):
                self._send_waiting(run)

    def _pass_next(self, run: Run) -> None:
        knob = next(iter(run.knob_queue.waiting))
        self._pass_on(run, run.knob_queue.waiting.pop(knob))

    def _pass_on(self, run: Run, pending: PendingChange) -> None:
        goes_on = pending.drag != 0 and pending.drag == run.knob_queue.last_drag_sent
        run.knob_queue.last_drag_sent = pending.drag
        run.changes_made += 1
        run.pending[run.changes_made] = pending
        self._state.send(
            run, "change", number=run.changes_made, values=pending.values, drag=pending.drag
        )
        # The worker's answer sends a status to all viewers: once in a drag is enough.
        if pending.moves and not (goes_on and run.playing and run.reason is None):
            self._state.play(run)

    # What viewers are told.

    def _announce(self, run: Run) -> None:
        """Tell all viewers of the knobs, now or a little later, but always of the last value."""
        with self._state.lock:
            queue = run.knob_queue
            if queue.announce_timer is None and self._goes_on(run):
                wait = queue.announced_at + 1 / ANNOUNCEMENTS_PER_SECOND - time.monotonic()
                queue.announce_timer = _later(max(0.0, wait), self._send_knobs, run)

    def _send_knobs(self, run: Run) -> None:
        with self._state.lock:
            run.knob_queue.announce_timer, run.knob_queue.announced_at = None, time.monotonic()
            if self._goes_on(run):
                self._state.tell(run, run_messages.knobs(run))

    def _hold(self, run: Run) -> None:
        queue = run.knob_queue
        queue.dragged_until = time.monotonic() + DRAG_SECONDS
        if queue.release_timer is None:
            queue.release_timer = _later(DRAG_SECONDS, self._release, run)

    def _release(self, run: Run) -> None:
        with self._state.lock:
            queue = run.knob_queue
            left = queue.dragged_until - time.monotonic()
            queue.release_timer = _later(left, self._release, run) if left > 0 else None
        if left <= 0:
            self._announce(run)

    def _goes_on(self, run: Run) -> bool:
        """Whether run and hub are still there when a timer is over."""
        return self._state.workers is not None and run.id in self._state.runs


def confirm(pending: PendingChange, step: int) -> None:
    """Tell the viewers who set a value that it took effect; on the event loop."""
    for viewer, n in pending.set_by.items():
        for knob, value in pending.values.items():
            viewer.offer(server_messages.knob_set(n, knob, value, step))


def _drag(run: Run, viewer: Viewer, number: int) -> int:
    """The run's number for a drag of one browser."""
    if number == 0:
        return 0
    if viewer.drag[0] != number:
        run.drags += 1
        viewer.drag = (number, run.drags)
    return viewer.drag[1]


def _later(seconds: float, call: Callable[..., object], run: Run) -> asyncio.TimerHandle:
    return asyncio.get_running_loop().call_later(seconds, call, run)
