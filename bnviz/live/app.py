"""Routes, lifespan and middleware that add live runs to an ASGI app."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route, WebSocketRoute

from bnviz.live import install_hub, log
from bnviz.live.classroom.phone_routes import phone_routes
from bnviz.live.classroom.teacher_routes import teacher_routes
from bnviz.live.hub import Hub
from bnviz.live.maps.routes import MapRoutes, with_map_errors
from bnviz.live.settings import Settings
from bnviz.live.web.answers import Endpoint, with_json_errors
from bnviz.live.web.assets import asset, plotly, plotly_library
from bnviz.live.web.connections import (
    Cuttable,
    close_half_open,
    running_servers,
    send_at_once,
)
from bnviz.live.web.descriptors import RoomForPages, collect_now_and_then, raise_limit
from bnviz.live.web.history_routes import HistoryRoutes, changes, frame, index
from bnviz.live.web.notes_page import notes
from bnviz.live.web.owner import Issuer, OwnerCookie, install_issuer
from bnviz.live.web.run_socket import watch
from bnviz.live.web.script_routes import DIGITS_FILE, digits, script
from bnviz.live.web.security import Gate
from bnviz.live.web.share_routes import qr, recording_file
from bnviz.live.web.status_page import status
from bnviz.live.web.templates import known_templates
from bnviz.live.web.trained_networks import TrainedNetworks

__all__ = ["OwnerCookie", "lifespan", "lifespan_of", "middleware", "routes"]


def routes(base_path: str = "") -> list[BaseRoute]:
    """Return all routes. `base_path` is "" or "/prefix"."""
    base = f"/{base_path.strip('/')}" if base_path.strip("/") else ""
    past, maps = HistoryRoutes(), MapRoutes()
    endpoints: dict[str, Endpoint] = {
        "/history/{run}": index,
        "/history/{run}/{seq}": frame,
        "/changes/{run}": changes,
        "/series/{run}": past.series,
        "/export/{run}.{kind}": past.export,
        "/maps/{key}.{kind}": with_map_errors(maps.export),
        "/maps/{key}": with_map_errors(maps.poll),
        "/assets/{version}/{path:path}": asset,
        "/plotly/{version}.js": plotly,
        "/templates/{id}.json": known_templates,
        "/trained/{name}": TrainedNetworks().answer,
        "/qr.svg": qr,
        "/recording/{talk}.html": recording_file,
        f"/scripts/{DIGITS_FILE}": digits,
        "/scripts/{name}.py": script,
        "/notes": partial(notes, base),
        "/status": status,
    }
    return [
        WebSocketRoute(f"{base}/live/{{run}}", watch),
        *(Route(base + path, with_json_errors(answer)) for path, answer in endpoints.items()),
        *teacher_routes(base),
        *phone_routes(base),
    ]


def lifespan_of(
    settings: Settings | None = None, prepare: Sequence[Callable[[], object]] = ()
) -> Any:
    """Return a lifespan that runs a hub and, at startup, calls `prepare` in the background."""

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        send_at_once()
        raise_limit()
        hub = Hub(settings)
        await hub.open()
        before = install_hub(hub)
        issuer_before = install_issuer(Issuer(hub.settings))
        preparing = asyncio.create_task(_prepare(plotly_library, *prepare))
        tidying = [
            asyncio.create_task(collect_now_and_then()),
            asyncio.create_task(close_half_open(running_servers(), hub.settings.request_seconds)),
        ]
        # The objects that exist after the imports are never freed, so exclude them from garbage
        # collection.
        gc.freeze()
        try:
            yield
        finally:
            for task in tidying:
                task.cancel()
            install_hub(before)
            install_issuer(issuer_before)
            await hub.close()
            await preparing

    return lifespan


async def _prepare(*calls: Callable[[], object]) -> None:
    """Call functions one by one in a thread. Only log an error, because a page calls a failed
    function again.
    """
    for call in calls:
        try:
            await asyncio.to_thread(call)
        except Exception as error:
            log.event("preparation failed", level=logging.ERROR, exc_info=error)


lifespan = lifespan_of()

middleware = [
    Middleware(Cuttable), Middleware(Gate), Middleware(RoomForPages), Middleware(OwnerCookie),
]  # fmt: skip
