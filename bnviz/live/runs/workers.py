"""Worker processes: starting, supervision and replacement, and the choice of a worker for a run."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress

from bnviz.device import Device
from bnviz.live import log
from bnviz.live.protocol.wire import USES_GPU, Header
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import WORKER, Death, OnMessage, WorkerProcess
from bnviz.live.settings import Settings

# A process that ends within this many seconds, or before it is ready, is replaced after an
# increasing pause.
YOUNG_SECONDS = 5.0
# Seconds that a process may take to import everything, even on a busy machine.
START_SECONDS = 90.0
# Seconds between pings.
PING_SECONDS = 2.0
# Minimum difference between the numbers of running runs on two workers at which a run moves. A move
# costs the run about a second of work.
UNEVEN = 3
# Minimum number of seconds for which a moved run stays on its worker.
STAY_SECONDS = 30.0


class Workers:
    """Processes of one program, each replaced after it ends. Used on the event loop only.

    Attributes:
        program: Python module of the processes, with its arguments.
        trains: Whether the processes train networks, which requires allocator settings.
        longest_pause: Maximum seconds of waiting before a process that keeps ending is restarted.
        replaced: Number of processes that replaced another process.
        deaths: Number of processes that ended unexpectedly, including hung ones.
    """

    program: tuple[str, ...] = WORKER
    trains = True
    longest_pause = 10.0

    def __init__(
        self, settings: Settings, worker_indices: Iterable[int], gpu: int | None = None
    ) -> None:
        self._settings, self._gpu = settings, gpu
        self._processes: dict[int, WorkerProcess | None] = dict.fromkeys(worker_indices)
        if gpu is not None:
            self._processes[gpu] = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._checked_at = time.monotonic()
        self.replaced = self.deaths = self.hangs = 0

    def worker_indices(self, device: Device) -> list[int]:
        """Return the numbers of the processes for a device.

        Without a GPU process, "cuda" maps to any process, which then reports the error.
        """
        if device == "cuda" and self._gpu is not None:
            return [self._gpu]
        return [worker_index for worker_index in self._processes if worker_index != self._gpu]

    @property
    def has_gpu(self) -> bool:
        return self._gpu is not None

    def give_up_gpu(self) -> None:
        if self._gpu is not None and (process := self._processes.pop(self._gpu)) is not None:
            process.stop()
        self._gpu = None

    def start(
        self,
        on_message: OnMessage,
        on_start: Callable[[int], None],
        on_death: Callable[[Death], None],
    ) -> None:
        """Start all processes without waiting.

        `on_death` is called after an unexpected end, when all messages of the process have been
        read.
        """
        self._on_message, self._on_start, self._on_death = on_message, on_start, on_death
        self._tasks = [
            asyncio.create_task(self._keep(worker_index)) for worker_index in self._processes
        ]

    async def stop(self) -> None:
        self._stopping.set()
        for worker in self._processes.values():
            if worker is not None:
                worker.stop()
        await asyncio.gather(*self._tasks)

    def send(self, worker_index: int, header: Header, payload: bytes = b"") -> None:
        """Send a message to a process, or drop it if the process is not running at present."""
        worker = self._processes[worker_index]
        if worker is not None:
            worker.send(header, payload)

    def at(self, worker_index: int) -> WorkerProcess | None:
        return self._processes[worker_index]

    def living(self) -> list[WorkerProcess]:
        return [worker for worker in self._processes.values() if worker is not None and worker.pid]

    def check(self) -> None:
        """Kill silent processes and ping the other processes, at most once per `PING_SECONDS`."""
        now = time.monotonic()
        if now - self._checked_at < PING_SECONDS:
            return
        self._checked_at = now
        for worker in self.living():
            patience = self._settings.silence_seconds if worker.ready else START_SECONDS
            with log.guarded("worker ping failed", worker=worker.worker_index):
                if worker.pinged_at is not None and now - worker.pinged_at > patience:
                    log.event("worker silent", worker=worker.worker_index, pid=worker.pid)
                    worker.kill("silent")
                else:
                    worker.ping()

    def end_hung(self) -> None:
        """Kill processes that hang. Call regularly (see `HangWatch`)."""
        now = time.monotonic()
        for worker in self.living():
            with log.guarded("worker check failed", worker=worker.worker_index):
                if (stuck := worker.hung_in(self._settings.hang_seconds, now)) is not None:
                    log.event(
                        "worker hung", worker=worker.worker_index, pid=worker.pid, run=stuck.run,
                        seconds=round(now - stuck.began, 1),
                    )  # fmt: skip
                    worker.kill("hung")

    async def _keep(self, worker_index: int) -> None:
        """Start a process, and replace it after it ends, until all processes are stopped."""
        pause, replaces = 0.0, False
        program = self.program + ((USES_GPU,) if worker_index == self._gpu else ())
        while not self._stopping.is_set() and worker_index in self._processes:
            worker = WorkerProcess(
                worker_index,
                self._on_message,
                replaces=replaces,
                program=program,
                trains=self.trains,
            )
            # Log any failure, so that the process is replaced in any case.
            with log.guarded("worker supervision failed", worker=worker_index):
                await self._live(worker)
            replaces = True
            age = time.monotonic() - worker.started_at
            young = age < YOUNG_SECONDS or not worker.ready
            pause = min(max(0.5, 2 * pause), self.longest_pause) if young else 0.0
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopping.wait(), pause)

    async def _live(self, worker: WorkerProcess) -> None:
        try:
            await worker.start()
        except OSError as problem:
            log.event("worker did not start", worker=worker.worker_index, problem=str(problem))
            return
        self._processes[worker.worker_index] = worker
        if self._stopping.is_set():
            worker.stop()
        elif worker.replaces:
            self.replaced += 1
        with log.guarded("runs not started", worker=worker.worker_index):
            self._on_start(worker.worker_index)
        try:
            await worker.run()
        finally:
            given_up = worker.worker_index not in self._processes
            if not given_up:
                self._processes[worker.worker_index] = None
            if not (given_up or self._stopping.is_set()):
                death = worker.death()
                self.deaths += 1
                self.hangs += death.hung
                self._on_death(death)


def least_loaded(runs: Iterable[Run], workers: Workers, device: Device) -> int:
    """Return the number of the least loaded worker for a device.

    Ready workers come first. The further criteria, in order, are the number of running runs, the
    recent load, and the number of all runs.
    """
    running, held = Counter[int](), Counter[int]()
    for run in runs:
        if (worker_index := run.placement.worker) is not None:
            running[worker_index] += run.status == "running"
            held[worker_index] += 1

    def load(worker_index: int) -> tuple[bool, int, float, int]:
        worker = workers.at(worker_index)
        busy = round(worker.busy_share, 1) if worker else 0.0
        return not (worker and worker.ready), running[worker_index], busy, held[worker_index]

    return min(workers.worker_indices(device), key=load)


def next_move(runs: Collection[Run], workers: Workers, now: float) -> tuple[Run, int] | None:
    """Return a running run and the worker it should move to, or None if the load is even."""
    able = workers.worker_indices("cpu")
    at: dict[int, list[Run]] = {
        worker.worker_index: []
        for worker in workers.living()
        if worker.ready and worker.worker_index in able
    }
    for run in runs:
        if run.placement.worker in at and run.status == "running":
            at[run.placement.worker].append(run)
    if not at:
        return None
    most, least = (
        choose(at, key=lambda worker_index: len(at[worker_index])) for choose in (max, min)
    )
    # Runs that have finished replaying, did not move recently, and are not suspected of having
    # caused the death of a worker.
    movable = [
        run for run in at[most]
        if run.placement.arrives_at is None and not run.placement.deaths
        and now - run.placement.moved_at >= STAY_SECONDS
    ]  # fmt: skip
    if len(at[most]) - len(at[least]) < UNEVEN or not movable:
        return None
    return movable[0], least
