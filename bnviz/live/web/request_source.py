"""Source of a request: its address, its scheme, and the site whose page sent it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.client_addresses import IpNetwork, source, trusted_peer

# Maximum length of a query in bytes. The queries of the app's own addresses are shorter.
LONGEST_QUERY = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}


def client_address(scope: Scope, trusted: Sequence[IpNetwork]) -> str:
    """Return the client's address for rate limits. Trust forwarded headers from `trusted` only."""
    return source(_peer(scope), Headers(scope=scope).getlist("x-forwarded-for"), trusted)


def scheme_of(scope: Scope, trusted: Sequence[IpNetwork]) -> str:
    """Return the scheme that the browser used, as a trusted proxy or the server reports it."""
    scheme: str = scope.get("scheme", "http")
    if trusted_peer(_peer(scope), trusted):
        # With several proxies, the first value comes from the proxy that the browser connected to.
        said = Headers(scope=scope).get("x-forwarded-proto", scheme)
        return said.partition(",")[0].strip().lower()
    return scheme


def is_https(scope: Scope, trusted: Sequence[IpNetwork]) -> bool:
    return scheme_of(scope, trusted) == "https"


def query_of(scope: Scope) -> list[tuple[str, str]]:
    """Return the parameters in the first `LONGEST_QUERY` bytes of a request's query, in order."""
    text = scope.get("query_string", b"")[:LONGEST_QUERY].decode("latin-1")
    return parse_qsl(text, keep_blank_values=True)


def same_host(headers: Headers) -> bool:
    """Return whether a page of this server sent the request: the Origin must match the Host.

    Return False without an Origin header, which browsers send with every POST and WebSocket.
    """
    origin, host = headers.getlist("origin"), headers.getlist("host")
    if len(origin) != 1 or len(host) != 1:
        return False
    try:
        page = urlsplit(origin[0])
        default = _DEFAULT_PORTS.get(page.scheme)
        asked = urlsplit(f"//{host[0]}")
        if default is None or page.hostname is None or page.path or page.query or page.username:
            return False
        return (page.hostname, page.port or default) == (asked.hostname, asked.port or default)
    except ValueError:
        return False


def _peer(scope: Scope) -> str | None:
    return scope["client"][0] if scope.get("client") else None
