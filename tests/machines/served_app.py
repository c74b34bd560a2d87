"""The whole app in its own processes, and a visitor without a browser who opens a page.

A visitor sends what Streamlit's page sends over its socket, reads the page's run from the
response, and watches the run over the run's socket.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from ssl import SSLContext
from typing import Any
from urllib.error import URLError
from urllib.request import Request, urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from bnviz.live.web.cookies import names_of
from bnviz.live.web.owner import COOKIE
from tests.live.conftest import until

# Variables of the tests' own Python that the app must not inherit, above all the paths to code.
NOT_PASSED_ON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
# Variables of the app. It must not save its state in the developer's own folder.
OWN_VARIABLES = {
    "BNVIZ_WORKERS": "1", "BNVIZ_STATE_DIR": "", "PYTHONWARNDEFAULTENCODING": "1",
}  # fmt: skip
# Timeout in seconds. Two large programs start one after the other, possibly on a busy machine.
PATIENCE = 180.0
# Maximum number of messages to read before giving up. A page needs hundreds, and a run's socket
# sends a few before its first frame.
MOST_MESSAGES = 2000


class Visitor:
    """Visitor without a browser.

    Args:
        address: address of the app as the visitor reaches it, such as `http://localhost:8501`.
        log: file with the output of the server's processes.
        context: certificates that the visitor trusts, for an address that begins with `https`.
    """

    def __init__(self, address: str, log: Path, context: SSLContext | None = None) -> None:
        self.address, self.log, self._context = address, log, context

    def said(self) -> str:
        """Return the output of all processes of the server so far."""
        return self.log.read_text("utf-8", errors="replace")

    def open(self, request: str | Request) -> Any:
        """Open a path or a request, and return the response."""
        asked = f"{self.address}{request}" if isinstance(request, str) else request
        return urlopen(asked, timeout=PATIENCE, context=self._context)

    def get(self, path: str) -> bytes:
        with self.open(path) as answer:
            return answer.read()

    def cookie(self) -> str:
        """Return the `Set-Cookie` header that a new browser gets."""
        with self.open("/_stcore/host-config") as answer:
            given = answer.headers.get_all("Set-Cookie")
        return next(each for each in given if each.partition("=")[0] in names_of(COOKIE))

    def watch(self, page: str, query: str) -> dict[str, Any]:
        """Open a page and return the first frame of its run after step 0.

        Raises:
            AssertionError: if there is no such frame.
        """
        cookie = self.cookie().partition(";")[0]
        with self._socket("/_stcore/stream", cookie) as visit:
            asked = BackMsg()
            asked.rerun_script.query_string, asked.rerun_script.page_name = query, page
            visit.send(asked.SerializeToString())
            run = next(filter(None, map(_run_shown, self._messages(visit))), "none")
            with self._socket(f"/live/{run}", cookie) as viewer:
                for message in map(json.loads, self._messages(viewer)):
                    if message["type"] == "frame":
                        viewer.send(json.dumps({"type": "ack", "seq": message["seq"]}))
                        if message["step"]:
                            return message
        raise AssertionError("no frame came")

    def _socket(self, path: str, cookie: str) -> ClientConnection:
        protocols = ["streamlit"] if path.endswith("stream") else None
        return connect(
            f"{self.address.replace('http', 'ws', 1)}{path}", origin=self.address,  # type: ignore[arg-type]
            subprotocols=protocols, additional_headers={"Cookie": cookie}, proxy=None,
            max_size=None, ssl=self._context,
        )  # fmt: skip

    def _messages(self, connection: ClientConnection) -> Iterator[Any]:
        for _ in range(MOST_MESSAGES):
            yield until(lambda: self._next(connection), PATIENCE)

    def _next(self, connection: ClientConnection) -> Any:
        """Return the next message, or None if none arrives within a second."""
        for trouble in ("worker died", "run failed", "page failed"):
            assert f'"event":"{trouble}"' not in self.said(), trouble
        with suppress(TimeoutError):
            return connection.recv(1.0)
        return None


class ServedApp(Visitor):
    """Running server process, and a visitor on this machine.

    Args:
        command: command that serves the app, with `{port}` for the port.
        log: new file for the output of all processes of the server.
        variables: environment variables to add, or None for one to remove.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, log: Path, variables: Mapping[str, str | None]
    ) -> None:
        self.port = str(free_port())
        super().__init__(f"http://localhost:{self.port}", log)
        ours = {name: text for name, text in os.environ.items() if name not in NOT_PASSED_ON}
        given = {**ours, **OWN_VARIABLES, **variables}
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                [part.replace("{port}", self.port) for part in command], cwd=cwd,
                env={name: text for name, text in given.items() if text is not None},
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
        self.pid = self._process.pid

    def is_healthy(self) -> bool:
        """Return whether the server responds.

        Raises:
            AssertionError: if the server has ended.
        """
        assert self._process.poll() is None, "the server has ended"
        try:
            return self.get("/_stcore/health") == b"ok"
        except (URLError, ConnectionError):
            return False

    def stop(self) -> int:
        """Ask the server to end, as a service manager does, and return its exit status."""
        self._process.terminate()
        return self._process.wait(PATIENCE)

    def end(self) -> None:
        """Kill the server's process group. Its workers then end by themselves."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _run_shown(message: bytes) -> str | None:
    """Return the run of a page if this message contains the page's live view, else None."""
    said = ForwardMsg.FromString(message)
    shown = said.delta.new_element.bidi_component.json
    return json.loads(shown).get("run") if shown else None


@contextmanager
def served_app(
    command: Sequence[str], cwd: Path, log: Path, **variables: str | None
) -> Iterator[ServedApp]:
    """Yield a running app that responds, and end it afterwards."""
    app = ServedApp(command, cwd, log, variables)
    try:
        until(app.is_healthy, PATIENCE)
        yield app
    except BaseException:
        print(app.said())
        raise
    finally:
        app.end()
