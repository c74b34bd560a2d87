"""Where a request comes from: which address, over which scheme, from whose page."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.addresses import Network, source, trusted_peer

# No page of ours has an address with a longer query.
LONGEST_QUERY = 8192
_DEFAULT_PORTS = {"http": 80, "https": 443}


def client_address(scope: Scope, trusted: Sequence[Network]) -> str:
    """The address that a request is counted for: see `bnviz.live.addresses.source`.

    Args:
        scope: of the request.
        trusted: the proxies whose forwarded headers are believed.
    """
    return source(_peer(scope), Headers(scope=scope).getlist("x-forwarded-for"), trusted)


def scheme_of(scope: Scope, trusted: Sequence[Network]) -> str:
    """The scheme that the browser used: what a trusted proxy says, else what the server sees.

    Args:
        scope: of the request.
        trusted: the proxies whose forwarded headers are believed.
    """
    scheme: str = scope.get("scheme", "http")
    if trusted_peer(_peer(scope), trusted):
        # Of several proxies, the first one saw the browser.
        said = Headers(scope=scope).get("x-forwarded-proto", scheme)
        return said.partition(",")[0].strip().lower()
    return scheme


def is_https(scope: Scope, trusted: Sequence[Network]) -> bool:
    return scheme_of(scope, trusted) == "https"


def query_of(scope: Scope) -> list[tuple[str, str]]:
    """The parameters of a request's address, in order; only those within `LONGEST_QUERY`."""
    text = scope.get("query_string", b"")[:LONGEST_QUERY].decode("latin-1")
    return parse_qsl(text, keep_blank_values=True)


def same_host(headers: Headers) -> bool:
    """Whether a page of this very server sent a request: Origin names the host and port of Host.

    False without an Origin, which browsers send with every POST and every WebSocket.
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
