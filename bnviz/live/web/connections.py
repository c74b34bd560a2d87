"""Connection control that ASGI lacks: aborting, sending at once, closing half-open connections."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import time
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from bnviz.live import log

# Key in the scope for the function that aborts a WebSocket's connection.
CUT = "bnviz.cut"
# (current request, number of bytes of its response that the client has not read).
Progress = tuple[Any, int]

# Maximum number of seconds between two checks of all connections.
CHECK_SECONDS = 1.0


class Cuttable:
    """ASGI middleware that adds a function to the scope of each WebSocket to abort its connection.

    A server closes a connection only after the browser has read everything, so a browser that never
    reads would keep the server from stopping. The function aborts the transport, found through
    `send`, which is a method of Uvicorn's protocol.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            transport = getattr(getattr(send, "__self__", None), "transport", None)
            scope[CUT] = getattr(transport, "abort", None)
        await self._app(scope, receive, send)


def cut_connection(scope: Scope) -> None:
    if (cut := scope.get(CUT)) is not None:
        cut()


def send_at_once() -> int:
    """Set TCP_NODELAY on this process's listening sockets, and return their number.

    Accepted connections inherit the option. Without it, every response on a kept-alive connection
    waits about 40 ms for the browser's delayed acknowledgement. asyncio sets it only on sockets
    created explicitly for TCP, and Streamlit's sockets are not. Streamlit does not expose its
    sockets, so this searches all objects once.
    """
    return sum(_send_at_once(each) for each in gc.get_objects() if type(each) is socket.socket)


def _send_at_once(found: socket.socket) -> bool:
    tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    # Ignore closed sockets, and systems that do not report listening ones: responses are only
    # slower.
    with contextlib.suppress(OSError):
        if tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    return False


class HalfOpen:
    """Connections that wait for the client for longer than `seconds`.

    A client that sends no complete request, or does not read the response, occupies a file
    descriptor. Uvicorn limits only the time after a response.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # Connection -> (progress of the client, time since which it has not changed).
        self._waiting: dict[Any, tuple[Progress, float]] = {}

    def close_overdue(self, connections: Iterable[Any], now: float) -> int:
        """Close connections that have waited too long, and return their number.

        `connections` are Uvicorn's protocols. A WebSocket counts as waiting until it is open.
        """
        before, self._waiting = self._waiting, {}
        closed = 0
        for connection in connections:
            progress = _awaited(connection)
            if progress is None:
                continue
            known = before.get(connection)
            since = known[1] if known is not None and known[0] == progress else now
            if now - since > self._seconds:
                connection.transport.abort()
                closed += 1
            else:
                self._waiting[connection] = progress, since
        return closed


def _awaited(connection: Any) -> Progress | None:
    """Return the progress of the client if the server waits for the client, or None."""
    if hasattr(connection, "handshake_complete"):
        # A WebSocket. Uvicorn does not answer a handshake whose header is too long.
        return None if connection.handshake_complete else (None, 0)
    if not hasattr(connection, "cycle"):
        return None
    cycle, unread = connection.cycle, connection.transport.get_write_buffer_size()
    asked = cycle is not None and not (cycle.response_complete or cycle.more_body)
    return None if asked and not unread else (cycle, unread)


def running_servers() -> list[uvicorn.Server]:
    """Return this process's Uvicorn servers, found among all objects. Call before `gc.freeze`."""
    return [each for each in gc.get_objects() if type(each) is uvicorn.Server]


async def close_half_open(servers: Sequence[uvicorn.Server], seconds: float) -> None:
    """Close connections that wait for the client longer than `seconds`, until cancelled."""
    half_open = HalfOpen(seconds)
    while servers:
        await asyncio.sleep(min(CHECK_SECONDS, seconds / 2))
        connections = [*chain.from_iterable(each.server_state.connections for each in servers)]
        with log.guarded("closing half-open connections failed"):
            if closed := half_open.close_overdue(connections, time.monotonic()):
                log.event("half-open connections closed", count=closed)
