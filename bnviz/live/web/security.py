"""The gate: what of a request never reaches any other code, and what every answer says.

Streamlit and Python read headers in ways that cost a stranger nothing and the server seconds. So
the outermost middleware takes away what the app does not need.
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

# A page loads and sends everything from and to this server alone. Streamlit needs scripts and
# styles within its page, and modules of components as `blob:`; pictures of charts are `data:` and
# `blob:`.
CONTENT_POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
# The parameter of an address that asks for a framed page.
EMBED = "embed"
# A `Host` header that a policy can name: a host name or an IPv4 address.
HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?")
# The cookies of this app and of Streamlit have names that begin so.
COOKIES = (*(name.encode() for name in names_of("bnviz_")), b"_streamlit")
# Bytes of a cookie's value.
LONGEST_VALUE = 4096
# Nothing here takes files; Streamlit would keep 200 MB of each.
UPLOADS = "/_stcore/upload_file"
# The WebSocket of Streamlit's pages.
STREAM = "/_stcore/stream"
# Close codes of a WebSocket: it is against the policy; the browser may try again later.
POLICY, LATER = 1008, 1013


class Gate:
    """ASGI middleware, the outermost one but `Cuttable`, which needs the server's own `send`.

    It passes on only the cookies that are read here, without quotes in them: Python's own parser
    needs seconds for a value of many backslashes (CVE-2024-7592). It refuses uploads. It refuses
    the WebSockets of other sites' pages, for which Streamlit would ask an outside service for this
    machine's address while all visitors wait. Each answer gets the protective headers.
    """

    def __init__(self, app: ASGIApp, settings: Settings | None = None) -> None:
        settings = settings or Settings.from_environment()
        sites = " ".join("'self'" if s == "self" else s for s in settings.frame_ancestors.split())
        # Without such sites, every site may frame a page with `embed=1`, in which nothing acts for
        # the visitor, and none may frame another one.
        self._app, self._any = app, not sites
        self._ancestors = f"; frame-ancestors 'self' {sites}".rstrip()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("X-Content-Type-Options", "nosniff")
                # Addresses name runs and classes, and whoever knows these may watch and vote.
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
        # For some browsers 'self' leaves the server's own WebSockets out.
        sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
        query = scope.get("query_string", b"").decode("latin-1")
        ancestors = "" if self._any and is_embedded(query) else self._ancestors
        return f"{CONTENT_POLICY}; connect-src 'self'{sockets}{ancestors}"


def is_embedded(query: str) -> bool:
    """Whether an address asks for a framed page, which can only be watched: `bnviz.ui.embed`."""
    values = parse_qs(query).get(EMBED)
    return values is not None and values[-1] in ("1", "true")


async def refuse_socket(receive: Receive, send: Send, code: int) -> None:
    """Refuse a WebSocket before it is open."""
    await receive()
    await send({"type": "websocket.close", "code": code})


def _of_another_site(scope: Scope) -> bool:
    """Whether a page of another site opens a socket of Streamlit. Programs send no Origin."""
    headers = Headers(scope=scope)
    return scope["path"].endswith(STREAM) and "origin" in headers and not same_host(headers)


def _with_our_cookies(headers: Iterable[tuple[bytes, bytes]]) -> Iterable[tuple[bytes, bytes]]:
    """The headers of a request with the cookies that are read here, and no others."""
    for name, value in headers:
        if name.lower() != b"cookie":
            yield name, value
        elif kept := [pair.strip() for pair in value.split(b";") if _is_ours(pair.strip())]:
            yield name, b"; ".join(kept)


def _is_ours(pair: bytes) -> bool:
    _, _, value = pair.partition(b"=")
    quoted = b"\\" in value or b'"' in value
    return pair.startswith(COOKIES) and len(value) <= LONGEST_VALUE and not quoted
