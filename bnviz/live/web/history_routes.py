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
from bnviz.live.errors import NoSuchRun, Refused
from bnviz.live.hub.export import csv_lines, json_parts
from bnviz.live.hub.export_cache import Exports
from bnviz.live.hub.series import read_fields
from bnviz.live.protocol import messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.answers import answering, json_answer
from bnviz.live.web.text_file import OnTheirWay, TextFile
from bnviz.phrase import one_of, phrase, whole

MAX_SEQ = 2**53
MEDIA = {"csv": "text/csv", "json": "application/json"}
# Threads that read kept frames, for all who ask: the rest of the server goes on meanwhile.
THREADS = 2
# Texts of files that may be on their way at a time, beyond which none is begun.
MOST_SENT_BYTES = 256 * 2**20

Result = TypeVar("Result")


def history_routes(base: str) -> list[Route]:
    """`/history`, `/changes`, `/series`, `/export`."""
    past = Past()
    return [
        Route(f"{base}/history/{{run}}", answering(index)),
        Route(f"{base}/history/{{run}}/{{seq}}", answering(frame)),
        Route(f"{base}/changes/{{run}}", answering(changes)),
        Route(f"{base}/series/{{run}}", answering(past.series)),
        Route(f"{base}/export/{{run}}.{{kind}}", answering(past.export)),
    ]


async def index(request: Request) -> Response:
    """Numbers and steps of all kept frames."""
    index = current_hub().viewer_api.index(request.path_params["run"])
    return json_answer(messages.text(index))


async def changes(request: Request) -> Response:
    """Every live change, each value of a drag: what does the same again."""
    found = current_hub().viewer_api.changes(request.path_params["run"])
    return json_answer(messages.text({"changes": found}))


async def frame(request: Request) -> Response:
    """The kept frame nearest to a number."""
    seq = request.path_params["seq"]
    if not seq.isascii() or not seq.isdigit() or len(seq) > 16 or int(seq) > MAX_SEQ:
        raise BadMessage("seq", seq, whole(0, MAX_SEQ))
    found = current_hub().viewer_api.frame(request.path_params["run"], int(seq))
    if found is None:
        return json_answer(messages.text(messages.notice("no_frames")), 404)
    return json_answer(found)


class Past:
    """Answers that take reading kept frames: each is computed once for all who ask the same.

    Attributes:
        exports: the texts of files.
        sending: those on their way.
    """

    def __init__(self) -> None:
        self.exports = Exports()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="past")
        # By run: one reads its frames at a time, the others wait here and not in a thread.
        self._lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self.sending = OnTheirWay()

    async def series(self, request: Request) -> Response:
        """Columns over the kept frames; of too many fields those asked for last."""
        fields = read_fields(request.query_params.getlist("field"))
        run = request.path_params["run"]

        def read() -> bytes:
            columns, version, kept, unseen = current_hub().viewer_api.past(run)
            return columns.answer(version, kept, fields, unseen)

        return json_answer(await self._in_line(run, read))

    async def export(self, request: Request) -> Response:
        """All that is kept of a run, as a file."""
        run, kind = request.path_params["run"], request.path_params["kind"]
        if kind not in MEDIA:
            raise BadMessage("file", kind, one_of(MEDIA))
        if self.sending.size >= MOST_SENT_BYTES:
            raise Refused("exports", phrase("errors.too_many_files"))
        hub = current_hub()
        if (info := hub.info(run)) is None:
            raise NoSuchRun

        def read() -> list[bytes]:
            _, version, kept, _ = hub.viewer_api.past(run)
            info = hub.info(run)
            if info is None:
                raise NoSuchRun
            csv = kind == "csv"
            return self.exports.text((run, version, kind), lambda: (
                csv_lines(kept) if csv else json_parts(info.initial_config, info.changes, kept)
            ))  # fmt: skip

        text = await self._in_line(run, read)
        name = f"bnviz-{info.initial_config.dataset}-{run[:8]}.{kind}"
        return TextFile(
            text, name=name, media_type=MEDIA[kind], sending=self.sending,
            send_seconds=hub.settings.send_seconds,
        )  # fmt: skip

    async def _in_line(self, run: str, read: Callable[[], Result]) -> Result:
        """Call in a thread, after those who asked the same run before."""
        line = self._lines.setdefault(run, asyncio.Lock())
        async with line:
            return await asyncio.get_running_loop().run_in_executor(self._threads, read)
