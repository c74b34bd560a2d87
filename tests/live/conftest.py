"""A real hub with real workers, on a thread of its own, and viewers that watch it."""

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
# Small networks: these tests are about the path, not about what is learned.
SMALL = RunConfig(depth=2, width=16, batch_size=16)
# Probes that are measured only while somebody wants them, and one of them that is cheap.
OPTIONAL = [name for name, entry in PROBES.items() if not entry.default_view]
SOME = next(name for name in OPTIONAL if PROBES[name].cheap)
# What never comes fails just as surely, only later.
PATIENCE = 300.0


@pytest.fixture
def anyio_backend() -> str:
    """For tests marked `anyio`: they run on asyncio's loop, as the server does."""
    return "asyncio"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A machine with much else to do takes many times as long."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.timeout(600))


def until(condition: Callable[[], Any], seconds: float = PATIENCE) -> Any:
    """The condition's first true value.

    Raises:
        AssertionError: there was none in time.
    """
    deadline, tick = time.monotonic() + seconds, threading.Event()
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not in {seconds:g} s: {condition}"
        tick.wait(0.01)
    return value


class Watcher:
    """A viewer whose socket is a list. It acknowledges what it gets, unless told not to."""

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
        """The first frame at or after a step, waited for."""
        return until(lambda: next((f for f in self.frames() if f["step"] >= step), None))

    def set_knob(self, knob: str, value: Any, drag: int = 0) -> int:
        """Set a knob over the socket; returns the number the message has."""
        self.last_number += 1
        message = SetKnob(n=self.last_number, knob=knob, value=value, drag=drag)
        self.live.call(lambda: self.live.hub.viewers.change(self.viewer, message))
        return message.n

    def act(self, action: str, value: Any) -> int:
        """Do an action over the socket; returns the number the message has."""
        self.last_number += 1
        message = Act(n=self.last_number, action=action, value=value)
        self.live.call(lambda: self.live.hub.viewers.change(self.viewer, message))
        return message.n

    def answer(self, n: int) -> dict[str, Any]:
        """What the hub said to a value or an action, or to one after it; waited for."""
        answers = lambda: [m for kind in ("knob", "acted", "refused") for m in self.said(kind)]  # noqa: E731
        return until(lambda: next((m for m in answers() if m["n"] >= n), None))

    def leave(self) -> None:
        self.live.watchers.remove(self)
        self.live.call(self.viewer.drop)
        self._serving.result(PATIENCE)
        self.live.call(lambda: self.live.hub.viewers.leave(self.viewer))


class LiveHub:
    """A hub on its own thread."""

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
        """Every watcher leaves and every run ends: what a test has left costs the next nothing."""
        for watcher in list(self.watchers):
            watcher.leave()
        self.call(self._end_runs)

    def _end_runs(self) -> None:
        with self.hub.registry.lock:
            for run in list(self.hub.registry.runs.values()):
                self.hub.registry.end(run, "its test is over")

    @contextmanager
    def limited(self, **limits: Any) -> Iterator[None]:
        """Other limits, for what begins meanwhile."""
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
        """Call on the hub's loop."""

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
        """Wait until a run has come to a step."""
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


# So that one hub can serve the tests of all modules.
MANY = {"runs_per_owner": 99, "max_runs": 99, "starts_per_minute": 9_999}


@pytest.fixture(scope="session")
def shared() -> Iterator[LiveHub]:
    """A hub with one worker for all tests that don't break it."""
    with serving(workers=1, grace_seconds=0.3, away_seconds=0, **MANY) as live:
        yield live


@pytest.fixture
def live(shared: LiveHub) -> Iterator[LiveHub]:
    """The shared hub; whatever a test has left there ends after it."""
    yield shared
    shared.empty()


@pytest.fixture(scope="session")
def broken_often() -> Iterator[LiveHub]:
    """A hub whose two workers are killed and frozen; they are replaced without a pause.

    One that a test has frozen, or that gets no processor, is not taken for one that hangs.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnviz.live.runs.workers.YOUNG_SECONDS", 0.0)
        patch.setattr("bnviz.live.runs.housekeeping.TICK_SECONDS", 0.1)
        patient = {"hang_seconds": 600.0, "silence_seconds": 600.0}
        with serving(workers=2, checkpoint_seconds=0.1, **patient, **MANY) as live:
            yield live


@pytest.fixture
def mortal(broken_often: LiveHub) -> Iterator[LiveHub]:
    """That hub, both workers ready; whatever a test has left there ends after it."""
    until(broken_often.all_ready)
    yield broken_often
    broken_often.empty()


@pytest.fixture
def unmoved(monkeypatch: pytest.MonkeyPatch) -> None:
    """No run is moved from one worker to another that has less to do, unless its worker dies."""
    monkeypatch.setattr("bnviz.live.runs.workers.UNEVEN", 1_000)


@pytest.fixture
def stubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Makes hubs whose one worker is a small program; see `write_worker`."""
    # So short that nobody waits for the clock.
    monkeypatch.setattr("bnviz.live.runs.workers.YOUNG_SECONDS", 0.0)
    monkeypatch.setattr("bnviz.live.runs.workers.PING_SECONDS", 0.1)

    def served(says: str = "", hears: str = SHOW, first: str = "", **limits: Any) -> Any:
        write_worker(path := tmp_path / "worker", says, hears, first)
        monkeypatch.setattr(sys, "executable", str(path))
        return serving(**limits)

    return served


@pytest.fixture(scope="session")
def served() -> Iterator[tuple[TestClient, Hub]]:
    """The app under `/x`, for the tests of all modules, and its hub."""
    limits = Settings(workers=1, grace_seconds=3000, **MANY)
    app = Starlette(routes=routes("/x"), lifespan=lifespan_of(limits), middleware=middleware)
    with TestClient(app) as client:
        yield client, current_hub()


@pytest.fixture(scope="module")
def client(served: tuple[TestClient, Hub]) -> Iterator[TestClient]:
    """The app as a browser without cookies finds it; its hub is the current one."""
    client, hub = served
    client.cookies.clear()
    before = install_hub(hub)
    yield client
    install_hub(before)


@pytest.fixture(scope="session")
def measurer() -> Iterator[MeasurerLink]:
    """A process that measures for all schedulers of the tests."""
    link = MeasurerLink()
    yield link
    link.close()


def probes_of(frame: dict[str, Any]) -> set[str]:
    """The probes that a frame has values of."""
    return set(frame["networks"]["batch"]["measured_at"])


def arrays_of(frame: dict[str, Any]) -> dict[str, bytes]:
    """Every array of a frame that was measured at its step, as bytes.

    Drift since the last frame is left out: when that was is a matter of pace.
    """
    found = {}
    for name, spec in frame["arrays"].items():
        norm, probe, value = name.split(".")
        measured_at = frame["networks"][norm]["measured_at"][probe]
        if measured_at == frame["step"] and not value.endswith("_last"):
            found[name] = untyped(spec).tobytes()
    return found
