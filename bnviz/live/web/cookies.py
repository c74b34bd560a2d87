"""Cookies with a signed random name, which only this server can have made.

The owner's cookie (`bnviz.live.web.owner`) and the ballot's (`bnviz.live.classroom.ballot_cookie`)
are of this kind.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable, Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.addresses import Network
from bnviz.live.web.request_source import is_https

NAME_BYTES = 32
# Part of what is signed: a name that was signed for another purpose is not valid.
PURPOSE = b"bnviz owner 1:"
_SIGNED = re.compile(r"([0-9a-f]{64})\.([0-9a-f]{64})")


class Signer:
    """Makes signed names and verifies them.

    A signed name is `<name>.<signature>`, both 64 lowercase hexadecimal digits: 32 random bytes,
    and HMAC-SHA256 of the purpose and the name's digits with the server's key.
    """

    def __init__(self, secret: str = "", purpose: bytes = PURPOSE) -> None:
        """Take the key from a text; without one the key is random and ends with the process.

        Args:
            secret: the text, or "".
            purpose: what the names are for.
        """
        self._purpose = purpose
        self._key = hashlib.sha256(secret.encode()).digest() if secret else secrets.token_bytes()

    def new(self) -> str:
        """A new name, signed."""
        name = secrets.token_hex(NAME_BYTES)
        return f"{name}.{self._signature(name)}"

    def verify(self, signed: str) -> str | None:
        """The name in what `new` returned; None for any other text.

        Any signer with the same key and purpose verifies it.
        """
        found = _SIGNED.fullmatch(signed)
        if found is None:
            return None
        name, signature = found.groups()
        return name if hmac.compare_digest(signature, self._signature(name)) else None

    def _signature(self, name: str) -> str:
        return hmac.new(self._key, self._purpose + name.encode(), hashlib.sha256).hexdigest()


def set_cookie(
    cookie: str,
    value: str,
    scope: Scope,
    trusted: Sequence[Network],
    *,
    seconds: int,
    same_site: str,
) -> str:
    """The value of a `Set-Cookie` header, for a cookie that no script of a page can read.

    Args:
        cookie: its name.
        value: its value.
        scope: of the request that is answered; over HTTPS the cookie stays on HTTPS.
        trusted: the proxies whose forwarded headers are believed.
        seconds: how long the browser keeps it.
        same_site: whether requests that other sites' pages cause have it: `Strict` or `Lax`.
    """
    secure = "; Secure" if is_https(scope, trusted) else ""
    return f"{cookie}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite={same_site}{secure}"


def signed_name(headers: Headers, cookie: str, signer: Signer) -> str | None:
    """The name in a request's cookie, the first of that name that is valid; None: there is none."""
    return next(filter(None, map(signer.verify, cookie_values(headers, cookie))), None)


def cookie_values(headers: Headers, cookie: str) -> Iterable[str]:
    """All values of a cookie in a request: a browser sends one for each path that has one.

    Python's own parser drops every cookie that follows one that it does not understand, and other
    applications of the same host may have such.
    """
    for line in headers.getlist("cookie"):
        for pair in line.split(";"):
            name, _, value = pair.strip().partition("=")
            if name == cookie:
                yield value
