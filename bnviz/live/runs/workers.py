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
        numbers: one for each process; the one that replaces it has the same number.
        gpu: the number of the process that uses the GPU, besides; None: there is none.

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

    def __init__(self, settings: Settings, numbers: Iterable[int], gpu: int | None = None) -> None:
        self._settings, self._gpu = settings, gpu
        self._processes: dict[int, WorkerProcess | None] = dict.fromkeys(numbers)
        if gpu is not None:
            self._processes[gpu] = None
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._checked_at = time.monotonic()
        self.replaced = self.deaths = self.hangs = 0

    def numbers(self, device: Device) -> list[int]:
        """The processes that run what this device is chosen for.

        What asks for a GPU that is not there goes to any process, which says so.
        """
        if device == "cuda" and self._gpu is not None:
            return [self._gpu]
        return [number for number in self._processes if number != self._gpu]

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
            on_start: called with its number when a process was started.
            on_death: called when a process has ended without being told to, and all its messages
                have been read.
        """
        self._on_message, self._on_start, self._on_death = on_message, on_start, on_death
        self._tasks = [asyncio.create_task(self._keep(number)) for number in self._processes]

    async def stop(self) -> None:
        self._stopping.set()
        for worker in self._processes.values():
            if worker is not None:
                worker.stop()
        await asyncio.gather(*self._tasks)

    def send(self, number: int, header: Header, payload: bytes = b"") -> None:
        """Send to the process of this number; dropped while there is none."""
        worker = self._processes[number]
        if worker is not None:
            worker.send(header, payload)

    def at(self, number: int) -> WorkerProcess | None:
        """The process of this number; None while there is none."""
        return self._processes[number]

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
            with log.guarded("worker not checked", worker=worker.number):
                if worker.pinged_at is not None and now - worker.pinged_at > patience:
                    log.event("worker silent", worker=worker.number, pid=worker.pid)
                    worker.kill("silent")
                else:
                    worker.ping()

    def end_hung(self) -> None:
        """Kill the processes that hang; to be called regularly, see `HangWatch`."""
        now = time.monotonic()
        for worker in self.living():
            with log.guarded("worker not looked at", worker=worker.number):
                if (stuck := worker.hung_in(self._settings.hang_seconds, now)) is not None:
                    log.event(
                        "worker hangs", worker=worker.number, pid=worker.pid, run=stuck.run,
                        seconds=round(now - stuck.began, 1),
                    )  # fmt: skip
                    worker.kill("hung")

    async def _keep(self, number: int) -> None:
        """Start a process, and replace it whenever it has ended, until all are stopped."""
        pause, replaces = 0.0, False
        program = self.program + ((USES_GPU,) if number == self._gpu else ())
        while not self._stopping.is_set() and number in self._processes:
            worker = WorkerProcess(
                number, self._on_message, replaces=replaces, program=program, trains=self.trains
            )
            # Whatever goes wrong with one process, it is replaced.
            with log.guarded("worker lost", worker=number):
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
            log.event("worker did not start", worker=worker.number, problem=str(problem))
            return
        self._processes[worker.number] = worker
        if self._stopping.is_set():
            worker.stop()
        elif worker.replaces:
            self.replaced += 1
        with log.guarded("runs not started", worker=worker.number):
            self._on_start(worker.number)
        try:
            await worker.run()
        finally:
            given_up = worker.number not in self._processes
            if not given_up:
                self._processes[worker.number] = None
            if not (given_up or self._stopping.is_set()):
                death = worker.death()
                self.deaths += 1
                self.hangs += death.hung
                self._on_death(death)


def least_loaded(runs: Iterable[Run], workers: Workers, device: Device) -> int:
    """The number of the worker for the next run on a device: of the ready ones, if any, that with
    the fewest running runs; of several the least busy of late, then that with the fewest runs.
    """
    running, held = Counter[int](), Counter[int]()
    for run in runs:
        if (number := run.placement.worker) is not None:
            running[number] += run.status == "running"
            held[number] += 1

    def load(number: int) -> tuple[bool, int, float, int]:
        worker = workers.at(number)
        busy = round(worker.busy_share, 1) if worker else 0.0
        return not (worker and worker.ready), running[number], busy, held[number]

    return min(workers.numbers(device), key=load)


def next_move(runs: Collection[Run], workers: Workers, now: float) -> tuple[Run, int] | None:
    """A running run to move, and the worker to move it to; None: the load is even.

    After a death all runs are elsewhere, and the process that replaces the dead one has none.

    Args:
        runs: all runs.
        workers: those that are ready count.
        now: monotonic seconds.
    """
    able = workers.numbers("cpu")
    at: dict[int, list[Run]] = {
        worker.number: [] for worker in workers.living() if worker.ready and worker.number in able
    }
    for run in runs:
        if run.placement.worker in at and run.status == "running":
            at[run.placement.worker].append(run)
    if not at:
        return None
    most, least = (choose(at, key=lambda number: len(at[number])) for choose in (max, min))
    # Runs that have caught up, were not moved a moment ago, and are not suspected of a death.
    movable = [
        run for run in at[most]
        if run.placement.arrives_at is None and not run.placement.deaths
        and now - run.placement.moved_at >= STAY_SECONDS
    ]  # fmt: skip
    if len(at[most]) - len(at[least]) < UNEVEN or not movable:
        return None
    return movable[0], least
