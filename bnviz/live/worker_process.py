"""The hub's end of one worker process."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from pathlib import Path

from bnviz.live import log
from bnviz.live.wire import TAKE_OVER, Header, Unpacker, WireError, pack

ROOT = Path(__file__).parents[2]
CHUNK = 2**18
# A worker that has this much unread is stuck.
MOST_UNREAD = 2**28
STOP_SECONDS = 1.0

OnMessage = Callable[["WorkerProcess", Header, bytes], None]


class WorkerProcess:
    """One process, from start to end. Used on the hub's event loop only.

    Attributes:
        number: its place among the workers.
        replaces: whether another process had that place before.
        ready: it has imported everything and waits for runs.
        heard: when it last said something, monotonic seconds.
        busy_seconds: seconds of work since its start, by its own count.
    """

    def __init__(self, number: int, on_message: OnMessage, *, replaces: bool = False) -> None:
        self.number, self.replaces = number, replaces
        self.ready = False
        self.born = self.heard = time.monotonic()
        self.busy_seconds = 0.0
        self.runs = 0
        self._on_message = on_message
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """Its process id, or None before it started."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process; it can be sent to from now on, before it is ready to work."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bnviz.live.worker", *([TAKE_OVER] if self.replaces else ()),
            stdin=PIPE, stdout=PIPE, limit=CHUNK, env=_environment(), start_new_session=True,
        )  # fmt: skip
        log.event("worker started", worker=self.number, pid=self._process.pid)

    async def run(self) -> None:
        """Pass its messages on until it ends."""
        try:
            await self._read()
        except WireError as problem:
            log.event("worker speaks nonsense", worker=self.number, problem=str(problem))
        finally:
            await self._end()

    def stop(self) -> None:
        """Ask it to end; `run` sees to it that it does."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(STOP_SECONDS, self.kill)

    def send(self, header: Header, payload: bytes = b"") -> None:
        """Queue a message; lost if the process is gone, which its end makes good."""
        stdin = self._process.stdin if self._process else None
        if stdin is None or stdin.is_closing():
            return
        stdin.write(pack(header, payload))
        if stdin.transport.get_write_buffer_size() > MOST_UNREAD:
            self.kill()

    def kill(self) -> None:
        """End it without asking."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        unpacker = Unpacker()
        while data := await self._process.stdout.read(CHUNK):
            self.heard = time.monotonic()
            for header, payload in unpacker.feed(data):
                self._on_message(self, header, payload)

    async def _end(self) -> None:
        """See the process out: it ends when its stdin does, or is killed."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        self.stop()
        while await process.stdout.read(CHUNK):
            # What it still had to say; a full pipe would keep it from ending.
            pass
        await process.wait()
        if self._timer is not None:
            self._timer.cancel()
        log.event("worker ended", worker=self.number, pid=process.pid, code=process.returncode)


def _environment() -> dict[str, str]:
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
    }
