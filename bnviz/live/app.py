"""What the live path adds to an ASGI app: routes, the hub's lifetime, the owner's cookie."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Route

from bnviz.live import install_hub, log
from bnviz.live.classroom.phone_routes import phone_routes
from bnviz.live.classroom.teacher_routes import teacher_routes
from bnviz.live.hub import Hub
from bnviz.live.maps.routes import map_routes
from bnviz.live.settings import Settings
from bnviz.live.web.answers import with_json_errors
from bnviz.live.web.assets import assets_routes, plotly_library
from bnviz.live.web.connections import Cuttable, send_at_once
from bnviz.live.web.history_routes import history_routes
from bnviz.live.web.owner import Issuer, OwnerCookie, install_issuer
from bnviz.live.web.run_socket import run_socket
from bnviz.live.web.share_routes import qr_route, recording_route
from bnviz.live.web.status_page import status
from bnviz.live.web.templates import templates_route

__all__ = ["OwnerCookie", "lifespan", "lifespan_of", "middleware", "routes"]


def routes(base_path: str = "") -> list[BaseRoute]:
    """Every route of the live path.

    Args:
        base_path: what all paths start with: "" or "/prefix".
    """
    base = f"/{base_path.strip('/')}" if base_path.strip("/") else ""
    return [
        run_socket(base),
        *history_routes(base),
        *map_routes(base),
        *assets_routes(base),
        templates_route(base),
        qr_route(base),
        recording_route(base),
        *teacher_routes(base),
        *phone_routes(base),
        Route(f"{base}/status", with_json_errors(status)),
    ]


def lifespan_of(
    settings: Settings | None = None, prepare: Sequence[Callable[[], object]] = ()
) -> Any:
    """A lifespan with a hub.

    Args:
        settings: of the hub; None: those of the environment.
        prepare: what to do at the start that the first visitor should not wait for.
    """

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        send_at_once()
        hub = Hub(settings)
        await hub.open()
        before = install_hub(hub)
        issuer_before = install_issuer(Issuer(hub.settings))
        # Compressing Plotly takes a while.
        warming = asyncio.create_task(_one_by_one(plotly_library, *prepare))
        # What is imported by now stays: no collection has to look at it again.
        gc.freeze()
        try:
            yield
        finally:
            install_hub(before)
            install_issuer(issuer_before)
            await hub.close()
            await warming

    return lifespan


async def _one_by_one(*calls: Callable[[], object]) -> None:
    """Call in a thread; what fails is logged, for a visitor's own page does it again."""
    for call in calls:
        try:
            await asyncio.to_thread(call)
        except Exception as error:
            log.event("not prepared", level=logging.ERROR, exc_info=error)


lifespan = lifespan_of()

middleware = [Middleware(OwnerCookie), Middleware(Cuttable)]
