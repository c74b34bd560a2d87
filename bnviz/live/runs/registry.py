"""The registry of all runs and their workers, shared by the parts of the hub under one lock.

Scripts call from their own threads, while pipes and sockets belong to the event loop. Runs are
changed with the lock held, which takes microseconds; calls that use a pipe or a socket are put on
the loop, in order.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

from bnviz import device
from bnviz.change_log import plain_change
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

# Importing torch and finding its GPU takes a few seconds; on a busy machine, more.
GPU_SECONDS = 60.0
# A fork waits so many seconds for a checkpoint of its parent's worker.
CHECKPOINT_PATIENCE = 1.0
# What is counted of all runs.
COUNTS = (
    "runs_moved", "runs_ended_by_deaths", "runs_started", "viewers_dropped", "knob_refusals",
    "frames", "frames_dropped",
)  # fmt: skip


class RunRegistry:
    """Runs and workers. All methods but `open`, `close`, `call_soon` and `held` need
    the lock.

    Attributes:
        settings: the limits.
        lock: held by whoever reads or changes a run.
        runs: by id, in the order in which they were started.
        workers: the worker processes; there are none before `open` and after `close`.
        running: whether it is open.
        starts: by browser, when it started runs or maps of late, monotonic seconds.
        started_at: when the hub was made, monotonic seconds.
        counts: since then, as `/status` has them. "runs_ended_by_deaths" of their workers;
            "viewers_dropped" that took, or acknowledged, nothing for too long; "frames_dropped":
            overwritten before a viewer that has left could take them; "knob_refusals": values from
            browsers that do not own the run.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        self.runs: dict[str, Run] = {}
        count = settings.worker_count
        gpu = count if device.driver_present(os.environ) else None
        self.workers = Workers(settings, range(count), gpu)
        self.running = False
        self.started_at = time.monotonic()
        self.counts = dict.fromkeys(COUNTS, 0)
        self.starts: dict[str, deque[float]] = {}
        self._shown: dict[str, str] = {}
        self._gpu_known = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, on_message: OnMessage, on_death: Callable[[Death], None]) -> None:
        """Start the workers; on the event loop.

        Args:
            on_message: called with the messages of the workers.
            on_death: called when a worker has died.
        """
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
        """Wait until it is known whether torch can use this machine's GPU; see `take_gpu`.

        Which device a run gets, and how large it may be, must not depend on when it is started.
        """
        if self.workers.has_gpu:
            try:
                await asyncio.wait_for(self._gpu_known.wait(), GPU_SECONDS)
            except TimeoutError:
                log.event("gpu not found in time", seconds=GPU_SECONDS)
                self.take_gpu(None)

    def take_gpu(self, facts: Header | None) -> None:
        """Take note of the GPU that a worker has found; None: torch can use none here.

        On the event loop.
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
        """Call a function on the event loop, after all calls of this method before.

        Raises:
            HubNotRunning: there is no loop, or not any more.
        """
        if self._loop is None:
            raise HubNotRunning
        try:
            self._loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            raise HubNotRunning from None

    @contextmanager
    def held(self, run_id: str) -> Iterator[Run]:
        """Hold the lock, for work on a run.

        Raises:
            NoSuchRun: it is over.
        """
        with self.lock:
            if run_id not in self.runs:
                raise NoSuchRun
            yield self.runs[run_id]

    # Messages to workers.

    def send(self, run: Run, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Send a message to a run's worker, if it has one."""
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

    def send_order(self, run: Run) -> None:
        """Tell the worker whether the run plays, is measured, and at which pace."""
        run.command_number += 1
        self.send(run, "control", **self._order(run))

    @staticmethod
    def _order(run: Run) -> Header:
        return {
            "command_number": run.command_number, "playing": run.playing and run.awake, "awake": run.awake,
            "seen": run.seen, "in_view": run.in_view, "pace": run.pace,
        }  # fmt: skip

    def play(self, run: Run) -> None:
        """Let a run step, unless it is finished."""
        if run.reason == "limit":
            return
        run.playing, run.reason = True, None
        self.send_order(run)

    def update_wants(self, run: Run) -> None:
        """Tell the worker which probes the charts of all viewers and the run's plan need, if that
        has changed.
        """
        needed = run.plan.probes if run.plan else ()
        wanted = frozenset(needed).union(*(viewer.wants for viewer in run.viewers))
        wants = tuple(name for name in PROBES if name in wanted)
        if wants != run.wants:
            run.wants = wants
            self.send(run, "want", probes=wants)

    def start_on_worker(self, run: Run) -> None:
        """Send a run to its worker, if it has one; it continues at the run's newest step.

        The worker is sent the checkpoint, all live changes, and those that no worker has confirmed.
        """
        placement = run.placement
        if placement.worker is None:
            return
        if placement.worker not in self.workers.worker_indices(run.resolved_device):
            # It has started over with knobs for which another device is chosen.
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
            **self._order(run), wants=run.wants, origin=run.origin, pause_at=run.pause_at,
            plan=plain_plan(run.plan), planned=run.planned,
            max_steps=self.settings.max_steps,
            checkpoint_bytes=self.settings.checkpoint_bytes,
            checkpoint_seconds=self.settings.checkpoint_seconds,
        )  # fmt: skip
        for number in run.pending:
            self.send_change(run, number)
        if run.searched and run.best is None:
            self.search_best_rates(run)

    def send_change(self, run: Run, number: int) -> None:
        """Send the worker the live change of this number."""
        pending = run.pending[number]
        self.send(run, "set_knobs", number=number, values=pending.values, drag=pending.drag)

    def search_best_rates(self, run: Run) -> None:
        """Have the worker search the best learning rate of each network, anew if it has before."""
        run.searched, run.searching, run.best = True, 0.0, None
        self.send(run, "best")
        self.broadcast(run, run_messages.searching(run))

    # Which worker has a run.

    def assign_worker(self, run: Run) -> None:
        """Start a run on the worker with the lowest load."""
        run.placement.assign(self._worker_for(run))
        run.last_watched = time.monotonic()
        parent = self.runs.get(run.placement.parent or "")
        # Another worker may have a nearer checkpoint for a fork than the hub, unless the parent has
        # started over with other knobs.
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
        """Start a fork, if it still waits for a checkpoint; takes the lock itself."""
        with self.lock:
            if fork.placement.state == "waiting" and fork.id in self.runs:
                self.start_on_worker(fork)

    def rebalance(self) -> None:
        """Move one run, if a worker has many more to do than another."""
        move = next_move(self.runs.values(), self.workers, time.monotonic())
        if move is not None:
            self.move(*move)

    def move(self, run: Run, to: int) -> None:
        log.event("run moved", run=run.id, worker=run.placement.worker, to=to)
        self.send(run, "end")
        # Messages of its old worker that were not read yet will be dropped. The changes that they
        # confirm are still pending here and go to the new worker.
        run.placement.move(to, time.monotonic())
        self.counts["runs_moved"] += 1
        self.start_on_worker(run)

    def _worker_started(self, number: int) -> None:
        """Start the runs of a worker on its process, which takes messages from now on."""
        with self.lock:
            for run in [*self.runs.values()]:
                if run.placement.worker == number and run.placement.state == "placed":
                    with log.guarded("run not started", run=run.id):
                        self.start_on_worker(run)

    def fail(self, run: Run, problem: str, key: str = "error") -> None:
        """End a run because of a problem, and notify its viewers.

        Args:
            run: what it has shown stays; a reset starts it anew.
            problem: the reason, for scripts and the log.
            key: the notice for viewers.
        """
        run.placement.fail(problem, key)
        run.playing, run.searching = False, None
        log.event("run failed", run=run.id, problem=problem)
        for pending in run.drop_unconfirmed():
            self.call_soon(run_messages.drop_change, pending, "failed")
        self.broadcast(run, run_messages.knobs(run))
        self.broadcast_status(run)
        self.broadcast(run, run_messages.searching(run))
        self.broadcast(run, server_messages.notice(key, **server_messages.words_of(problem)))

    # Which run a tab shows.

    def show(self, tab: str, run_id: str) -> None:
        """Record which run the script of a tab shows, and notify the page of that tab.

        Args:
            tab: the name of the tab; nothing is recorded if it is empty.
            run_id: the run.
        """
        if tab and run_id in self.runs:
            self._shown[tab] = run_id
            for run in self.runs.values():
                for viewer in run.viewers:
                    if viewer.tab == tab:
                        self.call_soon(viewer.offer, run_messages.shown(run_id))

    def shown_by(self, tab: str, run: Run) -> Run:
        """Return the run that receives the knobs which the page of a tab sets.

        A script starts the next run some time before the page shows it. In that time, a knob that
        the reader moves belongs to the next run.

        Args:
            tab: the name of the tab.
            run: the run that the page shows.
        """
        coming = self.runs.get(self._shown.get(tab, run.id), run)
        return coming if coming.owner == run.owner else run

    # Pinned runs.

    def pinned(self, owner: str | None = None) -> list[Run]:
        """The runs that are kept whoever watches; only those of one browser, if one is given."""
        runs = (run for run in self.runs.values() if run.pinned_until is not None)
        return [run for run in runs if owner is None or run.owner_is(owner)]

    def pinned_size(self, run: Run) -> int:
        """How many bytes a pinned run takes at most: a full history and a checkpoint."""
        # Until the run has a checkpoint, use the size of the whole run: no checkpoint is larger.
        most = min(self.settings.checkpoint_bytes, int(run.config.bytes_per_run()))
        kept = len(run.placement.checkpoint.data) or most
        return max(self.settings.history_bytes, run.history.size) + kept

    def rest(self, run: Run) -> None:
        """Take a pinned run that nobody watches off its worker; `wake` gives it one again.

        It is then like a run whose worker has died: history, log and checkpoint are here.
        """
        self._take_off(run)
        run.awake = False

    def _take_off(self, run: Run) -> None:
        log.event("run rests", run=run.id, step=run.step)
        self.send(run, "end")
        run.placement.rest()

    def wake(self, run: Run) -> None:
        """Let a resting run go on where it was, as soon as there is room for it."""
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
        """Runs that wait for a worker, in the order in which they get one.

        Addresses take turns, and within an address its browsers do: the next run is of whoever has
        the fewest runs on workers. Among equals, the run that has waited longest is the next.
        """
        waiting = [run for run in self.runs.values() if run.placement.state == "queued"]
        for holder in (attrgetter("owner"), attrgetter("address")):
            waiting = in_turns(waiting, self._placed(), holder)
        return waiting

    def _placed(self) -> list[Run]:
        """The runs that have a worker."""
        return [run for run in self.runs.values() if run.placement.worker is not None]

    def queue_place(self, run: Run) -> int | None:
        """1 for the run that is the next to get a worker; None for one that does not wait."""
        return self.queue().index(run) + 1 if run.placement.state == "queued" else None

    def has_room(self) -> bool:
        """Whether one more run gets a worker, if need be since an unwatched one ends for it."""
        return not self._full() or self._dispensable() is not None

    def _full(self) -> bool:
        return len(self._placed()) >= self.settings.max_runs

    def _dispensable(self) -> Run | None:
        """The run that ends first to make room, or rests if it is pinned; or None.

        It is one that nobody watches: its tab shows another run, or nobody has watched it for
        `grace_seconds`. A run that was just started is neither: its page is on its way.
        """
        left_before = time.monotonic() - self.settings.grace_seconds
        idle = [
            run for run in self._placed()
            if not run.viewers and (run.ends_at is not None or run.last_watched <= left_before)
        ]  # fmt: skip
        return min(idle, key=idle_since, default=None)

    def admit(self) -> None:
        """Give workers to runs of the queue while there is room."""
        while (waiting := self.queue()) and self.has_room():
            if self._full() and (gone := self._dispensable()) is not None:
                if gone.pinned_until is None:
                    self._forget(gone, "made room")
                else:
                    self.rest(gone)
            self.assign_worker(waiting[0])
            self.broadcast_status(waiting[0])

    def take_turns(self) -> None:
        """Let runs return to the queue whose address or browser has two places more than who waits.

        A run that is not in view comes before others, and an older run before a newer one. The run
        continues when it gets a place again.
        """
        holders = attrgetter("address"), attrgetter("owner")
        while (waiting := self.queue()) and waiting[0].viewers and not self.has_room():
            placed = [run for run in self._placed() if run.placement.state != "waiting"]
            giving = of_those_with_most(placed, waiting[0], *holders)
            if not giving:
                return
            gone = min(giving, key=attrgetter("in_view"))
            self._take_off(gone)
            if gone.placement.state == "resting":  # a failed run stays failed
                gone.placement.wake()
            self.admit()
            self.broadcast_status(gone)

    def end(self, run: Run, why: str) -> None:
        """End a run for good, notify its viewers, and admit the next run of the queue."""
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
