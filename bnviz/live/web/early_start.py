"""Lets browsers begin with the live view while Streamlit is still starting in them."""

from __future__ import annotations

import json
from collections.abc import Sequence

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live.web.assets_route import VERSION, live_modules
from bnviz.live.web.streamlit_chunks import chunks, entries

HEAD = b"</head>"
# The elements of a page's first picture, and those that come when the live view stands.
FIRST = ("BidiComponent", "Html")
LATER = ("Selectbox", "Slider", "Checkbox", "ButtonGroup", "Button", "PageLink")


class EarlyStart:
    """ASGI middleware that puts the live view into the head of every page.

    Left to itself, it would be asked for when Streamlit has started and drawn its first elements;
    until then the browser mostly waits. As a module behind Streamlit's own it runs right after it:
    what it loads in its turn, Plotly above all, takes nothing from Streamlit's start.

    Every page also says where the server is: of an address like `/claims` Streamlit would first
    try whether that is a server of its own, and be told that it is not.

    Args:
        base: what the server's paths start with.
        without: the paths, after that, of pages that have no live view.
    """

    def __init__(self, app: ASGIApp, base: str = "", without: Sequence[str] = ()) -> None:
        self._app = app
        self._without = {f"{base}/{path}" for path in without}
        server = f"window.__streamlit={{BACKEND_BASE_URL:location.origin+{json.dumps(base)}}}"
        self._server = f"<script>{server}</script>".encode()
        preloads = "".join(
            f'<link rel="modulepreload" crossorigin href="{base}{path}">' for path in chunks(FIRST)
        )
        modules = " ".join(live_modules())
        later = " ".join(f"{base}{path}" for path in entries(LATER))
        source = f"{base}/assets/{VERSION}/live_view.js"
        attributes = f'data-modules="{modules}" data-later="{later}"'
        view = f'<script type="module" src="{source}" {attributes}></script>'
        self._scripts = self._server + (preloads + view).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; an HTML page gets the scripts."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message | None = None
        plain = scope["path"].rstrip("/") in self._without
        scripts = self._server if plain else self._scripts

        async def begin(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message  # its length is known when its body is
                return
            if start is not None:
                message = _with_scripts(start, message, scripts)
                await send(start)
                start = None
            await send(message)

        await self._app(_uncompressed(scope), receive, begin)


def _uncompressed(scope: Scope) -> Scope:
    """A request for a page as one that understands no compression.

    Streamlit compresses its page at some addresses, and no script can be put into that.
    """
    if "text/html" not in Headers(scope=scope).get("accept", ""):
        return scope
    headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
    return {**scope, "headers": headers}


def _with_scripts(start: Message, body: Message, scripts: bytes) -> Message:
    """A page's first piece of body with the scripts in it; its headers change in place."""
    content = body.get("body", b"")
    if HEAD not in content:
        return body
    headers = MutableHeaders(scope=start)
    if "content-length" in headers:
        headers["content-length"] = str(int(headers["content-length"]) + len(scripts))
    # They are those of Streamlit's file, and would keep a page that names another version.
    for name in ("etag", "last-modified"):
        if name in headers:
            del headers[name]
    return {**body, "body": content.replace(HEAD, scripts + HEAD, 1)}


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(scope=start)
    html = headers.get("content-type", "").startswith("text/html")
    return html and "content-encoding" not in headers
