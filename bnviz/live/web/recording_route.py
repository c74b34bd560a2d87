"""`/recording/<talk>.html`: a talk to take along, as one file."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bnviz.live.web.assets_route import no_file
from bnviz.live.web.page_language import language_of
from bnviz.recording import data_path, recording
from bnviz.talks import TALKS


def recording_route(base: str) -> Route:
    """The route."""
    return Route(f"{base}/recording/{{talk}}.html", take)


async def take(request: Request) -> Response:
    """The file, in the visitor's language; browsers save it."""
    talk = request.path_params["talk"]
    if talk not in TALKS or not data_path(talk).is_file():
        return no_file()
    page = await run_in_threadpool(recording, talk, language_of(request.scope))
    saved = f'attachment; filename="bnviz-{talk}.html"'
    return HTMLResponse(page, headers={"Content-Disposition": saved, "Cache-Control": "no-cache"})
