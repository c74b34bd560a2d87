"""The hub's side of a worker process: its pipes, its heartbeat, and how it ended."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bnviz.live import log
from bnviz.live.protocol import heartbeat
from bnviz.live.protocol.heartbeat import Heartbeat, Slice
from bnviz.live.protocol.wire import TAKE_OVER, USES_GPU, Header, Unpacker, WireError, pack
from bnviz.locations import child_environment

# Maximum number of bytes per read from a pipe.
CHUNK = 2**18
# Maximum number of bytes that a worker may leave unread before it is killed.
MOST_UNREAD = 2**28
# Seconds that a process may take to end by itself before it is killed.
STOP_SECONDS = 1.0
# A slice of work may take as long as this many steps of its run, or `hang_seconds` if that is
# longer.
HANG_STEPS = 4
# Settings of the memory allocator. Without them, large runs would return hundreds of megabytes to
# the system and allocate them again at every step. With them, a step of the largest runs takes two
# thirds of the time.
ALLOCATOR = {
    "hugetlb": 1,
    "arena_max": 1,
    "mmap_threshold": 2**30,
    "trim_threshold": 2**29,
}

# Reason why the hub kills a worker: a slice takes too long, no message arrives, a message is
# invalid, or messages stay unread.
Cause = Literal["hung", "silent", "invalid message", "unread messages"]


# Module of a worker, with its arguments.
WORKER = ("bnviz.live.worker",)

OnMessage = Callable[["WorkerProcess", Header, bytes], None]


@dataclass(frozen=True)
class Death:
    """Unexpected end of a process.

    Attributes:
        cause: Reason why the hub killed the process, or None if it ended by itself.
        run: Id of the run in whose slice the process died or hung, or None.
    """

    worker_index: int
    cause: Cause | None
    run: str | None

    @property
    def hung(self) -> bool:
        return self.cause == "hung"


class WorkerProcess:
    """One process, from start to end. Used on the hub's event loop. Times are monotonic seconds.

    Attributes:
        replaces: Whether the process replaces another process with the same number.
        ready: Whether the process has imported everything and accepts runs.
        pinged_at: Time of the last ping, or None if the process has sent something since.
        load: Last pong: "busy" (seconds of work so far), "runs" (count), "slices" (see
            `SliceTimes`) and "measurer" (see `MeasurerLink.status`).
        busy_share: Share of working time between the last two pongs, 0 to 1.
    """

    def __init__(
        self, worker_index: int, on_message: OnMessage, *, replaces: bool = False,
        program: Sequence[str] = WORKER, trains: bool = True,
    ) -> None:  # fmt: skip
        self.worker_index, self.replaces = worker_index, replaces
        self._program, self._trains = program, trains
        self.ready = False
        self.started_at = time.monotonic()
        self.pinged_at: float | None = None
        self.load: Header = {"busy": 0.0, "runs": 0, "slices": {}, "measurer": {}}
        self.busy_share = 0.0
        self._pong_at = self.started_at
        self._cause: Cause | None = None
        self._heartbeat = Heartbeat()
        self._watch: HangWatch | None = None
        self._on_message = on_message
        self._process: Process | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process. Messages can then be sent, even before the process is ready."""
        with heartbeat.shared_page() as page:
            self._heartbeat = Heartbeat(page)
            arguments = [f"{heartbeat.ARGUMENT}{page}", *([TAKE_OVER] if self.replaces else ())]
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", *self._program, *arguments,
                pass_fds=[page], stdin=PIPE, stdout=PIPE, limit=CHUNK,
                env=_environment(self._trains, gpu=USES_GPU in self._program),
                start_new_session=True,
            )  # fmt: skip
        self._watch = HangWatch(self._heartbeat, self._process.pid)
        log.event("worker started", worker=self.worker_index, pid=self._process.pid)

    async def run(self) -> None:
        """Dispatch messages from the process until it has ended and all messages were read."""
        process, unpacker = self._process, Unpacker()
        assert process is not None
        assert process.stdout is not None
        try:
            while data := await process.stdout.read(CHUNK):
                self.pinged_at = None
                for header, payload in unpacker.feed(data):
                    # An error while a message is handled must not stop the reading of messages,
                    # because that would stop all runs.
                    with log.guarded(
                        "message handling failed", worker=self.worker_index, kind=header["type"]
                    ):
                        self._on_message(self, header, payload)
        except WireError as problem:
            log.event("invalid message from worker", worker=self.worker_index, problem=str(problem))
            self.kill("invalid message")
        finally:
            self.stop()
            while await process.stdout.read(CHUNK):
                # Discard the remaining messages, because a full pipe would keep the process from
                # ending.
                pass
            await process.wait()
            if self._timer is not None:
                self._timer.cancel()
            code = process.returncode
            log.event("worker ended", worker=self.worker_index, pid=process.pid, code=code)

    def stop(self) -> None:
        """Close stdin, so that the process ends. Kill it after `STOP_SECONDS`."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(STOP_SECONDS, self._kill)

    def send(self, header: Header, payload: bytes = b"") -> None:
        """Queue a message, or drop it if the process has ended and its runs restart elsewhere."""
        stdin = self._process.stdin if self._process else None
        if stdin is None or stdin.is_closing():
            return
        stdin.write(pack(header, payload))
        if stdin.transport.get_write_buffer_size() > MOST_UNREAD:
            self.kill("unread messages")

    def ping(self) -> None:
        self.pinged_at = self.pinged_at or time.monotonic()
        self.send({"type": "ping"})

    def take_pong(self, pong: Header) -> None:
        now = time.monotonic()
        passed = now - self._pong_at
        if passed > 0:
            self.busy_share = max(0.0, (pong["busy"] - self.load["busy"]) / passed)
        self._pong_at, self.load = now, pong

    def status(self) -> dict[str, Any]:
        load = self.load
        return {
            "number": self.worker_index, "pid": self.pid, "ready": self.ready, "runs": load["runs"],
            "busy_seconds": round(load["busy"], 1),
            "age_seconds": round(time.monotonic() - self.started_at, 1),
            "slices": load["slices"], "measurer": load["measurer"],
        }  # fmt: skip

    def slice(self) -> Slice | None:
        """Return the current slice, or after a death the last slice; None between slices."""
        return self._heartbeat.read()

    def hung_in(self, hang_seconds: float, now: float) -> Slice | None:
        """Return the slice in which the process hangs, or None. Call regularly."""
        if self._watch is None or self._cause is not None:
            return None
        return self._watch.overdue(hang_seconds, now)

    def death(self) -> Death:
        """Return how the process ended, with the run of its slice if it hung or ended by itself."""
        current = self.slice() if self._cause in (None, "hung") else None
        return Death(self.worker_index, self._cause, current.run if current else None)

    def kill(self, cause: Cause) -> None:
        self._cause = self._cause or cause
        self._kill()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()


class HangWatch:
    """Detector for a worker whose slice takes too long.

    While the process can run, only its processor time counts, which may be little on a busy
    machine. While it sleeps, waits or is stopped, or without `/proc`, all time counts.
    """

    def __init__(self, heartbeat: Heartbeat, pid: int) -> None:
        self._heartbeat, self._pid = heartbeat, pid
        self._count, self._seconds = 0, 0.0
        self._looked_at, self._cpu = 0.0, 0.0

    def overdue(self, hang_seconds: float, now: float) -> Slice | None:
        """Return the worker's slice if it has taken too long, or None.

        Call regularly, because times are summed between calls.
        """
        current = self._heartbeat.read()
        if current is None:
            return None
        ready, cpu = _processor(self._pid)
        if current.count != self._count:
            self._count, self._seconds = current.count, 0.0
        else:
            passed = now - self._looked_at
            self._seconds += min(passed, cpu - self._cpu) if ready else passed
        self._looked_at, self._cpu = now, cpu
        limit = max(hang_seconds, HANG_STEPS * current.step_seconds)
        return current if self._seconds > limit else None


def _processor(pid: int) -> tuple[bool, float]:
    """Return whether a process is runnable, and its processor time in seconds."""
    try:
        # The process name in parentheses may contain any text, so parse after the last parenthesis.
        facts = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        return facts[0] == b"R", (int(facts[11]) + int(facts[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return False, 0.0


def _environment(trains: bool, *, gpu: bool) -> dict[str, str]:
    tunables = ":".join(f"glibc.malloc.{name}={value}" for name, value in ALLOCATOR.items())
    return {
        **({"GLIBC_TUNABLES": tunables} if trains else {}),
        **child_environment(),
        # Hide the GPU, because any process that uses CUDA, even briefly, takes 0.8 GB of GPU
        # memory.
        **({} if gpu else {"CUDA_VISIBLE_DEVICES": ""}),
        "OMP_NUM_THREADS": "1",
        "PYTHONUNBUFFERED": "1",
    }
