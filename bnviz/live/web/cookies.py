"""Cookies that contain a random name signed by this server, for owners and ballots."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterator, Sequence

from starlette.datastructures import Headers
from starlette.types import Scope

from bnviz.live.client_addresses import IpNetwork
from bnviz.live.web.request_source import is_https

NAME_BYTES = 32
# Text signed together with a name, so that a name signed for another purpose is invalid.
PURPOSE = b"bnviz owner 1:"
# Browsers accept a cookie with this prefix only over HTTPS and only from the same host, so that a
# page of a neighbouring host cannot replace it.
HOST_PREFIX = "__Host-"
_SIGNED = re.compile(r"([0-9a-f]{64})\.([0-9a-f]{64})")


class Signer:
    """Signer and verifier of names, in the form `<name>.<signature>`.

    Name and signature each have 64 lowercase hexadecimal digits. The name is 32 random bytes. The
    signature is the HMAC-SHA256 of the purpose and the name's digits.
    """

    def __init__(self, secret: str = "", purpose: bytes = PURPOSE) -> None:
        """Derive the key from `secret`, or create a random key that is lost with the process."""
        self._purpose = purpose
        self._key = hashlib.sha256(secret.encode()).digest() if secret else secrets.token_bytes()

    def new(self) -> str:
        name = secrets.token_hex(NAME_BYTES)
        return f"{name}.{self.signature(name)}"

    def verify(self, signed: str) -> str | None:
        """Return the name in a value signed with the same key and purpose, or None."""
        found = _SIGNED.fullmatch(signed)
        if found is None:
            return None
        name, signature = found.groups()
        return name if hmac.compare_digest(signature, self.signature(name)) else None

    def signature(self, name: str) -> str:
        """Return the signature of a name, which is always the same for one key and purpose."""
        return hmac.new(self._key, self._purpose + name.encode(), hashlib.sha256).hexdigest()


def names_of(cookie: str) -> tuple[str, str]:
    """Return the names under which a cookie may be stored: over HTTPS, then over HTTP."""
    return HOST_PREFIX + cookie, cookie


def set_cookie(
    cookie: str,
    value: str,
    scope: Scope,
    trusted: Sequence[IpNetwork],
    *,
    seconds: int,
    same_site: str,
    path: str = "/",
    for_scripts: bool = False,
) -> str:
    """Return the value of a `Set-Cookie` header, with `HOST_PREFIX` and the path "/" over HTTPS.

    Args:
        trusted: Proxies whose forwarded headers are trusted.
        same_site: `Strict` or `Lax`.
        for_scripts: Whether scripts of a page can read the cookie.
    """
    secure = is_https(scope, trusted)
    if secure:
        cookie, path = HOST_PREFIX + cookie, "/"
    parts = [f"{cookie}={value}", f"Path={path}", f"Max-Age={seconds}"]
    parts += [] if for_scripts else ["HttpOnly"]
    parts += [f"SameSite={same_site}", *(["Secure"] if secure else [])]
    return "; ".join(parts)


def signed_name(headers: Headers, cookie: str, signer: Signer) -> str | None:
    """Return the first validly signed name among a request's cookies called `cookie`, or None."""
    values = (value for _, value in cookie_values(headers, cookie))
    return next(filter(None, map(signer.verify, values)), None)


def cookie_values(headers: Headers, cookie: str) -> Iterator[tuple[str, str]]:
    """Yield names and values of a cookie in a request, first the names with `HOST_PREFIX`.

    A browser sends one value per path. Python's parser drops all cookies after one that it cannot
    parse, and other applications on the host may set such cookies.
    """
    lines = headers.getlist("cookie")
    pairs = [pair.strip().partition("=") for line in lines for pair in line.split(";")]
    for wanted in names_of(cookie):
        yield from ((name, value) for name, _, value in pairs if name == wanted)
