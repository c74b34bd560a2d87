"""A run of the real server whose worker is the test: it hands in recorded frames.

Chromium loads a page of ours in place of Streamlit's. Whatever that page asks for, its socket
included, the server's own routes answer. Two parts of the server are left out: the workers (see
`QuietHub`), and `Gate`, whose policy forbids the expressions that tests evaluate in the page.
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
from bnviz.live.web.owner import COOKIE, issuer
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
        asked: number of requests, by the first part of the address; "live" for sockets.
        sockets: how many sockets are open.
        obeys: whether the worker does at once, after the newest step, what it is told.
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
        # Whoever calls before the server is there waits in this queue.
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

    # What a test does.

    def begin(self, data, frames=(), *, changes=(), paused=False, can_control=True):
        """Start a run on a new hub, with kept frames: pairs of step and body."""
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
        """Have the worker send a message."""
        self.call(self.hub.hear, self.run.id, kind, payload, **facts)

    def push(self, step, body):
        """Have the worker send a frame with the content of `body`. Returns the frame's number."""
        return self.call(self.hub.hear_frame, self.run.id, step, body)

    def script(self, action, *given, **named):
        """Do what the script of the page of the run's owner may do: a method of the hub."""
        getattr(self.hub, action)(self.run.owner, self.run.id, *given, **named)

    def start_over(self):
        """The run begins anew, from its first frame."""
        first = next(iter(self.run.history)).body
        self.script("reset")
        self.push(0, first)

    def cut(self):
        """Cut every socket, as the hub does with a viewer that is silent."""
        self.call(lambda: [viewer.drop() for viewer in self.run.viewers])

    def wait(self, condition):
        """Wait until something was heard; AssertionError if it is not."""
        with self._news:
            assert self._news.wait_for(condition, 60), f"never heard; heard {self.heard}"

    def kinds(self, kind):
        """The messages of one type, so far."""
        return [message for message in self.heard if message["type"] == kind]

    # What happens meanwhile, on the event loop.

    def _obey(self, header):
        kind, step = header["type"], self.run.step
        if kind == "set_knobs" and self.obeys:
            self.hub.hear_change(header["run"], step, number=header["number"], **header["values"])
        elif kind == "control" and self.obeys:
            self.hub.hear(header["run"], "state", step=step, reason=None, order=header["order"])

    async def _overhear(self, scope, receive, send):
        """Count what is asked for, and note what a socket's browser says."""

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
