"""Cookies with a signed random name, which only this server can have made.

The owner's cookie (`bnviz.live.web.owner`) and the ballot's (`bnviz.live.classroom.ballot_cookie`)
are of this kind.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator, Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.addresses import Network
from bnviz.live.web.request_source import is_https

NAME_BYTES = 32
# Part of what is signed: a name that was signed for another purpose is not valid.
PURPOSE = b"bnviz owner 1:"
# A browser takes a cookie with this prefix over HTTPS alone, and from no other host: a page of a
# neighbouring host cannot put its own in the place of ours.
HOST_PREFIX = "__Host-"
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
        name = secrets.token_hex(NAME_BYTES)
        return f"{name}.{self.signature(name)}"

    def verify(self, signed: str) -> str | None:
        """The name in what `new` returned; None for any other text.

        Any signer with the same key and purpose verifies it.
        """
        found = _SIGNED.fullmatch(signed)
        if found is None:
            return None
        name, signature = found.groups()
        return name if hmac.compare_digest(signature, self.signature(name)) else None

    def signature(self, name: str) -> str:
        """Sign a name: the same key, purpose and name give the same signature."""
        return hmac.new(self._key, self._purpose + name.encode(), hashlib.sha256).hexdigest()


def names_of(cookie: str) -> tuple[str, str]:
    """The names under which a cookie of ours is read: over HTTPS, then as it was set otherwise."""
    return HOST_PREFIX + cookie, cookie


def set_cookie(
    cookie: str,
    value: str,
    scope: Scope,
    trusted: Sequence[Network],
    *,
    seconds: int,
    same_site: str,
    path: str = "/",
    for_scripts: bool = False,
) -> str:
    """The value of a `Set-Cookie` header.

    Over HTTPS the cookie stays on HTTPS; its name has `HOST_PREFIX`, which asks for the path "/".

    Args:
        cookie: its name.
        value: its value.
        scope: of the request that is answered.
        trusted: the proxies whose forwarded headers are believed.
        seconds: how long the browser keeps it.
        same_site: whether requests that other sites' pages cause have it: `Strict` or `Lax`.
        path: of the addresses that have it, without HTTPS.
        for_scripts: whether scripts of a page can read it.
    """
    secure = is_https(scope, trusted)
    if secure:
        cookie, path = HOST_PREFIX + cookie, "/"
    parts = [f"{cookie}={value}", f"Path={path}", f"Max-Age={seconds}"]
    parts += [] if for_scripts else ["HttpOnly"]
    parts += [f"SameSite={same_site}", *(["Secure"] if secure else [])]
    return "; ".join(parts)


def signed_name(headers: Headers, cookie: str, signer: Signer) -> str | None:
    """The name in a request's cookie, the first of that name that is valid; None: there is none."""
    values = (value for _, value in cookie_values(headers, cookie))
    return next(filter(None, map(signer.verify, values)), None)


def cookie_values(headers: Headers, cookie: str) -> Iterator[tuple[str, str]]:
    """All names and values of a cookie in a request, those of `HOST_PREFIX` first.

    A browser sends a value for each path that has one. Python's own parser drops every cookie that
    follows one that it does not understand, and other applications of the same host may have such.
    """
    lines = headers.getlist("cookie")
    pairs = [pair.strip().partition("=") for line in lines for pair in line.split(";")]
    for wanted in names_of(cookie):
        yield from ((name, value) for name, _, value in pairs if name == wanted)
