"""The scripts that every page begins with."""

import re

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from bnviz.live.app_parts import routes
from bnviz.live.early_start import EarlyStart


def test_pages_start_the_live_view_early_and_nothing_else_does():
    async def page(_request):
        headers = {"etag": "old", "last-modified": "Fri, 20 Nov 2026 00:00:00 GMT"}
        return HTMLResponse("<head></head><p>page é</p>", headers=headers)

    app = Starlette(
        routes=[Route("/", page), *routes("/x")],
        middleware=[Middleware(EarlyStart, base="/x")],
    )
    with TestClient(app) as client:
        answer = client.get("/")
        assert int(answer.headers["content-length"]) == len(answer.content)
        assert not {"etag", "last-modified"} & set(answer.headers)
        head, rest = answer.text.split("</head>")
        assert head.startswith("<head><script async ")
        assert rest == "<p>page é</p>"
        addresses = re.findall(' src="(.+?)"', head)
        assert len(addresses) == 2
        for address in addresses:
            assert client.get(address).status_code == 200
        other = client.get(addresses[0])
        assert int(other.headers["content-length"]) < 3_000_000
