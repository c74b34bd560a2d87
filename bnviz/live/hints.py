"""Tells browsers what a page will need while Streamlit is still starting in them."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live.assets_route import VERSION


class PreloadHints:
    """ASGI middleware that names Plotly and the live view in the head of every page.

    The live view asks for them only when Streamlit has drawn its widgets, a second or two after the
    page; until then they can be on their way.
    """

    def __init__(self, app: ASGIApp, base: str = "") -> None:
        self._app = app
        self._link = (
            f"<{base}/plotly/{VERSION}.js>; rel=preload; as=script, "
            f"<{base}/assets/{VERSION}/live_view.js>; rel=modulepreload"
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on; HTML gets a Link header."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_hints(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.append("Link", self._link)
            await send(message)

        await self._app(scope, receive, with_hints)
