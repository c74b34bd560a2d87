"""Routes for a run's history: index, single frames, changes, time series and downloads."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response

from bnviz.change_log import plain_change
from bnviz.data import STAND_IN
from bnviz.live import current_hub
from bnviz.live.errors import NotNow
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.protocol.server_messages import encode, notice
from bnviz.live.runs import run_messages
from bnviz.live.runs.export import ExportCache, csv_lines, json_parts
from bnviz.live.runs.run import Run
from bnviz.live.runs.time_series import read_fields
from bnviz.live.runs.weights_file import weights_file
from bnviz.live.settings import MEGABYTE
from bnviz.live.web.answers import RunningDownloads, json_answer
from bnviz.run_script import ScriptedRun, compose
from bnviz.words.phrase import PhraseText, integer_between, phrase

MAX_SEQ = 2**53
# Number of threads that read frames outside the event loop. The requests of all browsers share
# these threads.
THREADS = 2
# Seconds that a download waits for a new checkpoint.
CHECKPOINT_SECONDS = 5.0

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


async def _fresh_checkpoint(request: Request) -> None:
    """Ask the run's worker for a checkpoint of the newest step, and wait for it.

    If none arrives within `CHECKPOINT_SECONDS`, because the run rests or its checkpoints are too
    large, the last one remains.
    """
    arrival, registry = asyncio.Event(), current_hub().registry
    with _held(request) as run:
        if run.placement.state != "placed":
            return
        step = run.step
        run.checkpoint_arrivals.add(arrival)
        registry.send(run, "send_checkpoint")
    try:
        async with asyncio.timeout(CHECKPOINT_SECONDS):
            while await arrival.wait() and run.placement.checkpoint.step < step:
                arrival.clear()
    except TimeoutError:
        pass
    finally:
        run.checkpoint_arrivals.discard(arrival)


def _file(run: Run, kind: str, steps: int) -> tuple[Hashable, Callable[[], Iterable[str | bytes]]]:
    """Return the version of a run that decides the content of a file, and a function that makes it.

    A script repeats the run up to step `steps`. Other files do not depend on it.

    Raises:
        NotNow: The run has no weights to save.
    """
    kept, config, changes = list(run.history), run.initial_config, list(run.log)
    device, version = run.resolved_device, run.history.version
    if kind == "csv":
        return version, lambda: csv_lines(kept)
    if kind == "json":
        return version, lambda: json_parts(config, changes, kept, device)
    if kind == "py":
        scripted = ScriptedRun(config, changes, steps, _stand_in(run))
        return (version, steps, scripted.stand_in), lambda: [compose(scripted)]
    checkpoint = run.placement.checkpoint
    if not checkpoint.data:
        size = current_hub().settings.checkpoint_bytes // MEGABYTE
        raise NotNow(phrase("errors.no_weights", size=size))
    return (run.placement.generation, checkpoint.step), lambda: [weights_file(checkpoint.data)]


def _file_name(run: Run) -> str:
    return f"bnviz-{run.initial_config.dataset}-{run.id[:8]}"


def _stand_in(run: Run) -> str | None:
    """Return the data set that replaced the run's own, or None."""
    told = isinstance(run.note, PhraseText) and run.note.phrase.key == "data.stand_in"
    return STAND_IN if told else None


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
        if kind == "npz":
            await _fresh_checkpoint(request)

        def read() -> tuple[list[bytes], str]:
            with _held(request) as run:
                newest = max(run.step, run.log.last_step)
                steps = read_number("steps", request.query_params.get("steps", str(newest)), newest)
                version, make = _file(run, kind, steps)
            return self._exports.file((run.id, kind), version, make), _file_name(run)

        return self._downloads.send(*await self._on_thread(request, read), kind)

    async def _on_thread(self, request: Request, read: Callable[[], Result]) -> Result:
        lock = self._locks.setdefault(request.path_params["run"], asyncio.Lock())
        async with lock:
            return await asyncio.get_running_loop().run_in_executor(self._threads, read)
