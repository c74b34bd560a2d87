"""The scripts at the beginning of every page."""

import importlib.util
import re
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.app import routes
from bnviz.live.web.assets import ASSETS
from bnviz.live.web.early_start import FIRST, LATER, chunks, early_start, entries
from bnviz.live.web.page_change import PageChange


def test_pages_start_the_live_view_early_and_nothing_else_does():
    async def page(_request):
        headers = {"etag": "old", "last-modified": "Fri, 20 Nov 2026 00:00:00 GMT"}
        return HTMLResponse("<head></head><p>page é</p>", headers=headers)

    app = Starlette(
        routes=[Route("/", page), *routes("/x")],
        middleware=[Middleware(PageChange, changes=[early_start("/x")])],
    )
    with TestClient(app) as client:
        answer = client.get("/")
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert not {"etag", "last-modified"} & set(answer.headers)
        head, rest = answer.text.split("</head>")
        assert rest == "<p>page é</p>"
        (kit,) = re.findall("<style data-kit>(.+?)</style>", head, re.DOTALL)
        assert "--type-title:" in kit
        assert "/*" not in kit
        links, view = re.findall('<script type="module" src="(.+?)"', head)
        (modules,) = re.findall('data-modules="(.+?)"', head)
        files = [*(ASSETS / "live").rglob("*.js"), *(ASSETS / "classroom").glob("*.js")]
        written = {path.relative_to(ASSETS).as_posix() for path in files}
        assert {f"{name}.js" for name in modules.split()} == {*written, "contract.js"}
        folder = view.removesuffix("live_view.js")
        for address in (links, view, *(f"{folder}{name}.js" for name in modules.split())):
            assert client.get(address).status_code == 200


def test_a_page_without_a_live_view_is_only_told_where_the_server_is():
    async def page(_request):
        return HTMLResponse("<head></head>")

    app = Starlette(
        routes=[Route("/x/claims", page), Route("/x", page)],
        middleware=[Middleware(PageChange, changes=[early_start("/x", ("claims",))])],
    )
    with TestClient(app) as client:
        for path in ("/x", "/x/claims", "/x/claims?q=a"):
            answer = client.get(path)
            assert int(answer.headers["content-length"]) == len(answer.content)
            assert 'BACKEND_BASE_URL:location.origin+"/x"' in answer.text
            assert "page_links.js" in answer.text
            assert 'data-health="/x/_stcore/health" data-texts="{&quot;en' in answer.text
            assert ("live_view.js" in answer.text) == (path == "/x")


def test_a_page_that_would_come_compressed_has_the_scripts_too():
    async def page(_request):
        return HTMLResponse("<head></head>" + 2000 * "x")

    app = Starlette(
        routes=[Route("/", page)],
        middleware=[Middleware(PageChange, changes=[early_start()]), Middleware(GZipMiddleware)],
    )
    with TestClient(app) as client:
        for accept, early in (("text/html,*/*", True), ("*/*", False)):
            answer = client.get("/", headers={"Accept": accept, "Accept-Encoding": "gzip"})
            assert ("live_view.js" in answer.text) == early
            assert ("content-encoding" in answer.headers) != early


def test_what_streamlit_draws_with_is_named_as_its_build_names_it():
    soon, later = chunks(FIRST), entries(LATER)
    assert {name.split("/")[-1].split(".")[0] for name in soon} >= set(FIRST)
    assert {name.split("/")[-1].split(".")[0] for name in later} == set(LATER)
    static = Path(importlib.util.find_spec("streamlit").origin).parent / "static"
    page = (static / "index.html").read_text("utf-8")
    for path in (*soon, *later):
        assert (static / path.lstrip("/")).is_file()
        assert path not in page  # the page does not already load this file
    assert chunks(["NoSuchElement"]) == entries(["NoSuchElement"]) == []
