"""HTTP responses: JSON, errors as JSON, and file downloads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from html import escape
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bnviz.host import this_host
from bnviz.live import current_hub, log
from bnviz.live.errors import (
    HubNotRunning,
    LiveError,
    NoSuchClassroom,
    NoSuchRun,
    NotNow,
    TooOften,
)
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage
from bnviz.live.web.assets import ASSETS
from bnviz.words.phrase import one_of, phrase

# HTTP status per error type. Other types get status 403.
STATUS: dict[type[LiveError], int] = {
    BadMessage: 400, NoSuchRun: 404, NoSuchClassroom: 404, NotNow: 409, TooOften: 429,
    HubNotRunning: 503,
}  # fmt: skip
# File extension -> media type of a download.
MEDIA = {
    "csv": "text/csv", "json": "application/json", "py": "text/x-python; charset=utf-8",
    "npz": "application/octet-stream",
}  # fmt: skip
# Maximum total bytes of simultaneous downloads, and their maximum share of the host's memory. Above
# it, no new download starts; browsers are told to try again after `RETRY_SECONDS`.
MOST_SENT_BYTES, MOST_SENT_SHARE = 256 * 2**20, 1 / 16
RETRY_SECONDS = 5

Endpoint = Callable[[Request], Awaitable[Response]]


def json_answer(content: bytes | str, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(content, status, media_type="application/json", headers=headers)


def plain_page(language: str, title: str, styles: Sequence[str], body: str) -> str:
    """Return an HTML page without Streamlit, with style sheets from `assets/` inlined."""
    sheets = "".join((ASSETS / name).read_text(encoding="utf-8") for name in styles)
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">'
        f'<link rel="icon" href="data:,"><title>{escape(title)} · bnviz</title>'
        f"<style>{sheets}</style>{body}"
    )


def to_save(content: bytes | str, name: str, kind: str) -> Response:
    """Return a file that the browser saves as `name`, with the media type `kind`."""
    saved = f'attachment; filename="{name}"'
    headers = {"Content-Disposition": saved, "Cache-Control": "no-cache"}
    return Response(content, media_type=kind, headers=headers)


def status_of(problem: LiveError) -> int:
    return STATUS.get(type(problem), 403)


def refusal(problem: LiveError, **facts: Any) -> Response:
    """Return an error as JSON. `facts` are further fields; they replace fields of the same name."""
    if isinstance(problem, BadMessage):
        found = problem.plain()
    else:
        found = {"type": "error", **server_messages.words_of(problem)}
    answer = json_answer(server_messages.encode({**found, **facts}), status_of(problem))
    if isinstance(problem, TooOften):
        answer.headers["Retry-After"] = str(problem.seconds)
    return answer


def with_errors(endpoint: Endpoint, refuse: Callable[[Request, LiveError], Response]) -> Endpoint:

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except LiveError as problem:
            return refuse(request, problem)

    return answer


def with_json_errors(endpoint: Endpoint) -> Endpoint:
    return with_errors(endpoint, lambda request, problem: refusal(problem))


class RunningDownloads:
    """Files being downloaded, with one entry in `files` per download."""

    def __init__(self) -> None:
        self.files: list[Sequence[bytes]] = []
        self._most_bytes = min(MOST_SENT_BYTES, MOST_SENT_SHARE * this_host().memory)

    @property
    def size(self) -> int:
        """Bytes in memory. A file downloaded by several browsers counts once."""
        return sum(map(_length, {id(file): file for file in self.files}.values()))

    def check(self, kind: str) -> None:
        """Check that a file of this kind may be downloaded now.

        Raises:
            BadMessage: If the kind is unknown.
            TooOften: If the current downloads are too large in total.
        """
        if kind not in MEDIA:
            raise BadMessage("file", kind, one_of(MEDIA))
        if self.size >= self._most_bytes:
            raise TooOften(RETRY_SECONDS, phrase("errors.too_many_files"))

    def send(self, pieces: Sequence[bytes], name: str, kind: str) -> Response:
        """Return the response with a file, or raise `TooOften` as in `check`."""
        # Other downloads may have started while this file was made.
        self.check(kind)
        seconds = current_hub().settings.send_seconds
        return FileDownload(
            pieces, name=f"{name}.{kind}", media_type=MEDIA[kind], running=self,
            send_seconds=seconds,
        )  # fmt: skip


class FileDownload(Response):
    """Response that sends a file in pieces, and aborts if nothing is accepted for
    `send_seconds`.
    """

    def __init__(
        self, pieces: Sequence[bytes], *, name: str, media_type: str, running: RunningDownloads,
        send_seconds: float,
    ) -> None:  # fmt: skip
        headers = {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(_length(pieces)),
        }
        super().__init__(headers=headers, media_type=media_type)
        self._pieces, self._running, self._send_seconds = pieces, running, send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        self._running.files.append(self._pieces)
        try:
            await self._send(send, start)
            for piece in self._pieces:
                await self._send(send, {"type": "http.response.body", "body": piece,
                                        "more_body": True})  # fmt: skip
            await self._send(send, {"type": "http.response.body", "body": b""})
        except TimeoutError:
            log.event("export timed out", run=scope["path_params"]["run"])
        finally:
            self._running.files.remove(self._pieces)

    async def _send(self, send: Send, message: dict[str, object]) -> None:
        async with asyncio.timeout(self._send_seconds):
            await send(message)


def _length(pieces: Sequence[bytes]) -> int:
    return sum(map(len, pieces))
