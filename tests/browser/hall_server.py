"""HTTP server for a teacher's page and the phones of a class, without Streamlit or runs."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from bnviz.live.app import middleware, routes
from tests.live.classroom.phones import restart, started


class HallServer:
    """Server of the app's own routes. Every other address returns a page that shows the address."""

    def __init__(self) -> None:
        # Connections that arrive before the server is ready wait in the socket's queue.
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        app = Starlette(routes=[*routes(), Route("/{path:path}", _page)], middleware=middleware)
        config = uvicorn.Config(app, log_level="error", ws="none", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the server, without a trailing slash."""
        return f"http://127.0.0.1:{self.port}"

    def restart(self) -> None:
        """Discard all rooms, as a restart of the server does."""
        restart(rooms_per_minute=1_000)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)


@contextmanager
def hall_server() -> Iterator[HallServer]:
    """Run a server. Until the block ends, its hub and issuer replace the hub and issuer of the
    process.
    """
    with started(rooms_per_minute=1_000):
        running = HallServer()
        try:
            yield running
        finally:
            running.stop()


async def _page(request: Request) -> HTMLResponse:
    address = escape(request.url.path + (f"?{request.url.query}" if request.url.query else ""))
    return HTMLResponse(
        f'<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>page</title>'
        f"<main><h1>{address}</h1></main></html>"
    )
