"""All worker processes: started, watched, replaced."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from bnviz.live import log
from bnviz.live.settings import Settings
from bnviz.live.wire import Header
from bnviz.live.worker_process import OnMessage, WorkerProcess

# A worker that ends this soon after its start is started again after a pause, ever longer.
YOUNG_SECONDS = 5.0
LONGEST_PAUSE = 10.0
# Importing everything takes this long at most, on a machine with much else to do.
START_SECONDS = 90.0


class Workers:
    """A fixed number of places, each with a living process in it but for moments.

    Args:
        settings: how many, and how long one may be silent.
        on_message: called with each message, on the event loop.
        on_birth: called when a process is there to be sent to, with whether it replaces another.
    """

    def __init__(
        self, settings: Settings, on_message: OnMessage, on_birth: Callable[[int, bool], None]
    ) -> None:
        self._settings, self._on_birth = settings, on_birth
        self._on_message = on_message
        self._places: list[WorkerProcess | None] = [None] * settings.worker_count
        self._keepers: list[asyncio.Task[None]] = []
        self._stopping = asyncio.Event()
        self.replaced = 0

    def __len__(self) -> int:
        return len(self._places)

    def start(self) -> None:
        """Begin to keep every place filled."""
        self._keepers = [
            asyncio.create_task(self._keep(number)) for number in range(len(self._places))
        ]

    async def stop(self) -> None:
        """End every process."""
        self._stopping.set()
        for worker in self._places:
            if worker is not None:
                worker.stop()
        await asyncio.gather(*self._keepers)

    def send(self, number: int, header: Header, payload: bytes = b"") -> None:
        """Send to the process in a place, if there is one just now."""
        worker = self._places[number]
        if worker is not None:
            worker.send(header, payload)

    def living(self) -> list[WorkerProcess]:
        """The processes that run."""
        return [worker for worker in self._places if worker is not None and worker.pid]

    def check(self) -> None:
        """Ask every process for a sign of life, and kill those that gave none for too long."""
        now = time.monotonic()
        for worker in self.living():
            patience = self._settings.silence_seconds if worker.ready else START_SECONDS
            if now - worker.heard > patience:
                log.event("worker silent", worker=worker.number, pid=worker.pid)
                worker.kill()
            else:
                worker.send({"type": "ping"})

    async def _keep(self, number: int) -> None:
        """Keep one place filled until told to stop."""
        pause, replaces = 0.0, False
        while not self._stopping.is_set():
            worker = WorkerProcess(number, self._on_message, replaces=replaces)
            try:
                await self._live(worker)
            except OSError as problem:
                log.event("worker did not start", worker=number, problem=str(problem))
            replaces = True
            young = time.monotonic() - worker.born < YOUNG_SECONDS
            pause = min(max(0.5, 2 * pause), LONGEST_PAUSE) if young else 0.0
            await self._rest(pause)

    async def _live(self, worker: WorkerProcess) -> None:
        await worker.start()
        self._places[worker.number] = worker
        if self._stopping.is_set():
            worker.stop()
        elif worker.replaces:
            self.replaced += 1
        try:
            self._on_birth(worker.number, worker.replaces)
            await worker.run()
        finally:
            self._places[worker.number] = None

    async def _rest(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._stopping.wait()
        except TimeoutError:
            pass
