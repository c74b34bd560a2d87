"""Cutting a connection whose peer does not read.

Closing one waits until the peer has taken what is buffered, which a peer that never reads never
does, and a server that waits for its connections then does not stop. ASGI has no word for giving
up; uvicorn's `send` is a method of the protocol that holds the transport, and that can be aborted.

Makes the server send small answers at once.

Streamlit binds its socket without naming the protocol, and asyncio turns Nagle's algorithm off only
where TCP is named. Left on, each answer on a kept-alive connection waits about 40 ms for the
browser's delayed acknowledgement: over a second for the hundred files of a page.
"""

from __future__ import annotations

import contextlib
import gc
import socket
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

# The key in the scope under which a socket's route finds the way to cut it.
CUT = "bnviz.cut"


class Cuttable:
    """ASGI middleware that puts a function into the scope of each socket: cut the connection."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on."""
        if scope["type"] == "websocket":
            scope[CUT] = _cutter(send)
        await self._app(scope, receive, send)


def _cutter(send: Send) -> Callable[[], None]:
    transport = getattr(getattr(send, "__self__", None), "transport", None)
    abort = getattr(transport, "abort", None)
    return abort if callable(abort) else _nothing


def _nothing() -> None:
    """This server gives no way to cut a connection."""


def send_at_once() -> int:
    """Set TCP_NODELAY on this process's listening sockets; accepted connections inherit it.

    Nobody hands them over, and not every system lists a process's open files: they are looked for
    among all objects, which takes some hundredths of a second, once.

    Returns:
        How many sockets were listening.
    """
    return sum(_send_at_once(each) for each in gc.get_objects() if type(each) is socket.socket)


def _send_at_once(found: socket.socket) -> bool:
    tcp = found.family in (socket.AF_INET, socket.AF_INET6) and found.type == socket.SOCK_STREAM
    # Closed, or of a system that does not tell who listens: answers are slower, nothing breaks.
    with contextlib.suppress(OSError):
        if tcp and found.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return True
    return False
