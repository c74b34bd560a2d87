"""Limits on the WebSockets of Streamlit's pages: accepted messages and their rates.

Streamlit executes every request of a socket at once, while all other tasks wait. Requests can run
git, clear the cache of all sessions, and store any state. This app needs none of that.
"""

from __future__ import annotations

import asyncio
from collections import Counter

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from bnviz.live import log
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.owner import issuer
from bnviz.live.web.request_source import client_address
from bnviz.live.web.security import LATER, POLICY, STREAM, refuse_socket

# Accepted messages: run or stop a script, and the heartbeat of a page.
TAKEN = ("rerun_script", "stop_script", "app_heartbeat")
# Maximum number of messages per socket in a period, and the period in seconds. A socket that
# exceeds the limit is closed.
MOST_MESSAGES, MESSAGES_SECONDS = 200, 10.0
# Maximum number of script runs per address in a period, the period in seconds, and the delay before
# a run above the limit tries again. One core can run about this many scripts in a period.
MOST_RUNS, RUNS_SECONDS, WAIT_SECONDS = 300, 10.0, 0.25
# Size in bytes above which a message is large, and the maximum number of sockets per address that
# send large messages. Only the page that collects reports needs large messages, and Streamlit
# stores the state that a page sends.
LARGE, MOST_LARGE = 262_144, 12


class PageSockets:
    """ASGI middleware that limits the messages of Streamlit's WebSockets."""

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        self._app, self._most = app, settings.pages_per_address
        self._open: Counter[str] = Counter()
        self._large: Counter[str] = Counter()
        self._runs = RateLimiter(MOST_RUNS, RUNS_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Forward a request, or refuse it if its address has too many pages open."""
        if scope["type"] != "websocket" or not scope["path"].endswith(STREAM):
            await self._app(scope, receive, send)
            return
        address = client_address(scope, issuer().trusted)
        if self._open[address] >= self._most:
            log.event("page refused", address=address, pages=self._open[address])
            await refuse_socket(receive, send, LATER)
            return
        page = _Page(address, self._runs, self._large)
        self._open[address] += 1
        try:
            await self._app(scope, lambda: page.receive(receive, send), send)
        finally:
            page.close()
            self._open[address] -= 1
            if not self._open[address]:
                del self._open[address], self._large[address]


class _Page:
    """Socket of one page.

    Args:
        large: Number of sockets per address that have sent a large message.
    """

    def __init__(self, address: str, runs: RateLimiter, large: Counter[str]) -> None:
        self._address, self._runs, self._large_of = address, runs, large
        self._messages = RateLimiter(MOST_MESSAGES, MESSAGES_SECONDS)
        self._is_large = False

    def close(self) -> None:
        if self._is_large:
            self._large_of[self._address] -= 1

    async def receive(self, receive: Receive, send: Send) -> Message:
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            # Streamlit reads messages in a loop without yielding to other tasks, so yield here.
            await asyncio.sleep(0)
            content = message.get("bytes") or b""
            if not self._messages.take() or not self._may_be_so_large(len(content)):
                log.event(
                    "page closed: messages above limit", address=self._address, size=len(content)
                )
                await send({"type": "websocket.close", "code": POLICY})
                return {"type": "websocket.disconnect", "code": POLICY}
            if taken := _taken(content):
                while taken.HasField("rerun_script") and not self._runs.take(self._address):
                    await asyncio.sleep(WAIT_SECONDS)
                return {"type": "websocket.receive", "bytes": taken.SerializeToString()}

    def _may_be_so_large(self, size: int) -> bool:
        if size > LARGE and not self._is_large:
            if self._large_of[self._address] >= MOST_LARGE:
                return False
            self._is_large = True
            self._large_of[self._address] += 1
        return True


def _taken(content: bytes) -> BackMsg | None:
    """Return a message without the parts that this app does not use, or None if nothing is left."""
    try:
        message = BackMsg.FromString(content)
    except DecodeError:
        return None
    if message.WhichOneof("type") not in TAKEN:
        return None
    # Remove these hashes: Streamlit stores them, and this app never refers to messages cached by a
    # browser.
    if message.HasField("rerun_script"):
        message.rerun_script.ClearField("cached_message_hashes")
    return message
