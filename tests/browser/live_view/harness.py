"""Real server with one run. The test replaces the worker and sends recorded frames.

Chromium loads a test page instead of Streamlit's page. The server's own routes answer its requests
and its socket. Two parts of the server are left out: the workers (see `QuietHub`), and `Gate`,
whose policy forbids the expressions that tests evaluate in the page.
"""

import asyncio
import threading
from collections import Counter
from functools import partial
from pathlib import Path
from socket import create_server

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bnviz.config import RunConfig
from bnviz.live import install_hub
from bnviz.live.app import routes
from bnviz.live.web.assets import VERSION
from bnviz.live.web.connections import Cuttable
from bnviz.live.web.early_start import lost_line
from bnviz.live.web.owner import COOKIE, issuer
from tests.live.runs.quiet_hub import QuietHub

PAGE = (Path(__file__).parent / "harness.html").read_text("utf-8").replace("VERSION", VERSION)
PAGE = PAGE.replace("<script", lost_line() + "<script", 1)
BLANK = '<!doctype html><link rel="icon" href="data:,">'


class Harness:
    """Server on a free port, in its own thread.

    Attributes:
        data: data with which the page is mounted.
        hub: hub of the current run, replaced by `begin`.
        heard: messages received on the run's sockets.
        asked: number of requests by the first part of their path, which is "live" for sockets.
        sockets: number of open sockets.
        obeys: whether the worker executes each command at once, after the newest step.
    """

    def __init__(self):
        self.data, self.heard, self.asked = {}, [], Counter()
        self.sockets, self.obeys = 0, True
        self._news = threading.Condition()
        self._hub_before = install_hub(None)
        pages = {"/": HTMLResponse(PAGE), "/blank": HTMLResponse(BLANK), "/data": self._data}
        self._app = Starlette(routes=[*(Route(*page) for page in pages.items()), *routes()])
        app = Cuttable(self._overhear)
        config = uvicorn.Config(app, log_level="error", ws="websockets-sansio")
        self._server = uvicorn.Server(config)
        # Connections that arrive before the server is ready wait in this queue.
        listening = create_server(("127.0.0.1", 0))
        self.url = "http://{}:{}/".format(*listening.getsockname())
        self._loop = asyncio.new_event_loop()
        serve = partial(self._loop.run_until_complete, self._server.serve([listening]))
        self._thread = threading.Thread(target=serve, daemon=True)
        self._thread.start()

    def stop(self):
        self._server.should_exit = True
        self._thread.join(10)
        self._loop.close()
        install_hub(self._hub_before)

    # Actions of a test.

    def begin(self, data, frames=(), *, changes=(), paused=False, can_control=True):
        """Start a run on a new hub. The run's history has `frames`, which are pairs of step and
        body.
        """
        self.heard, self.obeys = [], True
        self.asked.clear()
        signed = issuer().signer.new()
        self._cookie = signed if can_control else ""

        def start():
            self.hub = QuietHub()
            self.hub.registry.workers.answer = self._obey
            install_hub(self.hub)
            owner = issuer().signer.verify(signed)
            config = RunConfig(**data.get("config", {}))
            run_id = self.hub.start(owner, config, changes=changes, paused=paused)
            self.run = self.hub.run(run_id)
            for step, body in frames:
                self.hub.hear_frame(run_id, step, body)

        self.call(start)
        self.data = {"run": self.run.id, **data}

    def call(self, function, *given, **named):
        """Call a function on the event loop."""

        async def call():
            return function(*given, **named)

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(60)

    def hear(self, kind, payload=b"", **facts):
        """Send a message to the hub as the worker would."""
        self.call(self.hub.hear, self.run.id, kind, payload, **facts)

    def push(self, step, body):
        """Send a frame with the content `body` as the worker would, and return the frame's
        number.
        """
        return self.call(self.hub.hear_frame, self.run.id, step, body)

    def script(self, action, *given, **named):
        """Call a method of the hub as the page script of the run's owner would."""
        getattr(self.hub, action)(self.run.owner, self.run.id, *given, **named)

    def start_over(self):
        """Restart the run from its first frame."""
        first = next(iter(self.run.history)).body
        self.script("reset")
        self.push(0, first)

    def cut(self):
        """Cut every socket, as the hub does when a viewer is silent."""
        self.call(lambda: [viewer.drop() for viewer in self.run.viewers])

    def wait(self, condition):
        """Wait for a condition on the received messages, or raise AssertionError after 60 s."""
        with self._news:
            assert self._news.wait_for(condition, 60), (
                f"this message was never received; received: {self.heard}"
            )

    def kinds(self, kind):
        """Return the messages of one type that have been received so far."""
        return [message for message in self.heard if message["type"] == kind]

    # Callbacks that run on the server's event loop.

    def _obey(self, header):
        kind, step = header["type"], self.run.step
        if kind == "set_knobs" and self.obeys:
            self.hub.hear_change(header["run"], step, number=header["number"], **header["values"])
        elif kind == "control" and self.obeys:
            self.hub.hear(
                header["run"],
                "state",
                step=step,
                reason=None,
                command_number=header["command_number"],
            )

    async def _overhear(self, scope, receive, send):
        """Count requests, and record the messages that the browser sends on a socket."""

        async def hear():
            message = await receive()
            if message["type"] == "websocket.receive":
                self.heard.append(orjson.loads(message["text"]))
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

    def _notify(self):
        with self._news:
            self._news.notify_all()

    async def _data(self, _request):
        text = orjson.dumps(self.data, default=dict, option=orjson.OPT_SERIALIZE_NUMPY)
        answer = Response(text, media_type="application/json")
        answer.set_cookie(COOKIE, self._cookie)
        return answer
