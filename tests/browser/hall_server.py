"""What a class's teacher and its phones speak to, on a real port: no Streamlit, and no run."""

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
from tests.live.classroom.hall import restart, started


class HallServer:
    """Our own routes; any other address is a page that says which one it is."""

    def __init__(self) -> None:
        # Who comes before the server is ready waits for it.
        listening = socket.create_server(("127.0.0.1", 0))
        self.port = listening.getsockname()[1]
        app = Starlette(routes=[*routes(), Route("/{path:path}", _page)], middleware=middleware)
        config = uvicorn.Config(app, log_level="error", ws="none", lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listening],), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where it is, without a slash at the end."""
        return f"http://127.0.0.1:{self.port}"

    def restart(self) -> None:
        """Know nothing of what was."""
        restart(rooms_per_minute=1_000)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)


@contextmanager
def hall_server() -> Iterator[HallServer]:
    """One that takes the place of the process's hub and issuer, and gives it back."""
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
