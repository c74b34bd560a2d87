"""Real hub in its own thread, with real workers, and viewers that watch its runs."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from bnviz.config import RunConfig
from bnviz.live import current_hub, install_hub
from bnviz.live.app import lifespan_of, middleware, routes
from bnviz.live.hub import Hub
from bnviz.live.protocol.client_messages import Act, SetKnob
from bnviz.live.protocol.frames import untyped
from bnviz.live.runs import run_messages
from bnviz.live.runs.run import RunInfo
from bnviz.live.runs.viewer import Viewer
from bnviz.live.settings import Settings
from bnviz.live.worker.slow_probes import MeasurerLink
from bnviz.probes import PROBES
from tests.live.stub_worker import SHOW, write_worker

OWNER = "a" * 64
STRANGER = "b" * 64
# Config of a run that is small, because these tests check the transport, not the training.
SMALL = RunConfig(depth=2, width=16, batch_size=16)
# Probes that are measured only on request, and one of these probes that is cheap.
OPTIONAL = [name for name, entry in PROBES.items() if not entry.default_view]
SOME = next(name for name in OPTIONAL if PROBES[name].cheap)
# Timeout in seconds. It is generous: if a result never arrives, the test still fails, only later.
PATIENCE = 300.0


@pytest.fixture
def anyio_backend() -> str:
    """Run tests marked `anyio` on asyncio, as the server does."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Raise the time limit of these tests, because a busy machine is many times slower."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(600))


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """Poll a condition and return its first true value.

    Raises:
        AssertionError: if the condition is not true in time.
    """
    deadline, tick = time.monotonic() + seconds, threading.Event()
    while not (value := condition()):
        assert time.monotonic() < deadline, f"condition not met within {seconds:g} s: {condition}"
        tick.wait(0.01)
    return value


class Watcher:
    """Viewer that appends the messages it receives to a list, and acknowledges them if
    `acknowledges` is true.
    """

    def __init__(
        self, live: LiveHub, run: str, *, acknowledges: bool = True, owner: str = ""
    ) -> None:
        self.live, self.run, self.acknowledges = live, run, acknowledges
        self.messages: list[dict[str, Any]] = []
        self.viewer = live.call(lambda: Viewer(self._take, 5.0))
        live.call(lambda: live.hub.viewers.join(run, self.viewer, owner))
        self.last_number = 0
        self._serving = asyncio.run_coroutine_threadsafe(self.viewer.serve(), live.loop)
        live.watchers.append(self)

    async def _take(self, text: str) -> None:
        message = json.loads(text)
        self.messages.append(message)
        if message["type"] == "frame" and self.acknowledges:
            self.viewer.acknowledge(message["seq"])

    def frames(self) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == "frame"]

    def said(self, kind: str) -> list[dict[str, Any]]:
        return [message for message in self.messages if message["type"] == kind]

    def frame_at(self, step: int) -> dict[str, Any]:
        """Wait for the first frame at or after a step, and return it."""
        return until(lambda: next((f for f in self.frames() if f["step"] >= step), None))

    def set_knob(self, knob: str, value: Any, drag: int = 0) -> int:
        """Set a knob over the socket and return the number of the message."""
        self.last_number += 1
        message = SetKnob(n=self.last_number, knob=knob, value=value, drag=drag)
        self.live.call(lambda: self.live.hub.viewers.change(self.viewer, message))
        return message.n

    def act(self, action: str, value: Any) -> int:
        """Send an action over the socket and return the number of the message."""
        self.last_number += 1
        message = Act(n=self.last_number, action=action, value=value)
        self.live.call(lambda: self.live.hub.viewers.change(self.viewer, message))
        return message.n

    def answer(self, n: int) -> dict[str, Any]:
        """Wait for the hub's response to message `n` or to a later message, and return it."""
        answers = lambda: [m for kind in ("knob", "acted", "refused") for m in self.said(kind)]  # noqa: E731
        return until(lambda: next((m for m in answers() if m["n"] >= n), None))

    def leave(self) -> None:
        self.live.watchers.remove(self)
        self.live.call(self.viewer.drop)
        self._serving.result(PATIENCE)
        self.live.call(lambda: self.live.hub.viewers.leave(self.viewer))


