"""Route handlers that answer a page's requests to the room of a class, without a running server."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Route
from starlette.testclient import TestClient

from tests.live.classroom.phones import OURS


def pass_on(route: Route, browser: TestClient, below: str = "") -> None:
    """Answer a page's request with the server's routes, under the path prefix `below`."""
    sent = route.request
    path = below + urlsplit(sent.url).path
    headers = {name: sent.headers[name] for name in ("content-type", "if-none-match")
               if name in sent.headers}  # fmt: skip
    found = browser.request(
        sent.method, path, content=sent.post_data or "", headers={**OURS, **headers}
    )
    kept = {name: found.headers[name] for name in ("etag", "content-type") if name in found.headers}
    route.fulfill(status=found.status_code, body=found.text, headers=kept)
