"""The headers of every answer that say what a browser may do with it."""

from __future__ import annotations

import re

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
# Of a `Host` header: a name or an IPv4 address. A policy cannot name IPv6 addresses.
HOST = re.compile(r"[A-Za-z0-9.-]+(?::[0-9]{1,5})?")


class ProtectiveHeaders:
    """Adds the headers to answers that do not have their own.

    Args:
        ancestors: `Settings.frame_ancestors`.
    """

    def __init__(self, ancestors: str = "") -> None:
        sites = " ".join("'self'" if site == "self" else site for site in ancestors.split())
        self._ancestors = f"; frame-ancestors 'self' {sites}".rstrip() if sites else ""

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
        headers.setdefault("Content-Security-Policy", self._policy(Headers(scope=scope)))

    def _policy(self, headers: Headers) -> str:
        host = headers.get("host", "")
        # For some browsers 'self' leaves the server's own WebSockets out.
        sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
        return f"{POLICY}; connect-src 'self'{sockets}{self._ancestors}"
