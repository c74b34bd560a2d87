"""Which pages may open our socket: only those that this very server sent."""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers

_DEFAULT_PORTS = {"http": 80, "https": 443}


def same_host(headers: Headers) -> bool:
    """Whether Origin names the host and port that the request went to. A missing one does not."""
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
