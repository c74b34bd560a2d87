"""Registry of all runs and workers, shared by the parts of the hub under one lock.

Scripts call the hub from their own threads, but pipes and sockets belong to the event loop. So runs
are changed with the lock held, and calls that use a pipe or socket are scheduled on the loop in
order.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from bnviz import device
from bnviz.change_log import plain_change
from bnviz.host import this_host
from bnviz.live import log
from bnviz.live.errors import HubNotRunning, NoSuchRun
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.pace import plain_plan
from bnviz.live.protocol.server_messages import Message
from bnviz.live.protocol.wire import Header, WireError
from bnviz.live.runs import run_messages
from bnviz.live.runs.run import Run, idle_since
from bnviz.live.runs.turns import in_turns, of_those_with_most
from bnviz.live.runs.worker_process import Death, OnMessage
from bnviz.live.runs.workers import Workers, least_loaded, next_move
from bnviz.live.settings import Settings
from bnviz.probes import PROBES
from bnviz.words.phrase import PhraseText, phrase

# Timeout in seconds for finding the GPU. Importing torch takes seconds, or longer on a busy
# machine.
GPU_SECONDS = 60.0
# Seconds for which a fork waits for a checkpoint from its parent's worker.
CHECKPOINT_PATIENCE = 1.0
# Names of the counters over all runs.
COUNTS = (
    "runs_moved", "runs_ended_by_deaths", "runs_started", "viewers_dropped", "knob_refusals",
    "frames", "frames_dropped",
)  # fmt: skip


class RunRegistry:
    """Runs and workers. All methods except `open`, `close`, `call_soon` and `held` need the lock.

    Attributes:
        save: Function that queues a run for saving, after a live change was made or confirmed.
        starts: Owner -> recent start times of runs and maps, in monotonic seconds.
        counts: Counters for `/status`. "viewers_dropped" counts viewers that were silent for too
            long, "frames_dropped" counts frames replaced before a viewer received them, and
            "knob_refusals" counts messages from browsers that do not own the run.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self.runs: dict[str, Run] = {}
        self.host = this_host()
        count, self.workers_limited_by = settings.workers_on(self.host)
        gpu = count if device.driver_present(os.environ) else None
        self.workers = Workers(settings, range(count), gpu)
        self.running = False
        self.started_at = time.monotonic()
        self.counts = dict.fromkeys(COUNTS, 0)
        self.starts: dict[str, deque[float]] = {}
        self.save: Callable[[Run], None] = lambda run: None
        self._shown: dict[str, str] = {}
        self._gpu_known = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def host_facts(self) -> dict[str, Any]:
        """Return the host's cores and bytes, what limits the workers, and the places for runs."""
        host = self.host
        return {
            "cores": host.cores, "bytes": None if math.isinf(host.memory) else int(host.memory),
            "workers": len(self.workers.worker_indices("cpu")),
            "workers_limited_by": self.workers_limited_by, "places": self.settings.max_runs,
        }  # fmt: skip

    def open(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Start the workers, with callbacks for messages and deaths. Call on the event loop."""
        self._loop = asyncio.get_running_loop()
        self.running = True
        self.workers.start(on_message, self._worker_started, on_death)

    async def close(self) -> None:
        self.running = False
        with self.lock:
            for run in self.runs.values():
                for viewer in run.viewers:
                    viewer.finish()
        await self.workers.stop()
        self._loop = None

    async def wait_for_gpu(self) -> None:
        """Wait until a worker has found out whether torch can use a GPU.

        The device and size limit of a run must not depend on when the run starts.
        """
        if self.workers.has_gpu:
            try:
                await asyncio.wait_for(self._gpu_known.wait(), GPU_SECONDS)
            except TimeoutError:
                log.event("gpu search timed out", seconds=GPU_SECONDS)
                self.take_gpu(None)

    def take_gpu(self, facts: Header | None) -> None:
        """Record the GPU that a worker found, or None if torch cannot use a GPU. Call on the event
        loop.
        """
        device.tell(None if facts is None else device.Gpu(**facts))
        self._gpu_known.set()
        log.event("gpu", **(facts or {"name": None}))
        if facts is None:
            self.workers.give_up_gpu()
            with self.lock:
                for run in self.runs.values():
                    if run.resolved_device == "cuda" and run.placement.state != "failed":
                        self.fail(run, PhraseText(phrase("errors.no_cuda")))

    def call_soon(self, call: Callable[..., object], *arguments: Any) -> None:
        """Schedule a call on the event loop, in order. Thread-safe.

        Raises:
            HubNotRunning: If the event loop has not started or is closed.
        """
        if self._loop is None:
            raise HubNotRunning
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            raise HubNotRunning from None

    @contextmanager
    def held(self, run_id: str) -> Iterator[Run]:
        """Hold the lock while working on a run, or raise `NoSuchRun`."""
        with self.lock:
            if run_id not in self.runs:
                raise NoSuchRun
            yield self.runs[run_id]

    # Messages to workers.

    def send(self, run: Run, kind: str, payload: bytes = b"", **facts: Any) -> None:
        placement = run.placement
        if placement.worker is not None:
            header = {"type": kind, "run": run.id, "generation": placement.generation, **facts}
            self.call_soon(self._send, placement.worker, header, payload)

    def _send(self, worker: int, header: Header, payload: bytes) -> None:
        try:
            self.workers.send(worker, header, payload)
        except WireError as problem:
            with self.lock:
                run = self.runs.get(header["run"])
                if run is not None and run.placement.generation == header["generation"]:
                    self.fail(run, str(problem))

    def send_control(self, run: Run) -> None:
        """Send the worker the run's pace, whether the run plays, and whether to measure it."""
        run.command_number += 1
        self.send(run, "control", **self._control_header(run))

    @staticmethod
    def _control_header(run: Run) -> Header:
        return {
            "command_number": run.command_number, "playing": run.playing and run.attended,
            "attended": run.attended,
            "frames_wanted": run.frames_wanted, "in_view": run.in_view, "pace": run.pace,
        }  # fmt: skip

    def play(self, run: Run) -> None:
        if run.reason == "limit":
            return
        run.playing, run.reason = True, None
        self.send_control(run)

    def update_wants(self, run: Run) -> None:
        """Send the worker the probes that viewers and the run's plan need, if they have changed."""
        needed = run.plan.probes if run.plan else ()
        wanted = frozenset(needed).union(*(viewer.wants for viewer in run.viewers))
        wants = tuple(name for name in PROBES if name in wanted)
        if wants != run.wants:
            run.wants = wants
            self.send(run, "want", probes=wants)

    def start_on_worker(self, run: Run) -> None:
        """Send a run to its worker, if any, so that the run continues at its newest step.

        The message contains the checkpoint and all live changes, including unconfirmed ones.
        """
        placement = run.placement
        if placement.worker is None:
            return
        if placement.worker not in self.workers.worker_indices(run.resolved_device):
            # The run was reset with knobs that require another device.
            self.send(run, "end")
            placement.move(self._worker_for(run))
        placement.start(run.newest_step)
        run.history.restart_backfill()
        checkpoint = placement.checkpoint
        self.send(
            run, "start", checkpoint.data,
            config=run.initial_config.model_dump(), log=[plain_change(c) for c in run.log],
            catch_up_to=placement.arrives_at, checkpoint_step=checkpoint.step,
            parent=placement.parent, forked_at=placement.forked_at,
            **self._control_header(run), wants=run.wants, origin=run.origin, pause_at=run.pause_at,
            plan=plain_plan(run.plan), planned=run.planned,
            max_steps=self.settings.max_steps,
            checkpoint_bytes=self.settings.checkpoint_bytes,
            checkpoint_seconds=self.settings.checkpoint_seconds,
        )  # fmt: skip
        if run.restored_at and (steps := run.history.discarded(run.restored_at)):
            self.send(run, "replay", steps=steps)
        for number in run.pending:
            self.send_change(run, number)
        if run.searched and run.best is None:
            self.search_best_rates(run)

    def send_change(self, run: Run, number: int) -> None:
        pending = run.pending[number]
        self.send(run, "set_knobs", number=number, values=pending.values, drag=pending.drag)

    def search_best_rates(self, run: Run) -> None:
        run.searched, run.searching, run.best = True, 0.0, None
        self.send(run, "best")
        self.broadcast(run, run_messages.searching(run))

    # Assignment of runs to workers.

    def assign_worker(self, run: Run) -> None:
        """Start a run on the least loaded worker."""
        run.placement.assign(self._worker_for(run))
        run.last_watched = time.monotonic()
        parent = self.runs.get(run.placement.parent or "")
        # If the parent runs on another worker, that worker may have a later checkpoint for the fork
        # than the hub, unless the parent was reset with other knobs.
        if (
            parent is None
            or parent.placement.state != "placed"
            or parent.placement.worker == run.placement.worker
            or parent.initial_config != run.initial_config
        ):
            self.start_on_worker(run)
            return
        run.placement.wait()
        self.send(parent, "checkpoint_wanted", fork=run.id, step=run.placement.forked_at)
        self.call_soon(
            lambda: asyncio.get_running_loop().call_later(CHECKPOINT_PATIENCE, self.start_fork, run)
        )

    def _worker_for(self, run: Run) -> int:
        return least_loaded(self.runs.values(), self.workers, run.resolved_device)

    def start_fork(self, fork: Run) -> None:
        """Start a fork that still waits for a checkpoint. This acquires the lock."""
        with self.lock:
            if fork.placement.state == "waiting" and fork.id in self.runs:
                self.start_on_worker(fork)

    def rebalance(self) -> None:
        move = next_move(self.runs.values(), self.workers, time.monotonic())
        if move is not None:
            self.move(*move)

    def move(self, run: Run, to: int) -> None:
        log.event("run moved", run=run.id, worker=run.placement.worker, to=to)
        self.send(run, "end")
        # Unread messages from the run's old worker will be dropped. The changes that they confirm
        # are still pending here, so they are sent to the new worker.
        run.placement.move(to, time.monotonic())
        self.counts["runs_moved"] += 1
        self.start_on_worker(run)

    def _worker_started(self, number: int) -> None:
        """Start the runs of a worker on its new process, which receives messages from now on."""
        with self.lock:
            for run in [*self.runs.values()]:
                if run.placement.worker == number and run.placement.state == "placed":
                    with log.guarded("run not started", run=run.id):
                        self.start_on_worker(run)

    def fail(self, run: Run, problem: str, key: str = "error") -> None:
        """Mark a run as failed and notify its viewers. `key` is the text key of the notice."""
        run.placement.fail(problem, key)
        run.playing, run.searching = False, None
        log.event("run failed", run=run.id, problem=problem)
        for pending in run.drop_unconfirmed():
            self.call_soon(run_messages.drop_change, pending, "failed")
        self.broadcast(run, run_messages.knobs(run))
        self.broadcast_status(run)
        self.broadcast(run, run_messages.searching(run))
        self.broadcast(run, server_messages.notice(key, **server_messages.words_of(problem)))

    # Runs shown in tabs.

    def show(self, tab: str, run_id: str) -> None:
        if tab and run_id in self.runs:
            self._shown[tab] = run_id
            for run in self.runs.values():
                for viewer in run.viewers:
                    if viewer.tab == tab:
                        self.call_soon(viewer.offer, run_messages.shown(run_id))

    def shown_by(self, tab: str, run: Run) -> Run:
        """Return the run that receives the knobs set on a tab's page.

        A script starts the next run before the page shows it. In the meantime, a moved knob belongs
        to the next run.
        """
        coming = self.runs.get(self._shown.get(tab, run.id), run)
        return coming if coming.owner == run.owner else run

    # Pinned runs.

    def pinned(self, owner: str | None = None) -> list[Run]:
        """Return the pinned runs of one owner, or all pinned runs."""
        runs = (run for run in self.runs.values() if run.pinned_until is not None)
        return [run for run in runs if owner is None or run.owner_is(owner)]

    def pinned_size(self, run: Run) -> int:
        """Return the maximum size of a pinned run in bytes: a full history and a checkpoint."""
        # Without a checkpoint, use the size of the whole run, which is an upper bound.
        most = min(self.settings.checkpoint_bytes, int(run.config.bytes_per_run()))
        kept = len(run.placement.checkpoint.data) or most
        return max(self.settings.history_bytes, run.history.size) + kept

    def rest(self, run: Run) -> None:
        """Take an unwatched pinned run off its worker, but keep its history, log and checkpoint."""
        self._take_off(run)
        run.attended = False

    def _take_off(self, run: Run) -> None:
        log.event("run taken off its worker", run=run.id, step=run.step)
        self.send(run, "end")
        run.placement.rest()

    def wake(self, run: Run) -> None:
        """Queue a run that was taken off its worker, so that it continues when there is room."""
        if run.placement.state == "resting":
            run.placement.wake()
            run.ends_at = None
            self.admit()

    # Messages to viewers.

    def broadcast(self, run: Run, message: Message) -> None:
        self.call_soon(self._offer, run, message)

    def broadcast_status(self, run: Run) -> None:
        self.broadcast(run, run_messages.status(run, self.queue_place(run)))

    def _offer(self, run: Run, message: Message) -> None:
        for viewer in run.viewers:
            viewer.offer(message)

    # The queue.

    def queue(self) -> list[Run]:
        """Return the queued runs in the order in which they will get a worker.

        The next run is from the address with the fewest runs on workers and, within it, from the
        browser with the fewest. If several runs qualify, the oldest is next.
        """
        waiting = [run for run in self.runs.values() if run.placement.state == "queued"]
        for holder in (attrgetter("owner"), attrgetter("address")):
            waiting = in_turns(waiting, self._placed(), holder)
        return waiting

    def _placed(self) -> list[Run]:
        return [run for run in self.runs.values() if run.placement.worker is not None]

    def queue_place(self, run: Run) -> int | None:
        """Return the place of a run in the queue (1 is next), or None if it is not queued."""
        return self.queue().index(run) + 1 if run.placement.state == "queued" else None

    def has_room(self, size: float) -> bool:
        """Return whether a run of this size can get a worker, possibly after unwatched runs end."""
        idle = {run.id for run in self._dispensable()}
        return self.fits(size, [run for run in self._placed() if run.id not in idle])

    def fits(self, size: float, others: Collection[Run]) -> bool:
        """Return whether there is a place and memory for a run beside the other runs on workers."""
        used = sum(run.size for run in others)
        return not others or (
            len(others) < self.settings.max_runs and used + size <= self.settings.runs_bytes
        )

    def others_on_workers(self, run: Run) -> list[Run]:
        return [other for other in self._placed() if other is not run]

    def _dispensable(self) -> list[Run]:
        """Return the runs that should give up their places, in this order.

        Their tabs must show another run, or nobody must have watched them for `grace_seconds`.
        Within that time, the page of a new run can load.
        """
        left_before = time.monotonic() - self.settings.grace_seconds
        idle = [
            run for run in self._placed()
            if not run.viewers and (run.ends_at is not None or run.last_watched <= left_before)
        ]  # fmt: skip
        return sorted(idle, key=idle_since)

    def admit(self) -> None:
        """Assign workers to queued runs while there is room."""
        while (waiting := self.queue()) and self.has_room(waiting[0].size):
            while not self.fits(waiting[0].size, self._placed()):
                gone = self._dispensable()[0]
                if gone.pinned_until is None:
                    self._forget(gone, "displaced")
                else:
                    self.rest(gone)
            self.assign_worker(waiting[0])
            self.broadcast_status(waiting[0])

    def take_turns(self) -> None:
        """Requeue runs of a holder (address or browser) with at least two more places than the
        holder of the next run.

        Runs out of view are requeued first, and older runs before newer ones. A run whose place
        does not suffice for the next run keeps it.
        """
        holders = attrgetter("address"), attrgetter("owner")
        while (waiting := self.queue()) and waiting[0].viewers:
            size = waiting[0].size
            if self.has_room(size):
                return
            placed = [run for run in self._placed() if run.placement.state != "waiting"]
            most = of_those_with_most(placed, waiting[0], *holders)
            giving = [run for run in most if self.fits(size, self.others_on_workers(run))]
            if not giving:
                return
            gone = min(giving, key=attrgetter("in_view"))
            self._take_off(gone)
            if gone.placement.state == "resting":  # a failed run stays failed
                gone.placement.wake()
            self.admit()
            self.broadcast_status(gone)

    def end(self, run: Run, why: str) -> None:
        """Remove a run, notify its viewers and admit the next queued run."""
        self._forget(run, why)
        self.admit()

    def _forget(self, run: Run, why: str) -> None:
        if self.runs.pop(run.id, None) is None:
            return
        self._shown = {tab: shown for tab, shown in self._shown.items() if shown != run.id}
        log.event("run ended", run=run.id, why=why, step=run.step)
        self.send(run, "end")
        for pending in run.unconfirmed():
            self.call_soon(run_messages.drop_change, pending, "ended")
        self.broadcast(run, server_messages.notice("expired"))
        for viewer in run.viewers:
            self.call_soon(viewer.finish)
