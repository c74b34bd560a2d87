"""A run of the real server whose worker is the test: it hands in recorded frames.

Chromium loads a page of ours in place of Streamlit's. Whatever that page asks for, its socket
included, the server's own routes answer. Two parts of the server are left out: the workers (see
`QuietHub`), and `Gate`, whose policy forbids the expressions that tests evaluate in the page.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from socket import create_server
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from bnviz.config import RunConfig
from bnviz.live import install_hub
from bnviz.live.app import routes
from bnviz.live.protocol.wire import Header
from bnviz.live.web.assets import VERSION
from bnviz.live.web.connections import Cuttable
from bnviz.live.web.owner import COOKIE, issuer
from bnviz.records import Change
from tests.live.runs.quiet_hub import QuietHub

PAGE = (Path(__file__).parent / "harness.html").read_text("utf-8").replace("VERSION", VERSION)
BLANK = '<!doctype html><link rel="icon" href="data:,">'


class Harness:
    """The server, on a free port and in a thread of its own.

    Attributes:
        data: what the page is mounted with.
        hub: the hub, which `begin` replaces.
        run: its run.
        heard: the messages of the run's sockets so far.
        asked: how often addresses were asked for, by their first part; that of sockets is "live".
        sockets: how many sockets are open.
        obeys: whether the worker does at once, after the newest step, what it is told.
    """

    hub: QuietHub

    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.heard: list[dict[str, Any]] = []
        self.asked: Counter[str] = Counter()
        self.sockets, self.obeys = 0, True
        self._news = threading.Condition()
        self._hub_before = install_hub(None)
        own = {"/": HTMLResponse(PAGE), "/blank": HTMLResponse(BLANK), "/data": self._data}
        self._app = Starlette(routes=[*(Route(*page) for page in own.items()), *routes()])
        app = Cuttable(self._overhear)
        config = uvicorn.Config(app, log_level="error", ws="websockets-sansio")
        self._server = uvicorn.Server(config)
        # Whoever calls before the server is there waits in this queue.
        listening = create_server(("127.0.0.1", 0))
        self.url = "http://{}:{}/".format(*listening.getsockname())
        self._loop = asyncio.new_event_loop()
        serving = self._server.serve([listening])
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=[serving], daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._loop.close()
        install_hub(self._hub_before)

    # What a test does.

    def begin(
        self, data: dict[str, Any], frames: Iterable[tuple[int, bytes]] = (), *,
        changes: Sequence[Change] = (), paused: bool = False, can_control: bool = True,
    ) -> None:  # fmt: skip
        """Start a run on a new hub, with kept frames: pairs of step and body."""
        self.heard, self.obeys = [], True
        self.asked.clear()
        signed = issuer().signer.new()
        self._cookie = signed if can_control else ""

        def start() -> None:
            self.hub = QuietHub()
            self.hub.registry.workers.answer = self._obey  # type: ignore[attr-defined]
            install_hub(self.hub)
            owner = issuer().signer.verify(signed) or ""
            config = RunConfig(**data.get("config", {}))
            run_id = self.hub.start(owner, config, changes=changes, paused=paused)
            self.run = self.hub.run(run_id)
            for step, body in frames:
                self.hub.hear_frame(run_id, step, body)

        self.call(start)
        self.data = {"run": self.run.id, **data}

    def call(self, function: Callable[..., Any], *given: Any, **named: Any) -> Any:
        """Call a function on the event loop."""

        async def call() -> Any:
            return function(*given, **named)

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(60)

    def hear(self, kind: str, payload: bytes = b"", **facts: Any) -> None:
        """Have the worker send a message."""
        self.call(self.hub.hear, self.run.id, kind, payload, **facts)

    def push(self, step: int, body: bytes) -> int:
        """Have the worker send a frame with the content of `body`. Returns the frame's number."""
        seq: int = self.call(self.hub.hear_frame, self.run.id, step, body)
        return seq

    def tell(self, message: dict[str, Any]) -> None:
        """Have the hub tell all viewers something."""
        self.hub.registry.broadcast(self.run, message)

    def script(self, action: str, *given: Any, **named: Any) -> None:
        """Do what the script of the page of the run's owner may do: a method of the hub."""
        getattr(self.hub, action)(self.run.owner, self.run.id, *given, **named)

    def start_over(self) -> None:
        """The run begins anew, from its first frame."""
        first = next(iter(self.run.history)).body
        self.script("reset")
        self.push(0, first)

    def cut(self) -> None:
        """Cut every socket, as the hub does with a viewer that is silent."""
        self.call(lambda: [viewer.drop() for viewer in self.run.viewers])

    def wait(self, condition: Callable[[], object], seconds: float = 60) -> None:
        """Wait until something was heard; AssertionError if it is not."""
        with self._news:
            assert self._news.wait_for(condition, seconds), f"never heard; heard {self.heard}"

    def kinds(self, kind: str) -> list[dict[str, Any]]:
        """The messages of one type, so far."""
        return [message for message in self.heard if message["type"] == kind]

    # What happens meanwhile, on the event loop.

    def _obey(self, header: Header) -> None:
        kind, step = header["type"], self.run.step
        if kind == "set_knobs" and self.obeys:
            self.hub.hear_change(header["run"], step, number=header["number"], **header["values"])
        elif kind == "control" and self.obeys:
            self.hub.hear(header["run"], "state", step=step, reason=None, order=header["order"])

    async def _overhear(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count what is asked for, and note what a socket's browser says."""

        async def hear() -> Message:
            message = await receive()
            if message["type"] == "websocket.receive":
                self.heard.append(json.loads(message["text"]))
                self._notify()
            return message

        opens = scope["type"] == "websocket"
        self.asked[scope.get("path", "/").split("/")[1]] += 1
        self.sockets += opens
        self._notify()
        try:
            await self._app(scope, hear, send)
        finally:
            self.sockets -= opens
            self._notify()

    def _notify(self) -> None:
        with self._news:
            self._news.notify_all()

    async def _data(self, _request: Request) -> Response:
        text = orjson.dumps(self.data, default=dict, option=orjson.OPT_SERIALIZE_NUMPY)
        answer = Response(text, media_type="application/json")
        answer.set_cookie(COOKIE, self._cookie)
        return answer
