"""Addresses from when the lab was the page at the root: they lead to where it is now."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import parse_qsl

from starlette.types import ASGIApp, Receive, Scope, Send

# A query longer than this is no address that a page of ours wrote.
LONGEST = 8192


class OldAddresses:
    """ASGI middleware that redirects the root to the lab where a query is meant for the lab.

    The query goes along as it came, byte for byte.

    Args:
        base: what the server's paths start with: "" or "/prefix".
        path: of the lab, after that.
        parameters: the names that the lab reads; one of them is enough.
    """

    def __init__(self, app: ASGIApp, base: str, path: str, parameters: Collection[str]) -> None:
        self._app = app
        self._roots = {base, f"{base}/"}
        self._lab = f"{base}/{path}?".encode()
        self._parameters = frozenset(parameters)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer an old address with the new one, pass everything else on."""
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
        said = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
        return any(name in self._parameters for name, _ in said)
