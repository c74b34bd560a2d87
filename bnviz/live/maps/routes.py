"""Routes of maps: `/maps/<key>`, which pages poll while a map is drawn, and downloads."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import orjson
from starlette.requests import Request
from starlette.responses import Response

from bnviz.live import current_hub
from bnviz.live.errors import NoSuchMap
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import Endpoint, RunningDownloads, json_answer
from bnviz.live.web.assets import file_answer
from bnviz.live.web.history_routes import MAX_SEQ, read_number
from bnviz.live.web.owner import owner_in
from bnviz.sweeps.rows import to_csv
from bnviz.words.phrase import phrase

KEY_DIGITS = 32

Result = TypeVar("Result")


def with_map_errors(endpoint: Endpoint) -> Endpoint:
    """Wrap an endpoint, so that it answers with an error message if the map is unknown."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except NoSuchMap as problem:
            return json_answer(orjson.dumps({"problem": server_messages.words_of(problem)}), 404)

    return answer


class MapRoutes:
    """Endpoints of maps. One thread encodes their responses."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="maps")
        self._downloads = RunningDownloads()

    async def poll(self, request: Request) -> Response:
        """Respond with the changes of a map since the page's last poll.

        In the query, `after` is the number of points that the page has, and `wanted` (0 or 1) says
        whether to continue drawing the map.
        """
        key, parameters = _key(request), request.query_params
        after = read_number("after", parameters.get("after", "0"), MAX_SEQ)
        wanted = bool(read_number("wanted", parameters.get("wanted", "0"), 1))
        maps = current_hub().maps
        update = maps.poll(key, owner_in(request.headers), after, wanted)
        plain, compressed = await self._on_thread(lambda: maps.encode(update))
        return file_answer(request, plain, compressed, "application/json", "no-store")

    async def export(self, request: Request) -> Response:
        key, kind = _key(request), request.path_params["kind"]
        self._downloads.check(kind)
        maps = current_hub().maps

        def read() -> list[bytes]:
            rows = maps.rows(key)
            if kind == "csv":
                return [to_csv(rows).encode()]
            return [orjson.dumps(rows, option=orjson.OPT_INDENT_2)]

        name = f"bnviz-map-{maps.setting(key).config.dataset}-{key[:8]}"
        return self._downloads.send(await self._on_thread(read), name, kind)

    async def _on_thread(self, make: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, make)


def _key(request: Request) -> str:
    """Return the map's key from a request's path, or raise `BadMessage`."""
    key: str = request.path_params["key"]
    if not re.fullmatch(f"[0-9a-f]{{{KEY_DIGITS}}}", key):
        raise BadMessage("key", key, phrase("errors.hex_digits", count=KEY_DIGITS))
    return key
