"""Cut a connection, send at once, close idle connections: ASGI offers none of these."""

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

# The key in the scope of the function that cuts a WebSocket's connection.
CUT = "bnviz.cut"
# The present request, and how many bytes of its answer the other side has yet to take.
Progress = tuple[Any, int]

# Seconds between two looks at all connections, at most.
LOOK_SECONDS = 1.0


class Cuttable:
    """ASGI middleware that puts a function into the scope of each WebSocket, which cuts it.

    To close a connection, the server waits until the browser has read what was sent. One that never
    reads would keep the server from stopping. Uvicorn's `send` is a method of the protocol, which
    has the transport, and a transport can be aborted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            transport = getattr(getattr(send, "__self__", None), "transport", None)
            scope[CUT] = getattr(transport, "abort", None)
        await self._app(scope, receive, send)


def cut_connection(scope: Scope) -> None:
    """Cut a WebSocket's connection, if the server gives a way to do so."""
    if (cut := scope.get(CUT)) is not None:
        cut()


def send_at_once() -> int:
    """Set TCP_NODELAY on this process's listening sockets; accepted connections inherit it.

    asyncio does so where a socket was made for TCP by name, which Streamlit's is not. Without it,
    every answer on a connection that is kept waits about 40 ms for the browser's delayed
    acknowledgement: over a second for the hundred files of a page.

    Streamlit hands out no socket, and not every system lists a process's open files. So they are
    looked for among all objects, which takes some hundredths of a second, once.

    Returns:
        How many sockets were listening.
    """
    return sum(_send_at_once(each) for each in gc.get_objects() if type(each) is socket.socket)


def _send_at_once(found: socket.socket) -> bool:
    tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    # A closed socket, or a system that does not tell which ones listen: answers are only slower.
    with contextlib.suppress(OSError):
        if tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    return False


class HalfOpen:
    """The connections that wait for their other side, and since when.

    The other side sends no whole request, or does not read the answer. Uvicorn would wait for it
    forever: it has a limit only for connections that are silent after an answer. Each such
    connection takes one of the process's descriptors, and costs the other side nothing.

    Args:
        seconds: how long a connection may wait.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        # By connection, how far its other side has come, and since when it waits there.
        self._waiting: dict[Any, tuple[Progress, float]] = {}

    def close_overdue(self, connections: Iterable[Any], now: float) -> int:
        """Close the connections that have waited too long.

        Args:
            connections: Uvicorn's protocols. A WebSocket waits until it is open.
            now: monotonic seconds.

        Returns:
            How many were closed.
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
    """How far the other side has come, if the next thing is for it to do; else None."""
    if hasattr(connection, "handshake_complete"):
        # A WebSocket. Uvicorn never answers a handshake with a header that is too long.
        return None if connection.handshake_complete else (None, 0)
    if not hasattr(connection, "cycle"):
        return None
    cycle, unread = connection.cycle, connection.transport.get_write_buffer_size()
    asked = cycle is not None and not (cycle.response_complete or cycle.more_body)
    return None if asked and not unread else (cycle, unread)


def running_servers() -> list[uvicorn.Server]:
    """Uvicorn's servers in this process; to be called before `gc.freeze`.

    Streamlit hands out none, so they are looked for among all objects.
    """
    return [each for each in gc.get_objects() if type(each) is uvicorn.Server]


async def close_half_open(servers: Sequence[uvicorn.Server], seconds: float) -> None:
    """Close connections that wait for a request longer than this, until cancelled."""
    half_open = HalfOpen(seconds)
    while servers:
        await asyncio.sleep(min(LOOK_SECONDS, seconds / 2))
        connections = [*chain.from_iterable(each.server_state.connections for each in servers)]
        with log.guarded("half-open connections not closed"):
            if closed := half_open.close_overdue(connections, time.monotonic()):
                log.event("half-open connections closed", count=closed)
