"""A run's past over HTTP: one frame, the index, columns, files to take away."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bnviz.live import current_hub
from bnviz.live.errors import LimitReached, NoSuchRun
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.runs.export import ExportCache, csv_lines, json_parts
from bnviz.live.runs.time_series import read_fields
from bnviz.live.web.answers import Download, RunningDownloads, json_answer, with_json_errors
from bnviz.words.phrase import integer_between, one_of, phrase

MAX_SEQ = 2**53
MEDIA = {"csv": "text/csv", "json": "application/json"}
# Threads that read kept frames, for all who ask: the rest of the server goes on meanwhile.
THREADS = 2
# Texts of files that may be on their way at a time, beyond which none is begun.
MOST_SENT_BYTES = 256 * 2**20

Result = TypeVar("Result")


def history_routes(base: str) -> list[Route]:
    """`/history`, `/changes`, `/series`, `/export`."""
    past = HistoryRoutes()
    return [
        Route(f"{base}/history/{{run}}", with_json_errors(index)),
        Route(f"{base}/history/{{run}}/{{seq}}", with_json_errors(frame)),
        Route(f"{base}/changes/{{run}}", with_json_errors(changes)),
        Route(f"{base}/series/{{run}}", with_json_errors(past.series)),
        Route(f"{base}/export/{{run}}.{{kind}}", with_json_errors(past.export)),
    ]


async def index(request: Request) -> Response:
    """Numbers and steps of all kept frames."""
    index = current_hub().viewers.index(request.path_params["run"])
    return json_answer(server_messages.encode(index))


async def changes(request: Request) -> Response:
    """Every live change, each value of a drag: what does the same again."""
    found = current_hub().viewers.changes(request.path_params["run"])
    return json_answer(server_messages.encode({"changes": found}))


async def frame(request: Request) -> Response:
    """The kept frame nearest to a number."""
    seq = request.path_params["seq"]
    if not seq.isascii() or not seq.isdigit() or len(seq) > 16 or int(seq) > MAX_SEQ:
        raise BadMessage("seq", seq, integer_between(0, MAX_SEQ))
    found = current_hub().viewers.frame(request.path_params["run"], int(seq))
    if found is None:
        return json_answer(server_messages.encode(server_messages.notice("no_frames")), 404)
    return json_answer(found)


class HistoryRoutes:
    """Answers that take reading kept frames: each is computed once for all who ask the same.

    Attributes:
        exports: the texts of files.
        sending: those on their way.
    """

    def __init__(self) -> None:
        self.exports = ExportCache()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="past")
        # By run: one reads its frames at a time, the others wait here and not in a thread.
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.sending = RunningDownloads()

    async def series(self, request: Request) -> Response:
        """Columns over the kept frames; of too many fields those asked for last."""
        fields = read_fields(request.query_params.getlist("field"))
        run = request.path_params["run"]

        def read() -> bytes:
            columns, version, kept, unseen = current_hub().viewers.past(run)
            return columns.answer(version, kept, fields, unseen)

        return json_answer(await self._in_line(run, read))

    async def export(self, request: Request) -> Response:
        """All that is kept of a run, as a file."""
        run, kind = request.path_params["run"], request.path_params["kind"]
        if kind not in MEDIA:
            raise BadMessage("file", kind, one_of(MEDIA))
        if self.sending.size >= MOST_SENT_BYTES:
            raise LimitReached("exports", phrase("errors.too_many_files"))
        hub = current_hub()
        if (info := hub.info(run)) is None:
            raise NoSuchRun

        def read() -> list[bytes]:
            _, version, kept, _ = hub.viewers.past(run)
            info = hub.info(run)
            if info is None:
                raise NoSuchRun
            csv = kind == "csv"
            return self.exports.text((run, version, kind), lambda: (
                csv_lines(kept) if csv else json_parts(info.initial_config, info.changes, kept)
            ))  # fmt: skip

        text = await self._in_line(run, read)
        name = f"bnviz-{info.initial_config.dataset}-{run[:8]}.{kind}"
        return Download(
            text, name=name, media_type=MEDIA[kind], sending=self.sending,
            send_seconds=hub.settings.send_seconds,
        )  # fmt: skip

    async def _in_line(self, run: str, read: Callable[[], Result]) -> Result:
        """Call in a thread, after those who asked the same run before."""
        line = self._lines.setdefault(run, asyncio.Lock())
        async with line:
            return await asyncio.get_running_loop().run_in_executor(self._threads, read)
