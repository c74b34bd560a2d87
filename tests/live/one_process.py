"""Hub and workers in one process and one thread, with a clock that the test advances.

The hub, the schedulers and the experiments are real. The processes, their pipes, the event loop,
the clock and the thread that builds experiments are replaced by stand-ins. So is the process for
slow probes, which never answers.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import json
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from bnviz.live.hub import Hub
from bnviz.live.protocol.wire import Header, Unpacker, pack
from bnviz.live.runs.viewer import Viewer
from bnviz.live.runs.worker_process import Death
from bnviz.live.settings import Settings
from bnviz.live.worker.scheduler import Scheduler

# Seconds by which a worker's clock advances at each reading, so that a slice of 10 ms contains ten
# units of work.
TICK = 0.001

Call = Callable[..., object]


class Clock:
    """Stand-in for the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now

    def perf_counter(self) -> float:
        self.now += TICK
        return self.now

    def thread_time(self) -> float:
        return self.now


class Timer:
    """Stand-in for a timer of the event loop."""

    def __init__(self, at: float, call: Call, arguments: tuple[Any, ...]) -> None:
        self.at, self._call, self._arguments = at, call, arguments
        self._cancelled = False

    def cancel(self) -> None:
        self._cancelled = True

    def run(self) -> None:
        if not self._cancelled:
            self._call(*self._arguments)


