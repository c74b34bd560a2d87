"""Maps over HTTP: what is known of one, polled while it is drawn, and files to take away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live import current_hub
from bnviz.live.errors import LimitReached, NoSuchMap
from bnviz.live.maps.maps import EncodedUpdate
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import (
    Download,
    Endpoint,
    RunningDownloads,
    json_answer,
    with_json_errors,
)
from bnviz.live.web.history_routes import MAX_SEQ, MEDIA, MOST_SENT_BYTES
from bnviz.live.web.owner import owner_in
from bnviz.sweeps.cells import to_csv
from bnviz.words.phrase import integer_between, one_of, phrase

KEY_DIGITS = 32
# More points than this are encoded and compressed on a thread: it takes some milliseconds.
MANY = 300

Result = TypeVar("Result")


def map_routes(base: str) -> list[Route]:
    """`/maps`."""
    maps = MapRoutes()
    return [
        Route(f"{base}/maps/{{key}}.{{kind}}", with_map_errors(maps.export)),
        Route(f"{base}/maps/{{key}}", with_map_errors(maps.feed)),
    ]


def with_map_errors(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with its refusals turned into answers; a page knows what no map means."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NoSuchMap as problem:
            return json_answer(orjson.dumps({"problem": server_messages.words_of(problem)}), 404)

    return with_json_errors(answer)


class MapRoutes:
    """Answers about maps. What takes long is made on one thread, for all who ask."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="maps")
        self._sending = RunningDownloads()

    async def feed(self, request: Request) -> Response:
        """What is known of a map, but for the points that the browser has."""
        key = _key(request)
        after = _whole(request, "after", MAX_SEQ)
        wanted = bool(_whole(request, "wanted", 1))
        maps = current_hub().maps
        asked = maps.poll(key, owner_in(request.headers), after, wanted)
        if asked.points > MANY:
            found = await self._on_thread(lambda: maps.encoded(asked))
        else:
            found = maps.encoded(asked)
        return _packed(request, found)

    async def export(self, request: Request) -> Response:
        """Every network that was run, as a file."""
        key, kind = _key(request), request.path_params["kind"]
        if kind not in MEDIA:
            raise BadMessage("file", kind, one_of(MEDIA))
        if self._sending.size >= MOST_SENT_BYTES:
            raise LimitReached("exports", phrase("errors.too_many_files"))
        hub = current_hub()

        def read() -> list[bytes]:
            rows = hub.maps.rows(key)
            if kind == "csv":
                return [to_csv(rows).encode()]
            return [orjson.dumps(rows, option=orjson.OPT_INDENT_2)]

        name = f"bnviz-map-{hub.maps.setting(key).config.dataset}-{key[:8]}.{kind}"
        return Download(
            await self._on_thread(read), name=name, media_type=MEDIA[kind],
            sending=self._sending, send_seconds=hub.settings.send_seconds,
        )  # fmt: skip

    async def _on_thread(self, make: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)


def _key(request: Request) -> str:
    key: str = request.path_params["key"]
    if len(key) != KEY_DIGITS or not set(key) <= set("0123456789abcdef"):
        raise BadMessage("key", key, phrase("errors.hex_digits", count=KEY_DIGITS))
    return key


def _whole(request: Request, name: str, high: int) -> int:
    text = request.query_params.get(name, "0")
    # Text of so many digits would take long to become a number.
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or int(text) > high:
        raise BadMessage(name, text, integer_between(0, high))
    return int(text)


def _packed(request: Request, found: EncodedUpdate) -> Response:
    answer = json_answer(found.plain)
    if found.packed is not None and "gzip" in request.headers.get("accept-encoding", ""):
        answer = json_answer(found.packed)
        answer.headers["Content-Encoding"] = "gzip"
    answer.headers["Vary"] = "Accept-Encoding"
    return answer
