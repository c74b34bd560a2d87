"""Public interface of the server: routes, redirects of old addresses, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient

from bnviz.live import install_hub
from bnviz.live.hub import Hub
from bnviz.live.settings import Settings
from bnviz.live.web.owner import Issuer, install_issuer
from bnviz.ui.claims.measured import measured
from bnviz.ui.claims.page import page as claims_page
from bnviz.ui.query_schema import FOREIGN_NAMES, FOREIGN_PREFIXES
from bnviz.ui.serving import app_arguments
from bnviz.ui.sitemap import PAGES
from tests.compatibility.registries import there

SECRET = "a secret of today's server"
PAGE = {"accept": "text/html,*/*", "sec-fetch-dest": "document"}
OURS = {"origin": "http://testserver"}
# Paths with a digest, which only pages of the same server version request.
OWN_PATHS = ("/templates/", "/trained/", "/plotly/", "/assets/")
PARAMETER = re.compile(r"\{(\w+)(:\w+)?\}")
FILTER = re.compile(r"data-(field|value)=\"([^\"]*)\"")
IMAGE = re.compile(r"og:image\" content=\"http://testserver([^\"]+)\"")


def surface() -> dict[str, Any]:
    return dict((*_paths(), *_filters(), *_cookies()))


@cache
def _app() -> Starlette:
    """Return the app's routes and middleware, with an empty page in place of Streamlit's page."""

    async def page(_request: Request) -> Response:
        return HTMLResponse('<!doctype html><html lang="en"><head><title>x</title></head></html>')

    given = app_arguments()
    routes = [*given["routes"], Route("/{path:path}", page)]
    return Starlette(routes=routes, middleware=given["middleware"])


@contextmanager
def browser(cookies: dict[str, str] | None = None) -> Iterator[TestClient]:
    """Yield a client of a newly started server with a fixed secret and no workers."""
    settings = Settings(workers=1, secret=SECRET)
    before = install_hub(Hub(settings)), install_issuer(Issuer(settings))
    try:
        yield TestClient(_app(), follow_redirects=False, cookies=cookies)
    finally:
        install_hub(before[0])
        install_issuer(before[1])


def redirected(address: str) -> str | None:
    """Return the redirect target of an address, or None."""
    with browser() as client:
        found: str | None = client.get(address).headers.get("location")
        return found


def _paths() -> Iterator[tuple[str, Any]]:
    for name, page in PAGES.items():
        yield f"page {name} path", f"/{page.path}"
    for route in app_arguments()["routes"]:
        path = PARAMETER.sub(r"{\2}", route.path)
        if path.startswith(OWN_PATHS):
            continue
        methods = ["socket"] if isinstance(route, WebSocketRoute) else route.methods or ["any"]
        yield from there("route", (f"{method} {path}" for method in methods if method != "HEAD"))
    yield from there("parameter of other sites", (*FOREIGN_NAMES, *FOREIGN_PREFIXES))


def _filters() -> Iterator[tuple[str, Any]]:
    """Yield the query parameters and anchors of the claims page, which the browser reads."""
    html, field = str(claims_page(measured())), ""
    for kind, value in FILTER.findall(html):
        if kind == "field":
            field = value
        elif field:
            yield from there(f"claims page {field}", [value])
    yield from there("claims page search", re.findall(r"<input[^>]* name=\"(\w+)\"", html))
    places = [row.place for row in measured().rows]
    yield "claims page anchors are the places", all(f' id="{place}"' in html for place in places)


def _cookies() -> Iterator[tuple[str, Any]]:
    """Yield the attributes of each cookie, by name."""
    with browser() as client:
        yield from _set(client.get("/lab?lang=ja", headers=PAGE))
        code = client.post("/room", json={}, headers=OURS).json()["code"]
        yield from _set(TestClient(_app()).get(f"/b/{code}", headers=PAGE))


def _set(answer: Any) -> Iterator[tuple[str, Any]]:
    for cookie in answer.headers.get_list("set-cookie"):
        pair, *rest = cookie.split("; ")
        yield f"cookie {pair.partition('=')[0]}", sorted(rest)


def preview_picture(address: str) -> Response:
    """Return the image that other sites show in the preview of a link."""
    with browser() as client:
        found = IMAGE.search(client.get(address, headers=PAGE).text)
        assert found is not None, address
        return client.get(found[1])
