"""Owners that only this server can have made up: a random name and the server's mark on it.

What is told from and with every cookie of ours.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.addresses import Network, trusted_peer

OWNER_BYTES = 32
# Signatures of other things made with the same key, or of another format, are none of ours.
PURPOSE = b"bnviz owner 1:"
_SIGNED = re.compile(r"([0-9a-f]{64})\.([0-9a-f]{64})")


class Signer:
    """Makes owners and recognizes them.

    A signed owner is `<owner>.<signature>`, both 64 lowercase hexadecimal digits: 32 random bytes,
    and HMAC-SHA256, with the server's key, over the purpose and the owner's digits.
    """

    def __init__(self, secret: str = "", purpose: bytes = PURPOSE) -> None:
        """Take the key from a text; without one the key is random and ends with the process.

        Args:
            secret: the text, or "".
            purpose: what is signed: a name of one purpose is none of another's.
        """
        self._purpose = purpose
        self._key = hashlib.sha256(secret.encode()).digest() if secret else secrets.token_bytes()

    def new(self) -> str:
        """Another owner, signed."""
        owner = secrets.token_hex(OWNER_BYTES)
        return f"{owner}.{self._signature(owner)}"

    def owner(self, signed: str) -> str | None:
        """The owner in what `new` gave; None if it, or another with the same key, never gave it."""
        found = _SIGNED.fullmatch(signed)
        if found is None:
            return None
        owner, signature = found.groups()
        return owner if hmac.compare_digest(signature, self._signature(owner)) else None

    def _signature(self, owner: str) -> str:
        return hmac.new(self._key, self._purpose + owner.encode(), hashlib.sha256).hexdigest()


def cookie_values(headers: Headers, cookie: str) -> Iterable[str]:
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
