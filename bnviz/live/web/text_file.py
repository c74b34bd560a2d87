"""A text as a file to take away, held no longer than the other end takes it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from bnviz.live import log


class OnTheirWay:
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


class TextFile(Response):
    """Pieces of a text; where one is not taken for `send_seconds` the rest is not sent."""

    def __init__(
        self, pieces: Sequence[bytes], *, name: str, media_type: str, sending: OnTheirWay,
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
