"""Measurements of an attack's effects: server health, a watched run, memory and descriptors."""

from __future__ import annotations

import asyncio
import math
import os
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.viewers import one_viewer
from bnviz.live.protocol.frames import WIRE_VERSION
from tests.red_team.target import PATIENCE, Target
from tests.red_team.visitor import LIGHT, Visitor

HEALTH = "/_stcore/health"
# Seconds between health requests, which do not wait for each other, and between memory readings.
HEALTH_PAUSE, LOOK_PAUSE = 0.05, 0.2
# Steps of the longest run that a link may request, and seconds until its frames arrive evenly.
STEPS, EVEN_SECONDS = 100_000, 15.0


def resident(pid: int) -> float:
    """Return the resident memory of a process in megabytes."""
    pages = int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def descriptors(pid: int) -> int:
    """Return the number of open file descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))


@dataclass
class Figures:
    """Measurements over a period.

    Attributes:
        health: response time of each health request in seconds.
        frames: frames per second of the watched run.
        memory: maximum memory of the server in megabytes.
        descriptors: maximum number of file descriptors of the server.
    """

    health: list[float] = field(default_factory=list)
    frames: float = 0.0
    memory: float = 0.0
    descriptors: int = 0

    @property
    def slow_health(self) -> float:
        """95th percentile of `health`, or infinity if there are fewer than two values."""
        if len(self.health) < 2:
            return math.inf
        return statistics.quantiles(self.health, n=20)[-1]


class WatchedRun:
    """A small run that is watched over its socket during all attacks.

    Args:
        owner: visitor who owns the run.
    """

    def __init__(self, owner: Visitor) -> None:
        self._owner, self._counts, self._ends = owner, [0], asyncio.Event()
        self._viewer: asyncio.Task[None] | None = None

    @property
    def frames(self) -> int:
        """Number of frames received."""
        return self._counts[0]

    async def watch(self) -> None:
        """Watch the run, or start another one if an attack has ended it.

        Raises:
            AssertionError: no run starts.
        """
        if self._viewer is None or self._viewer.done():
            run = (await self._owner.open("lab", f"{LIGHT}&steps={STEPS}")).run
            assert run is not None, "the watched run did not start"
            ready, target = asyncio.Semaphore(0), self._owner.target
            url = f"ws://{target.host}/live/{run}?v={WIRE_VERSION}"
            self._viewer = asyncio.create_task(one_viewer(
                url, target.url, self._counts, 0, ready, self._ends, cookie=self._owner.cookie
            ))  # fmt: skip
            await ready.acquire()
            await asyncio.sleep(EVEN_SECONDS)

    async def leave(self) -> None:
        """Stop watching."""
        self._ends.set()
        if self._viewer is not None:
            await asyncio.gather(self._viewer, return_exceptions=True)


@asynccontextmanager
async def measured(target: Target, run: WatchedRun) -> AsyncIterator[Figures]:
    """Yield the figures that are measured until the `with` block ends."""
    figures = Figures()
    looking = [asyncio.create_task(_ask_health(target, figures)),
               asyncio.create_task(_look(target.pid, figures))]  # fmt: skip
    began, frames = time.monotonic(), run.frames
    try:
        yield figures
    finally:
        figures.frames = (run.frames - frames) / (time.monotonic() - began)
        for task in looking:
            task.cancel()
        await asyncio.gather(*looking, return_exceptions=True)


async def _ask_health(target: Target, figures: Figures) -> None:
    """Send health requests until cancelled, and then wait for the requests that are still open."""

    async def ask() -> None:
        began = time.monotonic()
        try:
            answer = await target.ask(HEALTH)
            took = time.monotonic() - began if answer.status == 200 else PATIENCE
        except (OSError, EOFError, TimeoutError):
            took = PATIENCE
        figures.health.append(took)

    asked: set[asyncio.Task[None]] = set()
    try:
        while True:
            asked.add(asyncio.create_task(ask()))
            await asyncio.sleep(HEALTH_PAUSE)
    finally:
        await asyncio.gather(*asked)


async def _look(pid: int, figures: Figures) -> None:
    while True:
        figures.memory = max(figures.memory, resident(pid))
        figures.descriptors = max(figures.descriptors, descriptors(pid))
        await asyncio.sleep(LOOK_PAUSE)
