"""What the hub's parts share: the runs, the workers, one lock, the way onto the event loop.

Scripts call from their own threads; pipes and sockets belong to the event loop. State is changed
under the lock, which is held for microseconds; whatever touches a pipe or a socket is put on the
loop in order.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from typing import Any

from bnviz.live import log
from bnviz.live.errors import HubNotRunning
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.frames import plain_change
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.protocol.server_messages import Message
from bnviz.live.protocol.wire import WireError
from bnviz.live.runs import run_messages
from bnviz.live.runs.run import Run, idle_since
from bnviz.live.runs.worker_process import Death, OnMessage
from bnviz.live.runs.workers import Workers, least_to_do, next_move
from bnviz.live.settings import Settings
from bnviz.probes import PROBES

# A fork begins without its parent's checkpoint if that has not come by then.
CHECKPOINT_PATIENCE = 1.0


class RunRegistry:
    """Runs and workers. Every method expects the lock to be held, but for those of the loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self.runs: dict[str, Run] = {}
        self.workers: Workers | None = None
        self.started_at = time.monotonic()
        self.started_runs = self.frames = self.dropped_viewers = self.dropped_frames = 0
        self.moved_runs = self.ended_runs = 0
        self.knob_refusals = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._on_death: Callable[[Death], None] | None = None

    def open(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Start the workers; called on the event loop.

        Args:
            on_message: takes the messages of the workers.
            on_death: called, with the lock held, when a worker has died.
        """
        self._on_death = on_death
        self._loop = asyncio.get_running_loop()
        settings, places = self.settings, range(self.settings.worker_count)
        self.workers = Workers(settings, places, on_message, self._worker_started, self.worker_died)
        self.workers.start()

    async def close(self) -> None:
        """End the workers and let every viewer go."""
        workers, self.workers = self.workers, None
        with self.lock:
            for run in self.runs.values():
                for viewer in run.viewers:
                    viewer.finish()
        if workers is not None:
            await workers.stop()
        self._loop = None

    def call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Call on the event loop, after everything asked for before.

        Raises:
            HubNotRunning: the loop is gone.
        """
        if self._loop is None:
            raise HubNotRunning
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            raise HubNotRunning from None

    # To workers.

    def send(self, run: Run, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Tell a run's worker something."""
        if run.worker is not None:
            header = {"type": kind, "run": run.id, "generation": run.generation, **facts}
            self.call_soon(self._send, run.worker, header, payload)

    def _send(self, worker: int, header: dict[str, Any], payload: bytes) -> None:
        if self.workers is None:
            return
        try:
            self.workers.send(worker, header, payload)
        except WireError as problem:
            with self.lock:
                run = self.runs.get(header["run"])
                if run is not None and run.generation == header["generation"]:
                    self.fail(run, str(problem))

    def send_order(self, run: Run) -> None:
        """Tell the worker whether to play, and at which pace."""
        run.order += 1
        self.send(
            run, "control", order=run.order, playing=run.playing and run.awake, awake=run.awake,
            seen=run.seen, pace=run.pace,
        )  # fmt: skip

    def play(self, run: Run) -> None:
        """Let a run go on, unless it is finished."""
        if run.reason == "limit":
            return
        run.playing, run.reason = True, None
        self.send_order(run)

    def settle_wants(self, run: Run) -> None:
        """Tell the worker which probes the charts of all who watch draw, and the run's plan needs,
        if that has changed.
        """
        needed = run.plan.probes if run.plan else ()
        wanted = frozenset(needed).union(*(viewer.wants for viewer in run.viewers))
        wants = tuple(name for name in PROBES if name in wanted)
        if wants != run.wants:
            run.wants = wants
            self.send(run, "want", probes=wants)

    def start_on_worker(self, run: Run) -> None:
        """Send a run to its worker, with all that is needed to go on where it is."""
        run.generation += 1
        run.awaits_checkpoint = False
        run.history.restart_backfill()
        step, checkpoint = run.checkpoint or (0, b"")
        self.send(
            run, "start", checkpoint,
            config=run.initial_config.model_dump(), log=[plain_change(c) for c in run.log],
            catch_up_to=run.catch_up_to, checkpoint_step=step, parent=run.parent,
            pace=run.pace, playing=run.playing and run.awake, awake=run.awake, seen=run.seen,
            order=run.order,
            wants=run.wants, origin=run.origin, pause_at=run.pause_at,
            plan=plain_plan(run.plan), planned=run.planned, reached=run.reached_at is not None,
            max_steps=self.settings.max_steps,
            checkpoint_bytes=self.settings.checkpoint_bytes,
            checkpoint_seconds=self.settings.checkpoint_seconds,
        )  # fmt: skip
        for number, pending in run.pending.items():
            self.send(run, "change", number=number, values=pending.values, drag=pending.drag)
        if run.searched and run.best is None:
            self.search(run)

    def search(self, run: Run) -> None:
        """Have the best rate of each network looked for; what was found before is forgotten."""
        run.searched, run.searching, run.best = True, 0.0, None
        self.send(run, "best")
        self.tell(run, run_messages.searching(run))

    def place(self, run: Run) -> None:
        """Choose the worker with the least to do, and start a run on it."""
        assert self.workers is not None
        run.worker = least_to_do(self.runs.values(), self.workers)
        run.last_watched = time.monotonic()
        parent = self.runs.get(run.parent or "")
        if parent is None or parent.worker in (None, run.worker) or parent.error is not None:
            self.start_on_worker(run)
            return
        # Its parent's worker keeps checkpoints that are nearer than the one here.
        run.awaits_checkpoint = True
        self.send(parent, "checkpoint_wanted", fork=run.id, step=run.catch_up_to)
        self.call_soon(self._limit_wait, run)

    def _limit_wait(self, fork: Run) -> None:
        assert self._loop is not None
        self._loop.call_later(CHECKPOINT_PATIENCE, self.begin_fork, fork)

    def begin_fork(self, fork: Run) -> None:
        """Start a fork that waits, with the checkpoint that there is."""
        with self.lock:
            if fork.awaits_checkpoint and fork.id in self.runs:
                self.start_on_worker(fork)

    def rebalance(self) -> None:
        """Move one run from a worker that has many more to do than another."""
        assert self.workers is not None
        move = next_move(self.runs.values(), self.workers, time.monotonic())
        if move is None:
            return
        run, place = move
        log.event("run moved", run=run.id, worker=run.worker, to=place)
        self.send(run, "end")
        # Messages of its old worker that were not read yet will be dropped. The changes that they
        # confirm are still pending here and go to the new worker.
        run.worker, run.moved_at = place, time.monotonic()
        run.catch_up()
        self.moved_runs += 1
        self.start_on_worker(run)

    def _worker_started(self, number: int) -> None:
        """A worker process takes messages now: start the runs of its place on it."""
        with self.lock:
            for run in [run for run in self.runs.values() if run.worker == number]:
                if run.error is None and not run.awaits_checkpoint:
                    with log.guarded("run not started", run=run.id):
                        self.start_on_worker(run)

    def worker_died(self, death: Death) -> None:
        """A process has ended without being told to: take up what it had elsewhere."""
        with self.lock:
            if self._on_death is not None:
                self._on_death(death)

    def fail(self, run: Run, problem: str, key: str = "error") -> None:
        """End a run for a reason that its viewers are told.

        Args:
            run: it stays to be looked at; only a reset starts it anew.
            problem: the reason, for scripts and the log.
            key: the notice that says so.
        """
        run.error, run.error_key, run.playing, run.searching = problem, key, False, None
        log.event("run failed", run=run.id, problem=problem)
        self.tell_status(run)
        self.tell(run, run_messages.searching(run))
        self.tell(run, server_messages.notice(key, **server_messages.words_of(problem)))

    # To viewers.

    def tell(self, run: Run, message: Message) -> None:
        """Send a message to everybody who watches a run."""
        self.call_soon(self._offer, run, message)

    def tell_status(self, run: Run) -> None:
        """Send a run's status to everybody who watches it."""
        self.tell(run, run_messages.status(run, self.queue_place(run)))

    def _offer(self, run: Run, message: Message) -> None:
        for viewer in run.viewers:
            viewer.offer(message)

    # The queue.

    def queue(self) -> list[Run]:
        """Runs that wait for a place, the first first."""
        return [run for run in self.runs.values() if run.status == "queued"]

    def queue_place(self, run: Run) -> int | None:
        """1 for the next run to get a place; None for one that has it."""
        return self.queue().index(run) + 1 if run.status == "queued" else None

    def has_room(self) -> bool:
        """Whether one more run gets a place, if need be that of a run that nobody watches."""
        placed = [run for run in self.runs.values() if run.worker is not None]
        return len(placed) < self.settings.max_runs or self._dispensable() is not None

    def _dispensable(self) -> Run | None:
        """The placed run to end first, of those that nobody watches."""
        idle = [
            run for run in self.runs.values()
            if run.worker is not None and not run.viewers
            and (run.ends_at is not None or not run.awake)
        ]  # fmt: skip
        return min(idle, key=idle_since, default=None)

    def admit(self) -> None:
        """Place runs from the queue while there is room."""
        waiting = self.queue()
        while waiting and self.has_room():
            placed = sum(run.worker is not None for run in self.runs.values())
            if placed >= self.settings.max_runs and (gone := self._dispensable()) is not None:
                self._forget(gone, "made room")
            run = waiting.pop(0)
            self.place(run)
            self.tell_status(run)
            for behind in waiting:
                self.tell_status(behind)

    def end(self, run: Run, why: str) -> None:
        """Forget a run, and tell its viewers; the next in the queue gets its place."""
        self._forget(run, why)
        self.admit()

    def _forget(self, run: Run, why: str) -> None:
        if self.runs.pop(run.id, None) is None:
            return
        log.event("run ended", run=run.id, why=why, step=run.step)
        self.send(run, "end")
        self.tell(run, server_messages.notice("expired"))
        for viewer in run.viewers:
            self.call_soon(viewer.finish)
