"""The whole app as processes of its own, and a visitor without a browser, who opens a page of it.

The visitor says what Streamlit's page says over its socket, finds in the answer which run the page
shows, and watches that over the run's socket.
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

# What the tests' own Python was told must not reach the app: above all, where the code lies.
NOT_PASSED_ON = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
# Two large programs start one after the other, here beside whatever else the machine does.
PATIENCE = 180.0
# A page is drawn by hundreds of messages, a run's socket says some words before its first frame.
MOST_MESSAGES = 2000


class ServedApp:
    """An app that is being served.

    Args:
        command: what serves it; `{port}` stands for a port.
        cwd: where the command runs.
        log: a new file for all that its processes say.
        variables: added to the environment.
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
        """All that its processes have said so far."""
        return self._log.read_text("utf-8", errors="replace")

    def get(self, path: str) -> bytes:
        """What a browser gets from an address."""
        with urlopen(f"http://{self._host}{path}", timeout=PATIENCE) as answer:
            return answer.read()

    def is_healthy(self) -> bool:
        """Whether it answers.

        Raises:
            AssertionError: it has ended.
        """
        assert self._process.poll() is None, "the server has ended"
        try:
            return self.get("/_stcore/health") == b"ok"
        except (URLError, ConnectionError):
            return False

    def watch(self, page: str, query: str) -> dict[str, Any]:
        """The first frame that a visitor of a page sees of its run once that has made a step.

        Raises:
            AssertionError: there is none.
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
        """What comes within a second; None if nothing does."""
        for trouble in ("worker died", "run failed", "page failed"):
            assert f'"event":"{trouble}"' not in self.said(), trouble
        with suppress(TimeoutError):
            return connection.recv(1.0)
        return None

    def end(self) -> None:
        """End it at once, and whatever serves it; its workers follow by themselves."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(PATIENCE)


def _run_shown(message: bytes) -> str | None:
    """The run that a page shows, if this message draws its live view."""
    said = ForwardMsg.FromString(message)
    shown = said.delta.new_element.bidi_component.json
    return json.loads(shown).get("run") if shown else None


@contextmanager
def served_app(
    command: Sequence[str], cwd: Path, log: Path, **variables: str
) -> Iterator[ServedApp]:
    """An app that answers; ended afterwards."""
    app = ServedApp(command, cwd, log, variables)
    try:
        until(app.is_healthy, PATIENCE)
        yield app
    except BaseException:
        print(app.said())
        raise
    finally:
        app.end()
