"""Lets browsers begin with the live view while Streamlit is still starting in them."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live.assets_route import VERSION

HEAD = b"</head>"
# Another Plotly on the page may replace `window.Plotly` later.
KEEP = "this.bnvizPlotly = window.Plotly"


class EarlyStart:
    """ASGI middleware that puts Plotly and the live view into the head of every page.

    Left to itself, the live view would ask for them when Streamlit has drawn its widgets, two
    seconds after the page; until then the browser mostly waits, and can run them meanwhile.
    """

    def __init__(self, app: ASGIApp, base: str = "") -> None:
        self._app = app
        source = f"{base}/plotly/{VERSION}.js"
        plotly = f'<script async fetchpriority="low" src="{source}" onload="{KEEP}"></script>'
        view = f'<script type="module" async src="{base}/assets/{VERSION}/live_view.js"></script>'
        self._scripts = (plotly + view).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; an HTML page gets the scripts."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def begin(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_page(message):
                start = message  # its length is known when its body is
                return
            if start is not None:
                message = self._with_scripts(start, message)
                await send(start)
                start = None
            await send(message)

        await self._app(scope, receive, begin)

    def _with_scripts(self, start: Message, body: Message) -> Message:
        """A page's first piece of body with the scripts in it; its headers change in place."""
        content = body.get("body", b"")
        if HEAD not in content:
            return body
        headers = MutableHeaders(scope=start)
        if "content-length" in headers:
            headers["content-length"] = str(int(headers["content-length"]) + len(self._scripts))
        # They are those of Streamlit's file, and would keep a page that names another version.
        for name in ("etag", "last-modified"):
            if name in headers:
                del headers[name]
        return {**body, "body": content.replace(HEAD, self._scripts + HEAD, 1)}


def _is_page(start: Message) -> bool:
    headers = MutableHeaders(scope=start)
    html = headers.get("content-type", "").startswith("text/html")
    return html and "content-encoding" not in headers
