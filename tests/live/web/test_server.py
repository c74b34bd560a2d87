"""A whole server process with real sockets: its end, cut connections, and a base path."""

from __future__ import annotations

import base64
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.live.bench import same_as_undisturbed
from tests.live.conftest import OWNER, PATIENCE, SMALL, until
from tests.live.faults import alive

ROOT = Path(__file__).parents[3]
# This token makes `/status` include the process ids of the workers.
TOKEN = "a token of the tests"


class Server:
    """Server process, with methods for the requests that a browser sends."""

    def __init__(self, base: str = "", **limits: Any) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base = base
        limits = {"status_token": TOKEN, **limits}
        variables = {f"BNVIZ_{name.upper()}": str(value) for name, value in limits.items()}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.live.server", str(self.port), base],
            cwd=ROOT, env={**os.environ, "BNVIZ_WORKERS": "1", **variables},
        )  # fmt: skip
        until(self._healthy)

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def _healthy(self) -> bool:
        assert self.process.poll() is None
        try:
            return bool(self.get("/status"))
        except (URLError, ConnectionError):
            return False

    def get(self, path: str, data: bytes | None = None) -> bytes:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        request = Request(f"http://{self.host}{self.base}{path}", data, headers)
        with urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def status(self) -> dict[str, Any]:
        return json.loads(self.get("/status"))

    def start(self, pace: str = "fast") -> str:
        asked = {"owner": OWNER, "config": SMALL.model_dump(), "pace": pace}
        return self.get("/start", json.dumps(asked).encode()).decode()

    def watch(self, run: str, origin: str | None = "") -> ClientConnection:
        return connect(
            f"ws://{self.host}{self.base}/live/{run}", proxy=None,
            origin=f"http://{self.host}" if origin == "" else origin,  # type: ignore[arg-type]
        )  # fmt: skip

    def pids(self) -> list[int]:
        return [worker["pid"] for worker in self.status()["workers"]]

    def end(self, how: int) -> None:
        self.process.send_signal(how)
        self.process.wait(PATIENCE)


@contextmanager
def served(base: str = "", **limits: Any) -> Iterator[Server]:
    server = Server(base, **limits)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait(PATIENCE)


def next_frame(viewer: ClientConnection, step: int = 0) -> dict[str, Any]:
    """Acknowledge frames, and return the first frame at or after a step."""
    while True:
        message = json.loads(viewer.recv(PATIENCE))
        if message["type"] == "frame":
            viewer.send(json.dumps({"type": "ack", "seq": message["seq"]}))
            if message["step"] >= step:
                return message


def deaf_viewer(server: Server, run: str, buffer: int) -> socket.socket:
    """Return a socket that joins a run and never reads."""
    viewer = socket.socket()
    viewer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    viewer.connect(("127.0.0.1", server.port))
    key = base64.b64encode(os.urandom(16)).decode()
    viewer.sendall(
        f"GET {server.base}/live/{run} HTTP/1.1\r\nHost: {server.host}\r\n"
        f"Origin: http://{server.host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    return viewer


def test_sigterm_with_viewers_that_never_read_leaves_nothing():
    with served() as server:
        run = server.start("full")
        with server.watch(run) as brisk:
            next_frame(brisk, 50)
            deaf = [deaf_viewer(server, run, size) for size in (2_048, 65_536, 2**20)]
            until(lambda: server.status()["viewers"] == 4)
            next_frame(brisk, 400)
            pids = server.pids()
            server.process.send_signal(signal.SIGTERM)
            server.process.wait(PATIENCE)
        for viewer in deaf:
            viewer.close()
    until(lambda: not any(alive(pid) for pid in pids))


@pytest.mark.verify
def test_an_interrupted_server_leaves_nothing():
    """Send SIGINT, as Ctrl+C in a terminal does."""
    with served() as server:
        with server.watch(server.start()) as viewer:
            next_frame(viewer, 2)
            pids = server.pids()
            server.end(signal.SIGINT)
        until(lambda: not any(alive(pid) for pid in pids))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """Server with two workers. It is killed at the end, and no process may remain."""
    limits = {"starts_per_minute": 999, "runs_per_owner": 99}
    with served("/some/prefix", workers=2, **limits) as server:
        yield server
        with server.watch(server.start()) as viewer:
            next_frame(viewer, 5)
            pids = server.pids()
            server.end(signal.SIGKILL)
        assert len(pids) == 2
        until(lambda: not any(alive(pid) for pid in pids))


def test_a_cut_socket_reconnects_and_catches_up(server: Server):
    run = server.start()
    with server.watch(run) as first:
        seen = next_frame(first, 30)
        first.socket.shutdown(socket.SHUT_RDWR)
        with pytest.raises(ConnectionClosed):
            next_frame(first, 10**9)
    with server.watch(run) as second:
        hello = json.loads(second.recv(PATIENCE))
        assert hello["type"] == "hello"
        assert hello["history"][0][1] == 0
        frame = next_frame(second, seen["step"] + 20)
        assert frame["seq"] > seen["seq"]
        same_as_undisturbed(frame, SMALL)
        past = json.loads(server.get(f"/history/{run}/{seen['seq']}"))
        assert past["arrays"] == seen["arrays"]


def test_connections_that_send_half_a_request_are_closed():
    with served(request_seconds=2) as server:
        for sent in (b"", b"GET /status HTTP/1.1\r\nHost: x\r\n", b"POST /start HTTP/1.1\r\n"):
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as half:
                half.sendall(sent)
                assert half.recv(1) == b"", "the server has closed it"
        assert server.status()["workers"]


def test_everything_works_under_a_base_path(server: Server):
    from bnviz.live.web.assets import VERSION

    run = server.start()
    with server.watch(run) as viewer:
        next_frame(viewer, 3)
    assert json.loads(server.get(f"/history/{run}"))["kept"]
    assert server.get(f"/series/{run}?field=none.loss")
    assert server.get(f"/export/{run}.csv")
    assert server.get(f"/assets/{VERSION}/live_view.js")
    assert server.get(f"/plotly/{VERSION}.js")
    assert server.get("/qr.svg?data=hello").startswith(b"<?xml")


def test_a_wrong_or_missing_origin_is_refused_before_the_socket_opens(server: Server):
    run, answers = server.start(), {}
    others = ("null", "http://evil.example", "https://127.0.0.1", "http://127.0.0.1", "file://")
    for origin in (None, *others, "x"):
        with pytest.raises(InvalidStatus) as refused, server.watch(run, origin):
            pass
        answers[origin] = refused.value.response.status_code
    assert not {origin: code for origin, code in answers.items() if code != 403}


def test_a_run_that_is_over_is_said_to_be(server: Server):
    with server.watch("0" * 32) as viewer:
        assert json.loads(viewer.recv(PATIENCE))["key"] == "expired"
        with pytest.raises(ConnectionClosed):
            viewer.recv(PATIENCE)


def test_a_client_of_another_version_is_told_to_reload(server: Server):
    run = server.start()
    url = f"ws://{server.host}{server.base}/live/{run}?v=0"
    with connect(url, origin=f"http://{server.host}", proxy=None) as viewer:  # type: ignore[arg-type]
        assert json.loads(viewer.recv(PATIENCE))["key"] == "reload"
