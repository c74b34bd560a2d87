"""Routes for a run's history: index, single frames, changes, time series and downloads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response

from bnviz.change_log import plain_change
from bnviz.live import current_hub
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.protocol.server_messages import encode, notice
from bnviz.live.runs import run_messages
from bnviz.live.runs.export import ExportCache, csv_lines, json_parts
from bnviz.live.runs.run import Run
from bnviz.live.runs.time_series import read_fields
from bnviz.live.web.answers import RunningDownloads, json_answer
from bnviz.words.phrase import integer_between

MAX_SEQ = 2**53
# Number of threads that read frames outside the event loop. The requests of all browsers share
# these threads.
THREADS = 2

Result = TypeVar("Result")


async def index(request: Request) -> Response:
    with _held(request) as run:
        return json_answer(encode(run_messages.history(run)))


async def changes(request: Request) -> Response:
    """Return all live changes of a run, with every value of each drag, to reproduce the run."""
    with _held(request) as run:
        return json_answer(encode({"changes": [plain_change(change) for change in run.log]}))


async def frame(request: Request) -> Response:
    seq = read_number("seq", request.path_params["seq"], MAX_SEQ)
    with _held(request) as run:
        kept = run.history.nearest(seq)
        if kept is None:
            return json_answer(encode(notice("no_frames")), 404)
        return json_answer(run_messages.frame(run, kept))


def _held(request: Request) -> AbstractContextManager[Run]:
    """Hold the lock of the run in a request's path. Anyone who knows its id may read it."""
    return current_hub().registry.held(request.path_params["run"])


def read_number(field: str, text: str, high: int) -> int:
    """Parse a whole number between 0 and `high`, or raise `BadMessage`."""
    # Check the length first, because parsing a very long number would be slow.
    if not (text.isascii() and text.isdigit() and len(text) <= 16) or int(text) > high:
        raise BadMessage(field, text, integer_between(0, high))
    return int(text)


class HistoryRoutes:
    """Routes that read all frames on threads. Equal simultaneous exports share one result."""

    def __init__(self) -> None:
        self._exports = ExportCache()
        self._downloads = RunningDownloads()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="past")
        # One lock per run, so that only one request at a time reads the run's frames. Waiting
        # requests do not occupy a thread.
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def series(self, request: Request) -> Response:
        fields = read_fields(request.query_params.getlist("field"))

        def read() -> bytes:
            with _held(request) as run:
                past = run.history
                kept, version, unseen = list(past), past.version, past.unseen.plain()
            return past.series.answer(version, kept, fields, unseen)

        return json_answer(await self._on_thread(request, read))

    async def export(self, request: Request) -> Response:
        kind = request.path_params["kind"]
        self._downloads.check(kind)

        def read() -> tuple[list[bytes], str]:
            with _held(request) as run:
                kept, key = list(run.history), (run.id, run.history.version, kind)
                config, changes = run.initial_config, list(run.log)
                device = run.resolved_device
            text = self._exports.text(key, lambda: (
                csv_lines(kept) if kind == "csv" else json_parts(config, changes, kept, device)
            ))  # fmt: skip
            return text, f"bnviz-{config.dataset}-{run.id[:8]}"

        return self._downloads.send(*await self._on_thread(request, read), kind)

    async def _on_thread(self, request: Request, read: Callable[[], Result]) -> Result:
        lock = self._locks.setdefault(request.path_params["run"], asyncio.Lock())
        async with lock:
            return await asyncio.get_running_loop().run_in_executor(self._threads, read)
