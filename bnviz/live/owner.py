"""Who may control a run: a random secret in a cookie that no script and no other site can read."""

from __future__ import annotations

import re
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "bnviz_owner"
SECRET_BYTES = 32
MAX_AGE = 365 * 24 * 3600
_SECRET = re.compile(r"[0-9a-f]{64}")
# What Streamlit's page asks for, once, before it opens its socket.
_BEFORE_SOCKET = "/_stcore/host-config"


class OwnerCookie:
    """ASGI middleware that gives every browser its secret.

    A visitor coming from another site sends no SameSite=Strict cookie with the page itself, though
    it may have one. So a page opened from there is left alone, and the secret is handed out with
    the page's first own request instead, which does carry the cookie if there is one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, with a cookie in the answer where one is due."""
        if scope["type"] != "http" or not _needs_cookie(scope):
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", _new_cookie(scope))
            await send(message)

        await self._app(scope, receive, with_cookie)


def owner_in(headers: Headers) -> str | None:
    """The secret a browser sent, if it looks like one of ours."""
    try:
        cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return None
    return cookie.value if cookie and _SECRET.fullmatch(cookie.value) else None


def _needs_cookie(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if owner_in(headers) is not None:
        return False
    if scope["path"].endswith(_BEFORE_SOCKET):
        return True
    if _from_elsewhere(headers):
        return False
    return headers.get("sec-fetch-dest", "document") == "document" and "html" in headers.get(
        "accept", "text/html"
    )


def _from_elsewhere(headers: Headers) -> bool:
    """Whether another site's page led here. Without encryption browsers tell only by Referer."""
    site, referer = headers.get("sec-fetch-site"), headers.get("referer")
    if site is not None or referer is None:
        return site == "cross-site"
    return urlsplit(referer).netloc != headers.get("host")


def _new_cookie(scope: Scope) -> str:
    secret = secrets.token_hex(SECRET_BYTES)
    secure = "; Secure" if scope.get("scheme") == "https" else ""
    return f"{COOKIE}={secret}; Path=/; Max-Age={MAX_AGE}; HttpOnly; SameSite=Strict{secure}"
