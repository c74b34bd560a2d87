"""Outermost middleware, which filters requests and adds protective headers.

Some headers cost a client nothing to send, but Streamlit and Python take seconds to parse them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live import log
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import names_of
from bnviz.live.web.request_source import same_host

# Content security policy. Pages communicate with this server only. Streamlit needs inline scripts
# and styles, and loads component modules from `blob:` addresses. Pictures of charts have `data:`
# and `blob:` addresses.
CONTENT_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
# Query parameter that requests an embedded page.
EMBED = "embed"
# Pattern of a `Host` header (host name or IPv4 address) that a content security policy can contain.
HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?")
# Prefixes of the names of cookies that are passed on: the app's and Streamlit's.
COOKIES = (*(name.encode() for name in names_of("bnviz_")), b"_streamlit")
# Maximum length in bytes of the value of a cookie that is passed on.
LONGEST_VALUE = 4096
# Path of file uploads to Streamlit, which are refused: the app needs no uploads, but Streamlit
# would keep up to 200 MB of each.
UPLOADS = "/_stcore/upload_file"
# WebSocket of Streamlit's pages.
STREAM = "/_stcore/stream"
# WebSocket close codes. They mean "policy violation" and "try again later".
POLICY, LATER = 1008, 1013


class Gate:
    """ASGI middleware around all others except `Cuttable`, which needs the server's own `send`.

    It passes on only known cookies without quotes, because Python's parser takes seconds for a
    value with many backslashes (CVE-2024-7592). It refuses WebSockets from other sites, because
    Streamlit would query an external service for this machine's address while all visitors wait.
    """

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        sites = " ".join("'self'" if s == "self" else s for s in settings.frame_ancestors.split())
        # If no sites are configured, any site may embed pages that have `embed=1`, because an
        # embedded page cannot act for the visitor. No site may embed other pages.
        self._app, self._any = app, not sites
        self._ancestors = f"; frame-ancestors 'self' {sites}".rstrip()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                # Anyone who knows a run id or a class code from an address can watch or vote, so do
                # not send our addresses to other sites.
                headers.setdefault("Referrer-Policy", "same-origin")
                headers.setdefault("Content-Security-Policy", self._policy(scope))
            await send(message)

        if scope["type"] == "http" and UPLOADS in scope["path"]:
            await Response(status_code=403)(scope, receive, with_headers)
            return
        if scope["type"] == "websocket" and _of_another_site(scope):
            log.event("origin refused", origin=str(Headers(scope=scope).get("origin"))[:200])
            await refuse_socket(receive, with_headers, POLICY)
            return
        if "headers" in scope:
            scope = {**scope, "headers": [*_with_our_cookies(scope["headers"])]}
        await self._app(scope, receive, with_headers)

    def _policy(self, scope: Scope) -> str:
        host = Headers(scope=scope).get("host", "")
        # In some browsers, 'self' does not include the server's own WebSockets.
        sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
        query = scope.get("query_string", b"").decode("latin-1")
        ancestors = "" if self._any and is_embedded(query) else self._ancestors
        return f"{CONTENT_POLICY}; connect-src 'self'{sockets}{ancestors}"


def is_embedded(query: str) -> bool:
    """Return whether a query requests an embedded page, in which visitors can only watch."""
    values = parse_qs(query).get(EMBED)
    return values is not None and values[-1] in ("1", "true")


async def refuse_socket(receive: Receive, send: Send, code: int) -> None:
    await receive()
    await send({"type": "websocket.close", "code": code})


def _of_another_site(scope: Scope) -> bool:
    """Return whether a page of another site opens a Streamlit WebSocket, judging by its Origin."""
    headers = Headers(scope=scope)
    return scope["path"].endswith(STREAM) and "origin" in headers and not same_host(headers)


def _with_our_cookies(headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    """Yield the headers of a request. Keep only the cookies that the app or Streamlit reads."""
    for name, value in headers:
        if name.lower() != b"cookie":
            yield name, value
        elif kept := [pair.strip() for pair in value.split(b";") if _is_ours(pair.strip())]:
            yield name, b"; ".join(kept)


def _is_ours(pair: bytes) -> bool:
    _, _, value = pair.partition(b"=")
    quoted = b"\\" in value or b'"' in value
    return pair.startswith(COOKIES) and len(value) <= LONGEST_VALUE and not quoted
