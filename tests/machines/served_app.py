"""The whole app in its own processes, and a visitor without a browser who opens a page.

The visitor sends what Streamlit's page sends over its socket, reads the page's run from the
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
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import ClientConnection, connect

from bnviz.live.web.owner import COOKIE
from tests.live.conftest import until

# Variables of the tests' own Python that the app must not inherit, above all the paths to code.
NOT_PASSED_ON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
# Timeout in seconds. Two large programs start one after the other, possibly on a busy machine.
PATIENCE = 180.0
# Maximum number of messages to read before giving up. A page needs hundreds, and a run's socket
# sends a few before its first frame.
MOST_MESSAGES = 2000


class ServedApp:
    """Running server process.

    Args:
        command: command that serves the app, with `{port}` for the port.
        log: new file for the output of all processes of the server.
        variables: environment variables to add.
    """

    def __init__(
        self, command: Sequence[str], cwd: Path, log: Path, variables: Mapping[str, str]
    ) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._host = f"localhost:{free.getsockname()[1]}"
        self._log = log
        port = self._host.partition(":")[2]
        ours = {name: text for name, text in os.environ.items() if name not in NOT_PASSED_ON}
        with log.open("wb") as file:
            self._process = subprocess.Popen(
                [part.replace("{port}", port) for part in command], cwd=cwd,
                env={**ours, "BNVIZ_WORKERS": "1", "PYTHONWARNDEFAULTENCODING": "1", **variables},
                stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def said(self) -> str:
        """Return the output of all processes of the server so far."""
        return self._log.read_text("utf-8", errors="replace")

    def get(self, path: str) -> bytes:
        with urlopen(f"http://{self._host}{path}", timeout=PATIENCE) as answer:
            return answer.read()

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

    def watch(self, page: str, query: str) -> dict[str, Any]:
        """Open a page and return the first frame of its run after step 0.

        Raises:
            AssertionError: if there is no such frame.
        """
        with urlopen(f"http://{self._host}/_stcore/host-config", timeout=PATIENCE) as answer:
            cookies = [line.partition(";")[0] for line in answer.headers.get_all("Set-Cookie")]
        cookie = next(each for each in cookies if each.startswith(f"{COOKIE}="))
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
            f"ws://{self._host}{path}", origin=f"http://{self._host}",  # type: ignore[arg-type]
            subprotocols=protocols, additional_headers={"Cookie": cookie}, proxy=None,
            max_size=None,
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

    def end(self) -> None:
        """Kill the server's process group. Its workers then end by themselves."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)


def _run_shown(message: bytes) -> str | None:
    """Return the run of a page if this message contains the page's live view, else None."""
    said = ForwardMsg.FromString(message)
    shown = said.delta.new_element.bidi_component.json
    return json.loads(shown).get("run") if shown else None


@contextmanager
def served_app(
    command: Sequence[str], cwd: Path, log: Path, **variables: str
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
