"""The sockets of Streamlit's pages: which messages a server takes from them, and how many.

Streamlit does whatever a socket asks for, at once and while all others wait: it runs git, it drops
what it has cached for everybody, and it keeps all state that a page sends. Pages of this app need
none of that.
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

# The messages of pages: a script is to run or to stop, and the page is still there.
TAKEN = ("rerun_script", "stop_script", "app_heartbeat")
# A socket that sends more messages than these within so many seconds is closed.
MOST_MESSAGES, MESSAGES_SECONDS = 200, 10.0
# One address has so many script runs within so many seconds; more of them wait. A core runs about
# as many scripts.
MOST_RUNS, RUNS_SECONDS, WAIT_SECONDS = 300, 10.0, 0.25
# The server keeps the state that a page sends. More than this is sent by the page that collects
# reports alone; so many sockets of one address may do that.
LARGE, MOST_LARGE = 262_144, 12


class PageSockets:
    """ASGI middleware for Streamlit's WebSockets; see above."""

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        self._app, self._most = app, settings.pages_per_address
        self._open: Counter[str] = Counter()
        self._large: Counter[str] = Counter()
        self._runs = RateLimiter(MOST_RUNS, RUNS_SECONDS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on. A page too many of one address is refused."""
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
    """One socket, with what it has sent so far.

    Args:
        address: where it comes from.
        runs: the script runs by address.
        large: how many sockets of an address have sent a large message.
    """

    def __init__(self, address: str, runs: RateLimiter, large: Counter[str]) -> None:
        self._address, self._runs, self._large_of = address, runs, large
        self._messages = RateLimiter(MOST_MESSAGES, MESSAGES_SECONDS)
        self._is_large = False

    def close(self) -> None:
        if self._is_large:
            self._large_of[self._address] -= 1

    async def receive(self, receive: Receive, send: Send) -> Message:
        """The next message that Streamlit gets."""
        while True:
            message = await receive()
            if message["type"] != "websocket.receive":
                return message
            # Streamlit takes message after message without ever letting others have their turn.
            await asyncio.sleep(0)
            content = message.get("bytes") or b""
            if not self._messages.take() or not self._may_be_so_large(len(content)):
                log.event("page closed", address=self._address, size=len(content))
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
    """A message without what this app does not use; None: nothing is left."""
    try:
        message = BackMsg.FromString(content)
    except DecodeError:
        return None
    if message.WhichOneof("type") not in TAKEN:
        return None
    # Streamlit keeps them, and this app never refers to a message that a browser has cached.
    if message.HasField("rerun_script"):
        message.rerun_script.ClearField("cached_message_hashes")
    return message
