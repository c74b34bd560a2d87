"""Redirects from old and guessed addresses to existing pages."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from bnviz.live.web.request_source import LONGEST_QUERY, query_of

# Path directly below a page, such as `/lessons/break-it`. Paths of files do not match, because they
# contain other characters or have more levels.
BELOW = re.compile(r"([a-z]+)/([a-z0-9-]+)/?")


class OldAddresses:
    """ASGI middleware that redirects addresses without a page of their own, and keeps their query.

    The root redirects to the lab if the query has a parameter of the lab. `/lessons/<name>`
    redirects to the lessons page with that name as a parameter. A path below another page redirects
    to that page, because Streamlit would serve a document there that cannot find its files.

    Args:
        path: Path of the lab after the prefix `base`.
        parameters: Parameter names of the lab.
        named: By path of a page, the parameter for the name below it ({"lessons": "lesson"}).
    """

    def __init__(
        self, app: ASGIApp, base: str, path: str, parameters: Collection[str],
        pages: Collection[str], named: Mapping[str, str],
    ) -> None:  # fmt: skip
        self._app, self._base = app, base
        self._roots = {base, f"{base}/"}
        self._lab = f"{base}/{path}?".encode()
        self._parameters = frozenset(parameters)
        self._pages, self._named = frozenset(pages), named

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        meant = self._meant(scope)
        if meant is None:
            await self._app(scope, receive, send)
            return
        headers = {"Location": meant.decode("latin-1"), "Cache-Control": "no-store"}
        await Response(status_code=307, headers=headers)(scope, receive, send)

    def _meant(self, scope: Scope) -> bytes | None:
        """Return the address to redirect to, or None if there is no redirect."""
        if scope["type"] != "http" or scope["method"] not in ("GET", "HEAD"):
            return None
        if self._is_old(scope):
            return self._lab + bytes(scope["query_string"])
        below = BELOW.fullmatch(scope["path"].removeprefix(self._base).removeprefix("/"))
        if below is None or below[1] not in self._pages:
            return None
        parameter = self._named.get(below[1])
        own = f"{parameter}={below[2]}".encode() if parameter else b""
        query = b"&".join(part for part in (own, scope["query_string"]) if part)
        page = f"{self._base}/{below[1]}".encode()
        return page + b"?" + query if query else page

    def _is_old(self, scope: Scope) -> bool:
        if scope["path"] not in self._roots or len(scope["query_string"]) > LONGEST_QUERY:
            return False
        return any(name in self._parameters for name, _ in query_of(scope))