class Loop:
    """Stand-in for the event loop: calls are queued until the test runs them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ready: deque[Timer] = deque()
        self._timers: list[tuple[float, int, Timer]] = []
        self._numbers = itertools.count()

    def call_soon_threadsafe(self, call: Call, *arguments: Any) -> None:
        self._ready.append(Timer(self._clock.now, call, arguments))

    def call_later(self, seconds: float, call: Call, *arguments: Any) -> Timer:
        timer = Timer(self._clock.now + seconds, call, arguments)
        heapq.heappush(self._timers, (timer.at, next(self._numbers), timer))
        return timer

    def run(self) -> None:
        """Run all calls that are due, including calls scheduled meanwhile."""
        while self._ready or (self._timers and self._timers[0][0] <= self._clock.now):
            if not self._ready:
                self._ready.append(heapq.heappop(self._timers)[2])
            self._ready.popleft().run()


class SilentMeasurer:
    """Stand-in for the link to the process for slow probes."""

    def warm_up(self) -> None: ...
    def forget(self, run: str) -> None: ...
    def request(self, header: Header, checkpoint: bytes) -> None: ...
    def answers(self) -> list[tuple[Header, bytes]]:
        return []

    def status(self) -> Header:
        return {}


class InlineThread:
    """Stand-in for a thread: `start` runs the target at once."""

    def __init__(self, target: Call, args: tuple[Any, ...] = (), *, daemon: bool = False) -> None:
        self._target, self._args = target, args

    def start(self) -> None:
        self._target(*self._args)


def travelled(header: Header, payload: bytes = b"") -> tuple[Header, bytes]:
    """Return a message as it arrives after transport through a pipe."""
    return next(Unpacker().feed(pack(header, payload)))


class OneWorker:
    """Stand-in for a worker process: a scheduler and two queues of unread messages.

    Attributes:
        to_it, from_it: messages to the worker, and messages from the worker.
    """

    pid, runs, busy_share = 1, 0, 0.0

    def __init__(self, worker_index: int) -> None:
        self.worker_index, self.ready = worker_index, True
        self.to_it: deque[tuple[Header, bytes]] = deque()
        self.from_it: deque[tuple[Header, bytes]] = deque()
        self.scheduler = Scheduler(
            lambda *message: self.from_it.append(travelled(*message)),
            link=SilentMeasurer(),  # type: ignore[arg-type]
        )

    def read(self, most: int) -> None:
        """Let the worker handle up to `most` messages from the hub."""
        for _ in range(min(most, len(self.to_it))):
            self.scheduler.handle(*self.to_it.popleft())

    def goes_to(self, run: str) -> int:
        """Return the step at which a run will be once it has done all steps begun or requested."""
        found = self.scheduler.runs.get(run)
        if found is None:
            return 0
        ordered = found._steps._single_steps
        begins = found.step if found._experiment is not None else 0
        under_way = found._steps.under_way and not ordered
        return max(begins, found._catch_up_to or 0) + under_way + ordered

    def work(self, slices: int) -> None:
        for _ in range(slices):
            if self.scheduler.wait() == 0:
                self.scheduler.work()


class OneProcess:
    """Stand-in for `bnviz.live.runs.workers.Workers`. It replaces dead workers at once."""

    has_gpu = False

    def __init__(self, settings: Settings, numbers: Iterable[int], _gpu: None) -> None:
        self.all = {number: OneWorker(number) for number in numbers}
        self.replaced = self.deaths = self.hangs = 0

    def worker_indices(self, _device: str) -> list[int]:
        return [*self.all]

    def start(self, on_message: Call, on_start: Call, on_death: Call) -> None:
        self._on_message, self._on_start, self._on_death = on_message, on_start, on_death
        for number in self.all:
            self._on_start(number)

    def at(self, number: int) -> OneWorker:
        return self.all[number]

    def living(self) -> list[OneWorker]:
        return [*self.all.values()]

    def end_hung(self) -> None: ...
    def check(self) -> None: ...

    def send(self, number: int, header: Header, payload: bytes = b"") -> None:
        self.all[number].to_it.append(travelled(header, payload))

    def hear(self, number: int, most: int) -> None:
        """Let the hub read up to `most` messages from a worker."""
        worker = self.all[number]
        for _ in range(min(most, len(worker.from_it))):
            self._on_message(worker, *worker.from_it.popleft())

    def kill(self, number: int, run: str | None) -> None:
        """Kill a worker and discard its unread messages.

        Args:
            run: run that the worker was working on, or None.
        """
        self.deaths += 1
        self.all[number] = OneWorker(number)
        self.all[number].ready = False
        self._on_death(Death(number, None, run))
        self.all[number].ready = True
        self._on_start(number)


class Tab:
    """Stand-in for a socket that takes its viewer's messages on request.

    Attributes:
        viewer: the hub's end of the socket.
        heard: messages taken so far.
        values, actions: numbers of the knob messages and of the action messages that were sent.
    """

    def __init__(self) -> None:
        self.viewer = Viewer(self._never, 5.0)
        self.heard: list[dict[str, Any]] = []
        self.values: list[int] = []
        self.actions: list[int] = []

    def unanswered(self) -> list[int]:
        """Return the numbers of the messages without a response. A response to a knob value also
        covers all earlier knob values.
        """
        answers = [said["n"] for said in self.heard if "n" in said]
        assert len(set(answers)) == len(answers), "each number is answered once"
        last = max((said["n"] for said in self.heard if said["type"] == "knob"), default=-1)
        due = [*self.actions, *(n for n in self.values if n > last)]
        return [n for n in due if n not in answers]

    async def _never(self, text: str) -> None:
        raise NotImplementedError

    def take(self, most: int, answers: bool = True) -> None:
        """Take up to `most` messages. Acknowledge frames and heartbeats unless the tab is slow."""
        for _ in range(most):
            text = self.viewer._take()
            if text is None:
                return
            message = json.loads(text)
            self.heard.append(message)
            if answers and message["type"] == "frame":
                self.viewer.acknowledge(message["seq"])
            elif answers and message["type"] == "beat":
                self.viewer.beat()


def opened_hub(settings: Settings, loop: Loop) -> tuple[Hub, OneProcess]:
    """Return a new hub and its workers, within `one_process`."""
    hub = Hub(settings)
    hub.registry.open(hub.receive, hub.recover)
    loop.run()
    workers: Any = hub.registry.workers
    return hub, workers


@contextmanager
def one_process(**settings: Any) -> Iterator[tuple[Hub, OneProcess, Clock, Loop]]:
    """Yield a hub together with its stand-ins for workers, clock and event loop."""
    clock, ids = Clock(), itertools.count(1)
    loop = Loop(clock)
    with pytest.MonkeyPatch.context() as patch:
        for name, module in [*sys.modules.items()]:
            if name.startswith("bnviz.") and getattr(module, "time", None) is time:
                patch.setattr(module, "time", clock)
        threads = SimpleNamespace(Thread=InlineThread)
        patch.setattr("bnviz.live.worker.builder.threading", threads)
        patch.setattr("bnviz.live.runs.registry.Workers", OneProcess)
        # Give short runs many checkpoints.
        patch.setattr("bnviz.live.worker.checkpoints.STORE_STEPS", 4)
        patch.setattr("bnviz.live.worker.checkpoints.STORE_SHARE", 1.0)
        secrets = SimpleNamespace(token_hex=lambda size: f"{next(ids):032x}")
        patch.setattr("bnviz.live.runs.admission.secrets", secrets)
        asyncio._set_running_loop(loop)  # type: ignore[arg-type]
        try:
            yield *opened_hub(Settings(**settings), loop), clock, loop
        finally:
            asyncio._set_running_loop(None)
