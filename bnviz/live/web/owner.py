"""Owner of a run: a browser with a signed secret in its cookie, which gives control of the run.

Scripts and other sites cannot read `bnviz_owner`. A cookie with an invalid signature is ignored.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live import log
from bnviz.live.client_addresses import read_ip_networks
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, cookie_values, set_cookie, signed_name
from bnviz.live.web.page_change import is_phone_page
from bnviz.live.web.request_source import client_address, is_https

COOKIE = "bnviz_owner"
MAX_AGE = 365 * 24 * 3600
# Path that Streamlit's page requests once, before it opens its WebSocket.
_BEFORE_SOCKET = "/_stcore/host-config"


class Issuer:
    """Issuer of owner cookies, with a limit on new cookies per client address and minute."""

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret)
        self.limiter = RateLimiter(settings.cookies_per_minute)
        self.trusted = read_ip_networks(settings.trusted_proxies)

    def wait(self, address: str) -> int | None:
        """Return the seconds until a new owner is allowed, or None if none was refused recently."""
        return self.limiter.wait(address)

    def cookie(self, scope: Scope) -> str | None:
        """Return a `Set-Cookie` header with a new owner, or None if the limit is exceeded."""
        if not self._take(client_address(scope, self.trusted)):
            return None
        return self._set_cookie(self.signer.new(), scope)

    def renamed_cookie(self, scope: Scope) -> str | None:
        """Return a `Set-Cookie` header that renames an owner cookie to its name for HTTPS.

        Return None if the cookie already has this name or is invalid, or if HTTPS is not used.
        """
        values = cookie_values(Headers(scope=scope), COOKIE)
        valid = {name: value for name, value in values if self.signer.verify(value)}
        if COOKIE in valid and len(valid) == 1 and is_https(scope, self.trusted):
            return self._set_cookie(valid[COOKIE], scope)
        return None

    def _set_cookie(self, signed: str, scope: Scope) -> str:
        return set_cookie(COOKIE, signed, scope, self.trusted, seconds=MAX_AGE, same_site="Strict")

    def owner_without_cookie(self, address: str) -> str | None:
        """Return a new owner for a visitor without a cookie, or None if the limit is exceeded."""
        if not self._take(address):
            return None
        return self.signer.verify(self.signer.new())

    def _take(self, address: str) -> bool:
        """Count a new owner for an address. Return whether the count is within the limit."""
        refused_before = self.limiter.wait(address) is not None
        if self.limiter.take(address):
            return True
        if not refused_before:
            log.event("too many new browsers", address=address)
        return False


_issuer: Issuer | None = None


def issuer() -> Issuer:
    """Return the installed issuer. If none is installed, create it from the environment."""
    global _issuer
    if _issuer is None:
        _issuer = Issuer(Settings.from_environment())
    return _issuer


def install_issuer(new: Issuer | None) -> Issuer | None:
    global _issuer
    before, _issuer = _issuer, new
    return before


def verify(cookie: str | None) -> str | None:
    """Return the owner in a cookie's value, or None if its signature is invalid."""
    return None if cookie is None else issuer().signer.verify(cookie)


def owner_in(headers: Headers) -> str | None:
    return signed_name(headers, COOKIE, issuer().signer)


class OwnerCookie:
    """ASGI middleware that gives every browser an owner cookie, and replaces invalid cookies.

    A browser that follows a link from another site does not send its SameSite=Strict cookie with
    the page. So the response to such a request sets no cookie. The next request, from our own page,
    shows whether a cookie exists. An address with too many new owners gets no cookie.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cookie = None
        if scope["type"] == "http" and _may_set_cookie(scope):
            known = owner_in(Headers(scope=scope)) is not None
            cookie = issuer().renamed_cookie(scope) if known else issuer().cookie(scope)
        if cookie is None:
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # A shared cache could give the cookie in a public response to everyone.
                if "public" not in headers.get("cache-control", ""):
                    headers.append("set-cookie", cookie)
            await send(message)

        await self._app(scope, receive, with_cookie)


def _may_set_cookie(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if scope["path"].endswith(_BEFORE_SOCKET):
        return True
    if is_phone_page(scope["path"]) or _from_elsewhere(headers):
        return False
    # Browsers send these headers when they request a page. Health monitors do not.
    page = headers.get("sec-fetch-dest", "document") == "document"
    return page and "html" in headers.get("accept", "")


def _from_elsewhere(headers: Headers) -> bool:
    """Return whether a link from another site led here. Without HTTPS, only Referer shows this."""
    site, referer = headers.get("sec-fetch-site"), headers.get("referer")
    if site is not None or referer is None:
        return site == "cross-site"
    try:
        return urlsplit(referer).netloc != headers.get("host")
    except ValueError:
        return True
