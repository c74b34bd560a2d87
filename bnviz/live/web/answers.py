"""Answers of the routes: JSON, and every refusal as field, value, what is allowed.

A text as a file to take away, held no longer than the other end takes it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bnviz.live import log
from bnviz.live.errors import HubNotRunning, LiveError, NoSuchClassroom, NoSuchRun, NotNow, TooOften
from bnviz.live.protocol import server_messages
from bnviz.live.protocol.client_messages import BadMessage

# What is refused for another reason is not for this browser: 403.
STATUS = {NoSuchRun: 404, NoSuchClassroom: 404, NotNow: 409, TooOften: 429, HubNotRunning: 503}

Endpoint = Callable[[Request], Awaitable[Response]]


def json_answer(content: bytes | str, status: int = 200) -> Response:
    """JSON that must not be kept: the next question may have another answer."""
    headers = {"Cache-Control": "no-store"}
    return Response(content, status, media_type="application/json", headers=headers)


def status_of(problem: LiveError | BadMessage) -> int:
    """A refusal as a status of HTTP."""
    return 400 if isinstance(problem, BadMessage) else STATUS.get(type(problem), 403)


def refusal(problem: LiveError | BadMessage, **facts: Any) -> Response:
    """Why not, as JSON, with further facts."""
    if isinstance(problem, BadMessage):
        found = server_messages.error(problem.field, problem.value, problem.allowed)
    else:
        found = {"type": "error", **server_messages.words_of(problem)}
    answer = json_answer(server_messages.encode({**found, **facts}), status_of(problem))
    if isinstance(problem, TooOften):
        answer.headers["Retry-After"] = str(problem.seconds)
    return answer


def with_json_errors(endpoint: Endpoint) -> Endpoint:
    """The endpoint, with its refusals turned into answers."""

    async def answer(request: Request) -> Response:
        try:
            return await endpoint(request)
        except (LiveError, BadMessage) as problem:
            return refusal(problem)

    return answer


class RunningDownloads:
    """The texts that are being sent. One that many get at a time is held once."""

    def __init__(self) -> None:
        self._getting: Counter[int] = Counter()
        self.size = 0

    def begin(self, text: Sequence[bytes]) -> None:
        """One more gets this text."""
        self._getting[id(text)] += 1
        if self._getting[id(text)] == 1:
            self.size += _length(text)

    def end(self, text: Sequence[bytes]) -> None:
        """One has it, or has given up."""
        self._getting[id(text)] -= 1
        if not self._getting[id(text)]:
            del self._getting[id(text)]
            self.size -= _length(text)


class Download(Response):
    """Pieces of a text; where one is not taken for `send_seconds` the rest is not sent."""

    def __init__(
        self, pieces: Sequence[bytes], *, name: str, media_type: str, sending: RunningDownloads,
        send_seconds: float,
    ) -> None:  # fmt: skip
        headers = {
            "Content-Disposition": f'attachment; filename="{name}"',
            "Content-Length": str(_length(pieces)),
        }
        super().__init__(headers=headers, media_type=media_type)
        self._pieces, self._sending, self._send_seconds = pieces, sending, send_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        self._sending.begin(self._pieces)
        try:
            await self._send(send, start)
            for piece in self._pieces:
                await self._send(send, {"type": "http.response.body", "body": piece,
                                        "more_body": True})  # fmt: skip
            await self._send(send, {"type": "http.response.body", "body": b""})
        except TimeoutError:
            log.event("export given up", path=scope.get("path"))
        finally:
            self._sending.end(self._pieces)

    async def _send(self, send: Send, message: dict[str, object]) -> None:
        async with asyncio.timeout(self._send_seconds):
            await send(message)


def _length(text: Sequence[bytes]) -> int:
    return sum(map(len, text))
