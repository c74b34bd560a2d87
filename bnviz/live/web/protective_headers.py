"""The headers of every answer that say what a browser may do with it."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Scope

# A page loads and sends everything from and to this server alone. Streamlit needs scripts and
# styles within its page, and modules of components as `blob:`; pictures of charts are `data:` and
# `blob:`.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' blob:; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "object-src 'none'; base-uri 'self'; form-action 'self'"
)
# The parameter of an address that asks for a framed page.
EMBED = "embed"
# A `Host` header that a policy can name: a host name or an IPv4 address.
HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?")


class ProtectiveHeaders:
    """Adds the headers to answers that do not have their own.

    Args:
        ancestors: `Settings.frame_ancestors`. Empty: every site may frame a page with `embed=1`,
            in which nothing acts for the visitor, and none may frame another one.
    """

    def __init__(self, ancestors: str = "") -> None:
        sites = " ".join("'self'" if site == "self" else site for site in ancestors.split())
        self._any = not sites
        self._ancestors = f"; frame-ancestors 'self' {sites}".rstrip()

    def add(self, answer: Message, scope: Scope) -> None:
        """Add them to the start of an answer.

        Args:
            answer: the message, which changes in place.
            scope: of the request.
        """
        headers = MutableHeaders(scope=answer)
        headers.setdefault("X-Content-Type-Options", "nosniff")
        # Addresses name runs and classes, and whoever knows these may watch and vote.
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Content-Security-Policy", self._policy(scope))

    def _policy(self, scope: Scope) -> str:
        host = Headers(scope=scope).get("host", "")
        # For some browsers 'self' leaves the server's own WebSockets out.
        sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
        query = scope.get("query_string", b"").decode("latin-1")
        ancestors = "" if self._any and is_embedded(query) else self._ancestors
        return f"{POLICY}; connect-src 'self'{sockets}{ancestors}"


def is_embedded(query: str) -> bool:
    """Whether an address asks for a framed page, which can only be watched: `bnviz.ui.embed`."""
    values = parse_qs(query).get(EMBED)
    return values is not None and values[-1] in ("1", "true")
