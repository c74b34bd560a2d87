"""Server of the tests of restarts: the app's routes, and a route that calls the hub's methods.

Run as `python -m tests.machines.restarted_server <port>`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import sys

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route

from bnviz.config import RunConfig
from bnviz.live import current_hub
from bnviz.live.app import lifespan, middleware, routes
from bnviz.live.runs import housekeeping
from bnviz.live.saved import saved_runs
from bnviz.live.web.owner import owner_in
from bnviz.own_talks.talk_cache import keep_talk, kept_talk


async def call(request: Request) -> JSONResponse:
    hub, asked = current_hub(), orjson.loads(await request.body())
    name, owner = request.path_params["name"], owner_in(request.headers)
    if name == "save":
        hub._save()
        return JSONResponse(await hub.saver.saved())
    if name == "die":
        return JSONResponse(kill_before(asked["statement"], hub.saver._file._connection))
    if name == "talk":
        return JSONResponse(keep_talk(asked["text"]))
    if name == "talk_text":
        found = kept_talk(asked["name"])
        return JSONResponse(found and found.text)
    if name == "pinned_runs":
        return JSONResponse([run.id for run in hub.pinned(owner or "")])
    if "config" in asked:
        asked["config"] = RunConfig(**asked["config"])
    if name == "fork":
        now = hub.info(asked["run_id"])
        asked["config"] = now and now.config.replace(**asked.pop("changed"))
    return JSONResponse(getattr(hub, name)(owner, **asked))


def kill_before(statement: int, connection: sqlite3.Connection) -> None:
    """Kill this process before the numbered statement of the database, within a transaction."""
    left = [statement]

    def count(text: str) -> None:
        left[0] -= text.startswith(("INSERT", "DELETE", "COMMIT"))
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)

    connection.set_trace_callback(count)


def main(port: int) -> None:
    # Save often, so that a short test has many transactions.
    housekeeping.TICK_SECONDS, saved_runs.CHECKPOINT_SECONDS = 0.1, 0.3
    app = Starlette(
        routes=[
            *routes(), Route("/call/{name}", call, methods=["POST"]),
            Route("/_stcore/health", lambda _request: PlainTextResponse("ok")),
        ],
        lifespan=lifespan, middleware=middleware,
    )  # fmt: skip
    config = uvicorn.Config(app, port=port, ws="websockets-sansio", log_level="warning")
    asyncio.run(uvicorn.Server(config).serve())


if __name__ == "__main__":
    main(int(sys.argv[1]))
