"""Processes of one program: started, watched, replaced.

Which worker gets a run: the one with the least to do. And when one moves to another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from bnviz.live import log
from bnviz.live.protocol.wire import Header
from bnviz.live.runs.run import Run
from bnviz.live.runs.worker_process import WORKER, Death, OnMessage, Program, WorkerProcess
from bnviz.live.settings import Settings

# A process that ends this soon after its start, or was never ready, is started again after a pause,
# ever longer.
YOUNG_SECONDS = 5.0
# Importing everything takes this long at most, on a machine with much else to do.
START_SECONDS = 90.0
PING_SECONDS = 2.0


class WorkerClient(Protocol):
    """A feature beside the runs that gives work to the processes."""

    def receive(self, header: Header) -> bool:
        """Take in a message of a process. Returns whether it was one for this feature."""

    def look_after(self) -> None:
        """Send what can be sent now."""

    def recover(self, death: Death) -> None:
        """A process has died: take up the work that it had. The registry's lock is held."""


class Workers:
    """A fixed number of places, each with a living process in it but for moments.

    Args:
        settings: how long a process may be silent or hang.
        places: their numbers.
        on_message: called with each message, on the event loop.
        on_start: called with its place when a process takes messages.
        on_death: called when a process has ended without being told to, and all its messages have
            been read.
        program: what runs in each.

    Attributes:
        replaced: processes that took another's place.
        deaths: processes that ended without being told to; `hangs` of them hung.
    """

    def __init__(
        self, settings: Settings, places: Iterable[int], on_message: OnMessage,
        on_start: Callable[[int], None], on_death: Callable[[Death], None],
        program: Program = WORKER,
    ) -> None:  # fmt: skip
        self._settings, self._on_start, self._on_death = settings, on_start, on_death
        self._on_message, self._program = on_message, program
        self._places: dict[int, WorkerProcess | None] = dict.fromkeys(places)
        self._tasks: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self._checked_at = time.monotonic()
        self.replaced = self.deaths = self.hangs = 0

    def __len__(self) -> int:
        return len(self._places)

    def start(self) -> None:
        """Begin to keep every place filled."""
        self._tasks = [asyncio.create_task(self._keep(number)) for number in self._places]

    async def stop(self) -> None:
        """End every process."""
        self._stopping.set()
        for worker in self._places.values():
            if worker is not None:
                worker.stop()
        await asyncio.gather(*self._tasks)

    def send(self, number: int, header: Header, payload: bytes = b"") -> None:
        """Send to the process in a place, if there is one just now."""
        worker = self._places[number]
        if worker is not None:
            worker.send(header, payload)

    def at(self, number: int) -> WorkerProcess | None:
        """The process in a place."""
        return self._places[number]

    def living(self) -> list[WorkerProcess]:
        """The processes that run."""
        return [worker for worker in self._places.values() if worker is not None and worker.pid]

    def check(self) -> None:
        """Every `PING_SECONDS`, kill the processes that gave no sign of life for too long, and ask
        the others for one.
        """
        now = time.monotonic()
        if now - self._checked_at < PING_SECONDS:
            return
        self._checked_at = now
        for worker in self.living():
            patience = self._settings.silence_seconds if worker.ready else START_SECONDS
            with log.guarded("worker not checked", worker=worker.number):
                if worker.asked is not None and now - worker.asked > patience:
                    log.event("worker silent", worker=worker.number, pid=worker.pid)
                    worker.kill("silent")
                else:
                    worker.ask()

    def end_hung(self) -> None:
        """Kill every process that has been in one slice for too long."""
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
        """Keep one place filled until told to stop."""
        program, pause, replaces = self._program, 0.0, False
        while not self._stopping.is_set():
            worker = WorkerProcess(number, self._on_message, replaces=replaces, program=program)
            # Whatever goes wrong with one process, its place is filled again.
            with log.guarded("worker lost", worker=number):
                await self._live(worker)
            replaces = True
            age = time.monotonic() - worker.started_at
            young = age < YOUNG_SECONDS or not worker.ready
            pause = min(max(0.5, 2 * pause), program.longest_pause) if young else 0.0
            await self._rest(pause)

    async def _live(self, worker: WorkerProcess) -> None:
        try:
            await worker.start()
        except OSError as problem:
            log.event("worker did not start", worker=worker.number, problem=str(problem))
            return
        self._places[worker.number] = worker
        if self._stopping.is_set():
            worker.stop()
        elif worker.replaces:
            self.replaced += 1
        with log.guarded("runs not started", worker=worker.number):
            self._on_start(worker.number)
        try:
            await worker.run()
        finally:
            self._places[worker.number] = None
            if not self._stopping.is_set():
                death = worker.death()
                self.deaths += 1
                self.hangs += death.hung
                self._on_death(death)

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass


# Moving costs a run a second or so of its work; a smaller difference is not worth that.
UNEVEN = 3
# So long a run that was moved stays where it is.
STAY_SECONDS = 30.0


def least_to_do(runs: Iterable[Run], workers: Workers) -> int:
    """The place of the worker that has the fewest running runs, then was the least busy of late,
    then has the fewest runs. Workers that are not ready come last.
    """
    running, held = [0] * len(workers), [0] * len(workers)
    for run in runs:
        if run.worker is not None:
            running[run.worker] += run.status == "running"
            held[run.worker] += 1

    def load(place: int) -> tuple[bool, int, float, int]:
        worker = workers.at(place)
        busy = round(worker.busy_share, 1) if worker else 0.0
        return not (worker and worker.ready), running[place], busy, held[place]

    return min(range(len(workers)), key=load)


def next_move(runs: Collection[Run], workers: Workers, now: float) -> tuple[Run, int] | None:
    """A running run to move, and where to, when one worker has many more than another: after a
    death its neighbours are all elsewhere, and the replacement has nothing to do.

    Args:
        runs: all runs.
        workers: those that are ready count.
        now: monotonic seconds.
    """
    at: dict[int, list[Run]] = {worker.number: [] for worker in workers.living() if worker.ready}
    for run in runs:
        if run.worker in at and run.status == "running":
            at[run.worker].append(run)
    if not at:
        return None
    most, least = (choose(at, key=lambda place: len(at[place])) for choose in (max, min))
    free = [run for run in at[most] if _may_move(run, now)]
    if len(at[most]) - len(at[least]) < UNEVEN or not free:
        return None
    return free[0], least


def _may_move(run: Run, now: float) -> bool:
    """Whether a run is where it should be, for a while already, and under no suspicion."""
    return run.catch_up_to is None and not run.deaths and now - run.moved_at >= STAY_SECONDS
