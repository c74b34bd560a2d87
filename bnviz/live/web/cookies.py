"""What is told from and with every cookie of ours."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.addresses import Network, trusted_peer


def sent(headers: Headers, cookie: str) -> Iterable[str]:
    """Every value of a cookie in a request: one for a part of the site may stand beside ours.

    Read by hand, because one odd cookie of another application of the same host makes Python's
    parser drop all that follow it.
    """
    for line in headers.getlist("cookie"):
        for pair in line.split(";"):
            name, _, value = pair.strip().partition("=")
            if name == cookie:
                yield value


def is_encrypted(scope: Scope, trusted: Sequence[Network]) -> bool:
    """Whether a request came over HTTPS, as far as it can be believed.

    Args:
        scope: of the request.
        trusted: the proxies whose forwarded headers are believed.
    """
    scheme = scope.get("scheme")
    peer = scope["client"][0] if scope.get("client") else None
    if trusted_peer(peer, trusted):
        scheme = Headers(scope=scope).get("x-forwarded-proto", scheme)
    return scheme == "https"