class LiveHub:
    """Hub that runs in its own thread."""

    def __init__(self, settings: Settings) -> None:
        self.hub = Hub(settings)
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve)
        self.watchers: list[Watcher] = []

    def _serve(self) -> None:
        self.loop.run_forever()
        self.loop.close()

    def start(self) -> None:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.hub.open(), self.loop).result(PATIENCE)

    def empty(self) -> None:
        """Remove all watchers and end all runs, so that the next test starts without load."""
        for watcher in list(self.watchers):
            watcher.leave()
        self.call(self._end_runs)

    def _end_runs(self) -> None:
        with self.hub.registry.lock:
            for run in list(self.hub.registry.runs.values()):
                self.hub.registry.end(run, "its test is over")

    @contextmanager
    def limited(self, **limits: Any) -> Iterator[None]:
        """Change limits of the hub within a `with` block."""
        before = self.hub.settings
        self.hub.settings = self.hub.registry.settings = dataclasses.replace(before, **limits)
        try:
            yield
        finally:
            self.hub.settings = self.hub.registry.settings = before

    def all_ready(self) -> bool:
        workers = self.call(self.hub.viewers.status)["workers"]
        return [worker["ready"] for worker in workers] == [True] * self.hub.settings.workers

    def stop(self) -> None:
        self.empty()
        asyncio.run_coroutine_threadsafe(self.hub.close(), self.loop).result(PATIENCE)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(PATIENCE)

    def call(self, function: Callable[[], Any]) -> Any:
        """Call a function on the hub's event loop, and return its result."""

        async def called() -> Any:
            return function()

        return asyncio.run_coroutine_threadsafe(called(), self.loop).result(PATIENCE)

    def watch(self, run: str, **options: Any) -> Watcher:
        return Watcher(self, run, **options)

    def info(self, run: str) -> RunInfo:
        info = self.hub.info(run)
        assert info is not None
        return info

    def reach(self, run: str, step: int, seconds: float = PATIENCE) -> RunInfo:
        """Wait until a run has reached a step."""
        until(lambda: self.info(run).step >= step, seconds)
        return self.info(run)

    def frame(self, run: str, seq: int) -> dict[str, Any]:
        def nearest() -> bytes:
            with self.hub.registry.held(run) as found:
                return run_messages.frame(found, found.history.nearest(seq))

        return json.loads(self.call(nearest))

    def history_steps(self, run: str) -> list[int]:
        return [frame.step for frame in self.call(lambda: [*self.hub.registry.runs[run].history])]

    def history_frame(self, run: str, step: int) -> dict[str, Any]:
        frames = self.call(lambda: [*self.hub.registry.runs[run].history])
        return json.loads(next(frame.body for frame in frames if frame.step == step))

    def pids(self) -> list[int]:
        return [worker["pid"] for worker in self.call(self.hub.viewers.status)["workers"]]


@contextmanager
def serving(settings: Settings | None = None, **limits: Any) -> Iterator[LiveHub]:
    """A hub for one test."""
    live = LiveHub(settings or Settings(**{"workers": 1, **limits}))
    live.start()
    try:
        yield live
    finally:
        live.stop()


# Limits high enough for one hub to serve the tests of all modules.
MANY = {"runs_per_owner": 99, "max_runs": 99, "starts_per_minute": 9_999}


@pytest.fixture(scope="session")
def shared() -> Iterator[LiveHub]:
    """Hub with one worker, shared by all tests that leave it intact."""
    with serving(workers=1, grace_seconds=0.3, away_seconds=0, **MANY) as live:
        yield live


@pytest.fixture
def live(shared: LiveHub) -> Iterator[LiveHub]:
    """Shared hub, emptied after each test."""
    yield shared
    shared.empty()


@pytest.fixture(scope="session")
def broken_often() -> Iterator[LiveHub]:
    """Hub whose two workers are killed and frozen by tests, and replaced without a pause.

    A worker that is frozen or starved of CPU time does not count as hung.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnviz.live.runs.workers.YOUNG_SECONDS", 0.0)
        patch.setattr("bnviz.live.runs.housekeeping.TICK_SECONDS", 0.1)
        patient = {"hang_seconds": 600.0, "silence_seconds": 600.0}
        with serving(workers=2, checkpoint_seconds=0.1, **patient, **MANY) as live:
            yield live


@pytest.fixture
def mortal(broken_often: LiveHub) -> Iterator[LiveHub]:
    """Yield the hub of `broken_often` with both workers ready, and empty it after the test."""
    until(broken_often.all_ready)
    yield broken_often
    broken_often.empty()


@pytest.fixture
def unmoved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prevent the hub from moving a run to a less busy worker while the run's worker is alive."""
    monkeypatch.setattr("bnviz.live.runs.workers.UNEVEN", 1_000)


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return a function that starts a hub whose worker is a small program."""
    # Make the intervals so short that no test has to wait for a timer.
    monkeypatch.setattr("bnviz.live.runs.workers.YOUNG_SECONDS", 0.0)
    monkeypatch.setattr("bnviz.live.runs.workers.PING_SECONDS", 0.1)

    def served(says: str = "", hears: str = SHOW, first: str = "", **limits: Any) -> Any:
        write_worker(path := tmp_path / "worker", says, hears, first)
        monkeypatch.setattr(sys, "executable", str(path))
        return serving(**limits)

    return served


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[TestClient, Hub]]:
    """Test client of the app under `/x`, shared by all modules, and the app's hub."""
    limits = Settings(workers=1, grace_seconds=3000, **MANY)
    app = Starlette(routes=routes("/x"), lifespan=lifespan_of(limits), middleware=middleware)
    with TestClient(app) as client:
        yield client, current_hub()


@pytest.fixture(scope="module")
def client(served: tuple[TestClient, Hub]) -> Iterator[TestClient]:
    """Yield a client without cookies, and make its app's hub the current one."""
    client, hub = served
    client.cookies.clear()
    before = install_hub(hub)
    yield client
    install_hub(before)


@pytest.fixture(scope="session")
def measurer() -> Iterator[MeasurerLink]:
    """Link to the process for slow probes, shared by all schedulers in the tests."""
    link = MeasurerLink()
    yield link
    link.close()


def probes_of(frame: dict[str, Any]) -> set[str]:
    """Return the names of the probes that have values in a frame."""
    return set(frame["networks"]["batch"]["measured_at"])


def arrays_of(frame: dict[str, Any]) -> dict[str, bytes]:
    """Return the bytes of each array that was measured at the frame's own step.

    Drift since the last frame is left out, because the pace determines which frame was the last.
    """
    found = {}
    for name, spec in frame["arrays"].items():
        norm, probe, value = name.split(".")
        measured_at = frame["networks"][norm]["measured_at"][probe]
        if measured_at == frame["step"] and not value.endswith("_last"):
            found[name] = untyped(spec).tobytes()
    return found
