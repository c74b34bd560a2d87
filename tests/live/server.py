"""Small server for tests: the app's routes, lifespan and middleware in a bare Starlette app.

Run as `python -m tests.live.server <port> <base path>`. `POST <base>/start` starts a run.
"""

from __future__ import annotations

import socket
import sys

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.app import lifespan, middleware, routes

SEND_BUFFER = 4096


async def start(request: Request) -> PlainTextResponse:
    asked = orjson.loads(await request.body())
    config = RunConfig(**asked["config"])
    return PlainTextResponse(current_hub().start(asked["owner"], config, pace=asked["pace"]))


def main(port: int, base: str) -> None:
    app = Starlette(
        routes=[*routes(base), Route(f"{base}/start", start, methods=["POST"])],
        lifespan=lifespan, middleware=middleware,
    )  # fmt: skip
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Simulate a slow connection: the send buffer is small, so it fills quickly when a browser does
    # not read.
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    listening.bind(("127.0.0.1", port))
    # Use the same settings as Streamlit's server.
    config = uvicorn.Config(app, ws="websockets-sansio", log_level="warning")
    uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")
