"""What ASGI does not offer for connections: to cut one, and to send small answers at once."""

from __future__ import annotations

import contextlib
import gc
import socket

from starlette.types import ASGIApp, Receive, Scope, Send

# The key in the scope of the function that cuts a WebSocket's connection.
CUT = "bnviz.cut"


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
