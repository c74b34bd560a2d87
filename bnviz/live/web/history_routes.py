"""Routes of a run's history: its index, one frame, its changes, time series, files to download."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response

from bnviz.live import current_hub
from bnviz.live.errors import NoSuchRun
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.runs.export import ExportCache, csv_lines, json_parts
from bnviz.live.runs.time_series import read_fields
from bnviz.live.web.answers import (
    MEDIA,
    FileDownload,
    RunningDownloads,
    json_answer,
)
from bnviz.words.phrase import integer_between

MAX_SEQ = 2**53
# Threads that read kept frames, for all browsers: the event loop goes on meanwhile.
THREADS = 2

Result = TypeVar("Result")


async def index(request: Request) -> Response:
    index = current_hub().viewers.index(request.path_params["run"])
    return json_answer(server_messages.encode(index))


async def changes(request: Request) -> Response:
    """Every live change of a run, with each value of a drag: a run that makes them is the same."""
    found = current_hub().viewers.changes(request.path_params["run"])
    return json_answer(server_messages.encode({"changes": found}))


async def frame(request: Request) -> Response:
    seq = read_number("seq", request.path_params["seq"], MAX_SEQ)
    found = current_hub().viewers.frame(request.path_params["run"], seq)
    if found is None:
        return json_answer(server_messages.encode(server_messages.notice("no_frames")), 404)
    return json_answer(found)


def read_number(field: str, text: str, high: int) -> int:
    """The number that a path or a query has as text.

    Raises:
        BadMessage: it is no whole number between 0 and `high`.
    """
    # Longer text would take long to become a number.
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or int(text) > high:
        raise BadMessage(field, text, integer_between(0, high))
    return int(text)


class HistoryRoutes:
    """Answers for which all kept frames are read: on threads, and once for all who ask the same."""

    def __init__(self) -> None:
        self._exports = ExportCache()
        self._downloads = RunningDownloads()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="past")
        # Of each run: its frames are read once at a time. Who waits for that takes no thread.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def series(self, request: Request) -> Response:
        fields = read_fields(request.query_params.getlist("field"))
        run = request.path_params["run"]

        def read() -> bytes:
            columns, version, kept, unseen = current_hub().viewers.past(run)
            return columns.answer(version, kept, fields, unseen)

        return json_answer(await self._on_thread(run, read))

    async def export(self, request: Request) -> Response:
        run, kind = request.path_params["run"], request.path_params["kind"]
        self._downloads.check(kind)
        hub = current_hub()

        def read() -> tuple[list[bytes], str]:
            _, version, kept, _ = hub.viewers.past(run)
            info = hub.info(run)
            if info is None:
                raise NoSuchRun
            csv = kind == "csv"
            text = self._exports.text((run, version, kind), lambda: (
                csv_lines(kept) if csv else json_parts(info.initial_config, info.changes, kept)
            ))  # fmt: skip
            return text, info.initial_config.dataset

        text, dataset = await self._on_thread(run, read)
        name = f"bnviz-{dataset}-{run[:8]}.{kind}"
        return FileDownload(
            text, name=name, media_type=MEDIA[kind], running=self._downloads,
            send_seconds=hub.settings.send_seconds,
        )  # fmt: skip

    async def _on_thread(self, run: str, read: Callable[[], Result]) -> Result:
        lock = self._locks.setdefault(run, asyncio.Lock())
        async with lock:
            return await asyncio.get_running_loop().run_in_executor(self._threads, read)
