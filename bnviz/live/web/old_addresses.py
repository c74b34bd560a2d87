"""Redirects the addresses that the lab had when it was the page at the root."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Receive, Scope, Send

# No page of ours has an address with a longer query.
LONGEST = 8192


class OldAddresses:
    """ASGI middleware that redirects the root to the lab if the query has a parameter of the lab.

    The query is kept byte for byte.

    Args:
        base: what the server's paths start with: "" or "/prefix".
        path: of the lab, after that.
        parameters: the names that the lab reads.
    """

    def __init__(self, app: ASGIApp, base: str, path: str, parameters: Collection[str]) -> None:
        self._app = app
        self._roots = {base, f"{base}/"}
        self._lab = f"{base}/{path}?".encode()
        self._parameters = frozenset(parameters)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Redirect an old address; pass everything else on."""
        if not self._is_old(scope):
            await self._app(scope, receive, send)
            return
        headers = [
            (b"location", self._lab + scope["query_string"]),
            (b"content-length", b"0"),
            (b"cache-control", b"no-store"),
        ]
        await send({"type": "http.response.start", "status": 307, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    def _is_old(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return False
        query = scope["query_string"]
        if scope["path"] not in self._roots or not 0 < len(query) <= LONGEST:
            return False
        parameters = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        return any(name in self._parameters for name, _ in parameters)
