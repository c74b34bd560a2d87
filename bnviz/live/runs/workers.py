"""The worker processes: started, supervised, replaced; and which of them gets a run."""

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

# A process that ends this soon after its start, or before it is ready, is replaced after a pause
# that grows.
YOUNG_SECONDS = 5.0
# So long a process may take to import everything, on a machine with much else to do.
START_SECONDS = 90.0
# Seconds between two pings of a process.
PING_SECONDS = 2.0
# A run moves if one worker has this many more running ones than another: moving costs it about a
# second of its work.
UNEVEN = 3
# A run that was moved stays on its worker for so many seconds.
STAY_SECONDS = 30.0


class Workers:
    """Processes of one program, each replaced when it has ended. Used on the event loop only.

    Args:
        settings: how long a process may be silent or hang.
        worker_indices: one for each process; the one that replaces it has the same worker_index.
        gpu: the worker_index of the process that uses the GPU, besides; None: there is none.

    Attributes:
        program: the Python module that the processes run, and its arguments.
        trains: whether they train networks themselves, for which their allocator is set up.
        longest_pause: seconds until one is started again, after it has ended many times in a row.
        replaced: how many processes replaced another one.
        deaths: how many processes ended without being told to.
        hangs: how many of these hung.
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
        """The processes that run what this device is chosen for.

        What asks for a GPU that is not there goes to any process, which says so.
        """
        if device == "cuda" and self._gpu is not None:
            return [self._gpu]
        return [worker_index for worker_index in self._processes if worker_index != self._gpu]

    @property
    def has_gpu(self) -> bool:
        """Whether one of the processes uses the GPU."""
        return self._gpu is not None

    def give_up_gpu(self) -> None:
        """End the process that uses the GPU, and start it no more."""
        if self._gpu is not None and (process := self._processes.pop(self._gpu)) is not None:
            process.stop()
        self._gpu = None

    def start(
        self,
        on_message: OnMessage,
        on_start: Callable[[int], None],
        on_death: Callable[[Death], None],
    ) -> None:
        """Start all processes, without waiting for them.

        Args:
            on_message: called with each message.
            on_start: called with its worker_index when a process was started.
            on_death: called when a process has ended without being told to, and all its messages
                have been read.
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
        """Send to the process of this worker_index; dropped while there is none."""
        worker = self._processes[worker_index]
        if worker is not None:
            worker.send(header, payload)

    def at(self, worker_index: int) -> WorkerProcess | None:
        """The process of this worker_index; None while there is none."""
        return self._processes[worker_index]

    def living(self) -> list[WorkerProcess]:
        return [worker for worker in self._processes.values() if worker is not None and worker.pid]

    def check(self) -> None:
        """Kill the processes that gave no sign of life for too long, and ping the others.

        Does nothing until `PING_SECONDS` after the last time.
        """
        now = time.monotonic()
        if now - self._checked_at < PING_SECONDS:
            return
        self._checked_at = now
        for worker in self.living():
            patience = self._settings.silence_seconds if worker.ready else START_SECONDS
            with log.guarded("worker not checked", worker=worker.worker_index):
                if worker.pinged_at is not None and now - worker.pinged_at > patience:
                    log.event("worker silent", worker=worker.worker_index, pid=worker.pid)
                    worker.kill("silent")
                else:
                    worker.ping()

    def end_hung(self) -> None:
        """Kill the processes that hang; to be called regularly, see `HangWatch`."""
        now = time.monotonic()
        for worker in self.living():
            with log.guarded("worker not looked at", worker=worker.worker_index):
                if (stuck := worker.hung_in(self._settings.hang_seconds, now)) is not None:
                    log.event(
                        "worker hangs", worker=worker.worker_index, pid=worker.pid, run=stuck.run,
                        seconds=round(now - stuck.began, 1),
                    )  # fmt: skip
                    worker.kill("hung")

    async def _keep(self, worker_index: int) -> None:
        """Start a process, and replace it whenever it has ended, until all are stopped."""
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
            # Whatever goes wrong with one process, it is replaced.
            with log.guarded("worker lost", worker=worker_index):
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
    """The worker_index of the worker for the next run on a device: of the ready ones, if any, that with
    the fewest running runs; of several the least busy of late, then that with the fewest runs.
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
    """A running run to move, and the worker to move it to; None: the load is even.

    After a death all runs are elsewhere, and the process that replaces the dead one has none.

    Args:
        runs: all runs.
        workers: those that are ready count.
        now: monotonic seconds.
    """
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
    # Runs that have caught up, were not moved a moment ago, and are not suspected of a death.
    movable = [
        run for run in at[most]
        if run.placement.arrives_at is None and not run.placement.deaths
        and now - run.placement.moved_at >= STAY_SECONDS
    ]  # fmt: skip
    if len(at[most]) - len(at[least]) < UNEVEN or not movable:
        return None
    return movable[0], least
