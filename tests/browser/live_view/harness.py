"""A stand-in for the hub: speaks its wire format, and does what a test tells it to.

The real app is tested in the files beside this one. Here the browser's side is on its own, so that
a test can cut the socket, send another wire version or a frame full of NaN.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from socket import create_server
from typing import Any, TypeVar

import orjson
import uvicorn
from plotly.offline import get_plotlyjs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from bnviz.live.contract import CONTRACT_FILE, contract_module
from bnviz.live.protocol.frames import compose, plain_change
from bnviz.live.runs.kept_frames import KeptFrame
from bnviz.live.runs.time_series import TimeSeriesCache, read_fields
from bnviz.records import Change
from tests.browser.live_view.page_data import RUN, TEMPLATES

T = TypeVar("T")

ASSETS = Path(__file__).parents[3] / "assets"
# As the app says of its own, under the address of their version.
FOREVER = {"Cache-Control": "public, max-age=31536000, immutable"}
PAGE = (Path(__file__).parent / "harness.html").read_text("utf-8")


class Harness:
    """One run, served on a free port from a thread of its own.

    Attributes:
        data: what the page is mounted with.
        heard: the messages of all sockets so far.
        opened: how many sockets were opened.
        missing: how often the charts' templates will not be found.
        knobs: the live knobs as the run has them.
        obeys: what is done with a knob or an action that was sent: answered, or nothing where there
            is none.
    """

    def __init__(self) -> None:
        # Whoever calls before the server is there waits in this queue.
        self._listening = create_server(("127.0.0.1", 0))
        self.data: dict[str, Any] = {}
        self.frames: list[KeptFrame] = []
        self.heard: list[dict[str, Any]] = []
        self.opened = 0
        self.missing = 0
        self.knobs: dict[str, Any] = {}
        self.obeys: Callable[[dict[str, Any]], list[dict[str, Any]]] | None = None
        # Who watches, and whether it was greeted: nothing is sent to it before.
        self._sockets: dict[WebSocket, asyncio.Event] = {}
        self._news = threading.Condition()
        self._asked: dict[str, int] = {}
        self._changes: list[Change] = []
        self._status, self._number = "running", 0
        self._breaks: dict[str, Any] = {}
        config = uvicorn.Config(
            Starlette(routes=self._routes()), log_level="error", ws="websockets-sansio"
        )
        self._server = uvicorn.Server(config)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve([self._listening])

    @property
    def url(self) -> str:
        host, port = self._listening.getsockname()
        return f"http://{host}:{port}/"

    # What a test does.

    def begin(
        self, data: dict[str, Any], frames: Iterable[tuple[int, bytes]] = (), *,
        changes: list[Change] | None = None, status: str = "running", missing: int = 0,
        can_control: bool = True,
    ) -> None:  # fmt: skip
        """Start afresh with kept frames: pairs of step and body."""
        self.data, self.heard, self.opened, self.missing = data, [], 0, missing
        self.knobs, self.obeys = dict(data.get("knobs", {}).get("values", {})), self.take
        self._can_control = can_control
        self._changes, self._status, self._asked = changes or [], status, {}
        self._number = 0
        self.beat_seconds: float | None = None
        self.frames = [KeptFrame(seq, step, body) for seq, (step, body) in enumerate(frames)]
        bodies = [json.loads(frame.body) for frame in self.frames]
        self._breaks = {
            norm: network["broke"]
            for body in bodies for norm, network in body["networks"].items() if network["broke"]
        }  # fmt: skip

    def take(self, sent: dict[str, Any]) -> list[dict[str, Any]]:
        """Do with a knob, or an action, what the hub does: it acts after the newest step."""
        step = self.frames[-1].step if self.frames else 0
        if sent["type"] == "action":
            return [{**sent, "type": "acted", "step": step}]
        self.knobs[sent["knob"]] = sent["value"]
        answer = {"type": "knob", **{name: sent[name] for name in ("n", "knob", "value")}}
        return [{**answer, "step": step}, {"type": "knobs", "values": self.knobs, "drag": False}]

    def keep(self, step: int, body: bytes) -> KeptFrame:
        """A new frame of this step that nobody is sent."""
        body = orjson.dumps({**orjson.loads(body), "step": step})
        self.frames.append(kept := KeptFrame(len(self.frames), step, body))
        return kept

    def push(self, step: int, body: bytes) -> int:
        """A new frame of this step: kept, and sent to everybody. Returns its number."""

        async def send() -> int:
            kept = self.keep(step, body)
            await self._send_all(self._frame(kept))
            return kept.seq

        return self._do(send())

    def start_over(self) -> None:
        """The run begins anew, from its first frame."""
        first = self.frames[0].body
        self.frames, self._changes, self._breaks = [], [], {}
        self.say_raw(self._hello())
        self.push(0, first)

    def say(self, **message: Any) -> None:
        """Send a message to everybody. Frames go on having the status that the run began with, as
        those have that were on their way.
        """
        if message["type"] == "status":
            self._number += 1
            message["status_number"] = self._number
        self.say_raw(orjson.dumps({"v": 1, **message}))

    def say_raw(self, text: bytes) -> None:
        self._do(self._send_all(text))

    async def _send_all(self, text: bytes) -> None:
        for socket, greeted in list(self._sockets.items()):
            await greeted.wait()
            await socket.send_text(text.decode())

    def cut(self, code: int = 1011) -> None:
        """Close every socket from this side."""
        for socket in list(self._sockets):
            self._do(socket.close(code))

    def _do(self, work: Coroutine[Any, Any, T]) -> T:
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def wait(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        """Wait until something was heard; AssertionError if it is not."""
        with self._news:
            assert self._news.wait_for(condition, seconds), f"never heard; heard {self.heard}"

    def kinds(self, kind: str) -> list[dict[str, Any]]:
        """The messages of one type, so far."""
        return [message for message in self.heard if message["type"] == kind]

    def asked(self, path: str) -> int:
        """How often a kind of address was asked for."""
        return self._asked.get(path, 0)

    def stop(self) -> None:
        self.cut()
        self._server.should_exit = True
        self._thread.join(10)

    # What the browser asks for.

    def _routes(self) -> list[Any]:
        return [
            Route("/", self._page), Route("/blank", _blank), Route("/data", self._data),
            Route("/templates/{id}.json", self._templates),
            Route("/assets/{version}/{path:path}", self._asset),
            Route("/plotly/{version}.js", self._plotly), Route("/qr.svg", self._code),
            Route("/history/{run}/{seq:int}", self._history),
            Route("/series/{run}", self._series), WebSocketRoute("/live/{run}", self._watch),
        ]  # fmt: skip

    def _count(self, path: str) -> None:
        with self._news:
            self._asked[path] = self._asked.get(path, 0) + 1
            self._news.notify_all()

    async def _page(self, _request: Request) -> Response:
        return HTMLResponse(PAGE)

    async def _data(self, _request: Request) -> Response:
        return _json({name: self.data[name] for name in self.data if name not in TEMPLATES})

    async def _templates(self, _request: Request) -> Response:
        self._count("templates")
        if self.missing:
            self.missing -= 1
            return Response("", 503)
        return _json({group: self.data[name] for name, group in TEMPLATES.items()})

    async def _asset(self, request: Request) -> Response:
        path = ASSETS / request.path_params["path"]
        kind = {".js": "text/javascript", ".css": "text/css"}[path.suffix]
        body = contract_module() if path.name == CONTRACT_FILE else path.read_bytes()
        return Response(body, media_type=kind, headers=FOREVER)

    async def _plotly(self, _request: Request) -> Response:
        return Response(get_plotlyjs(), media_type="text/javascript", headers=FOREVER)

    async def _code(self, _request: Request) -> Response:
        code = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
        return Response(code, media_type="image/svg+xml")

    async def _history(self, request: Request) -> Response:
        self._count("history")
        kept = next(k for k in self.frames if k.seq == request.path_params["seq"])
        return Response(self._frame(kept), media_type="application/json")

    async def _series(self, request: Request) -> Response:
        self._count("series")
        fields = read_fields(request.query_params.getlist("field"))
        answer = TimeSeriesCache(2**22).answer(0, self.frames, fields)
        return Response(answer, media_type="application/json")

    def _hello(self) -> bytes:
        return orjson.dumps({
            "v": 1, "type": "hello", "run": RUN, "status": self._status, "status_number": 0,
            "beat_seconds": self.beat_seconds,
            "history": [[kept.seq, kept.step] for kept in self.frames], "pace": "watch",
            "viewers": 1, "changes": [plain_change(change) for change in self._changes],
            "breaks": self._breaks, "queue": None, "can_control": self._can_control,
            "knobs": {"values": self.knobs, "drag": False},
        })  # fmt: skip

    async def _watch(self, socket: WebSocket) -> None:
        await socket.accept()
        hello = self._hello()
        newest = self.frames[-1] if self.frames else None
        # From here on whatever is new is sent to this one, too.
        greeted = self._sockets[socket] = asyncio.Event()
        try:
            await socket.send_text(hello.decode())
            if newest is not None:
                await socket.send_text(self._frame(newest).decode())
            greeted.set()
            with self._news:
                self.opened += 1
                self._news.notify_all()
            while True:
                message = await socket.receive_json()
                with self._news:
                    self.heard.append(message)
                    self._news.notify_all()
                if message["type"] in ("knob", "action") and self.obeys is not None:
                    for answer in self.obeys(message):
                        await socket.send_text(orjson.dumps({"v": 1, **answer}).decode())
        except (WebSocketDisconnect, RuntimeError, KeyError):
            pass
        finally:
            greeted.set()
            with self._news:
                del self._sockets[socket]
                self._news.notify_all()

    def _frame(self, kept: KeptFrame) -> bytes:
        standing = {"status": self._status, "status_number": 0}
        return compose(RUN, kept.seq, standing, kept.body)


def _json(content: Any) -> Response:
    text = orjson.dumps(content, default=dict, option=orjson.OPT_SERIALIZE_NUMPY)
    return Response(text, media_type="application/json")


async def _blank(_request: Request) -> Response:
    return HTMLResponse('<!doctype html><link rel="icon" href="data:,">')
