"""Who controls a run: the browser whose cookie has the run's owner, a signed secret.

No script of a page and no other site can read the cookie `bnviz_owner`. A cookie that this server
did not sign, or signed with another key, is as good as none.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live import log
from bnviz.live.addresses import networks
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, cookie_values, set_cookie, signed_name
from bnviz.live.web.page_change import is_phone_page
from bnviz.live.web.request_source import client_address, is_https

COOKIE = "bnviz_owner"
MAX_AGE = 365 * 24 * 3600
# What Streamlit's page asks for, once, before it opens its socket.
_BEFORE_SOCKET = "/_stcore/host-config"


class Issuer:
    """Gives out owners; each address gets only so many a minute.

    Attributes:
        signer: signs the owners that it gives out, and verifies them.
        limiter: of new owners, by address.
        trusted: the proxies whose forwarded headers are believed.
    """

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret)
        self.limiter = RateLimiter(settings.cookies_per_minute)
        self.trusted = networks(settings.trusted_proxies)

    def wait(self, address: str) -> int | None:
        """Seconds until an address may have a new owner; None: none was refused lately."""
        return self.limiter.wait(address)

    def cookie(self, scope: Scope) -> str | None:
        """A `Set-Cookie` header with a new owner; None: the request's address had too many."""
        if not self._take(client_address(scope, self.trusted)):
            return None
        return self._set_cookie(self.signer.new(), scope)

    def renamed_cookie(self, scope: Scope) -> str | None:
        """A `Set-Cookie` header that gives the browser its owner under the name for HTTPS.

        None: it has it under that name, or has no owner, or came without HTTPS.
        """
        values = cookie_values(Headers(scope=scope), COOKIE)
        valid = {name: value for name, value in values if self.signer.verify(value)}
        if COOKIE in valid and len(valid) == 1 and is_https(scope, self.trusted):
            return self._set_cookie(valid[COOKIE], scope)
        return None

    def _set_cookie(self, signed: str, scope: Scope) -> str:
        return set_cookie(COOKIE, signed, scope, self.trusted, seconds=MAX_AGE, same_site="Strict")

    def owner_without_cookie(self, address: str) -> str | None:
        """A new owner that no browser gets, for a run that is only watched; None: too many.

        Args:
            address: for which it is counted.
        """
        if not self._take(address):
            return None
        return self.signer.verify(self.signer.new())

    def _take(self, address: str) -> bool:
        """Count a new owner of an address; False if it had too many."""
        refused_before = self.limiter.wait(address) is not None
        if self.limiter.take(address):
            return True
        if not refused_before:
            log.event("too many new browsers", address=address)
        return False


_issuer: Issuer | None = None


def issuer() -> Issuer:
    """The process's issuer; without one that was installed, that of the environment's settings."""
    global _issuer
    if _issuer is None:
        _issuer = Issuer(Settings.from_environment())
    return _issuer


def install_issuer(new: Issuer | None) -> Issuer | None:
    """Make `new` the process's issuer. Returns the one before."""
    global _issuer
    before, _issuer = _issuer, new
    return before


def verify(cookie: str | None) -> str | None:
    """The owner in the value of a cookie; None if this server has not signed it."""
    return None if cookie is None else issuer().signer.verify(cookie)


def owner_in(headers: Headers) -> str | None:
    """The owner that a request's browser is, by its cookie; None: it has none that is valid."""
    return signed_name(headers, COOKIE, issuer().signer)


class OwnerCookie:
    """ASGI middleware that gives every browser an owner's cookie.

    A browser that follows a link of another site does not send its SameSite=Strict cookie with the
    page. So such a page sets none, and the first request that the page itself makes, with which the
    browser sends the cookie that it has, does. A cookie that is not valid is replaced at the same
    points. A browser whose address had too many gets the page without one. A browser that had its
    cookie before the server had HTTPS gets the same owner under the name for HTTPS.
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
                # A cache between server and browsers may hand it to everybody.
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
    # So do browsers ask for a page, and monitors of the server's health do not.
    page = headers.get("sec-fetch-dest", "document") == "document"
    return page and "html" in headers.get("accept", "")


def _from_elsewhere(headers: Headers) -> bool:
    """Whether a link of another site led here. Over plain HTTP, only Referer says so."""
    site, referer = headers.get("sec-fetch-site"), headers.get("referer")
    if site is not None or referer is None:
        return site == "cross-site"
    try:
        return urlsplit(referer).netloc != headers.get("host")
    except ValueError:
        return True
