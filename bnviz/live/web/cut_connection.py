"""Cutting a connection whose peer does not read.

Closing one waits until the peer has taken what is buffered, which a peer that never reads never
does, and a server that waits for its connections then does not stop. ASGI has no word for giving
up; uvicorn's `send` is a method of the protocol that holds the transport, and that can be aborted.
"""

from __future__ import annotations

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
