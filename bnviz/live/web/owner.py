"""Who may control a run: a signed secret in a cookie that no script and no other site can read.

The cookie `bnviz_owner` is what `Signer` makes. Only a signed one counts: a cookie that somebody
invented, or one from before the server had its present key, is as good as none.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bnviz.live import log
from bnviz.live.addresses import networks, source
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, cookie_values, is_encrypted
from bnviz.live.web.page_change import is_plain

COOKIE = "bnviz_owner"
MAX_AGE = 365 * 24 * 3600
# What Streamlit's page asks for, once, before it opens its socket.
_BEFORE_SOCKET = "/_stcore/host-config"


class Issuer:
    """Gives out owners, so many to each address.

    Attributes:
        signer: tells its owners from invented ones.
        allowance: what each address may still get.
        trusted: the proxies whose forwarded headers are believed.
    """

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret)
        self.allowance = RateLimiter(settings.cookies_per_minute)
        self.trusted = networks(settings.trusted_proxies)

    def wait(self, peer: str | None, forwarded: Sequence[str]) -> int | None:
        """Seconds until this visitor's address may have a new cookie, if one was refused lately.

        Args:
            peer: the other end of the connection.
            forwarded: the `X-Forwarded-For` lines of its request.
        """
        return self.allowance.wait(source(peer, forwarded, self.trusted))

    def cookie(self, scope: Scope) -> str | None:
        """A new cookie for this request, as a header has it; None if its address had too many."""
        headers = Headers(scope=scope)
        peer = scope["client"][0] if scope.get("client") else None
        if not self._admits(peer, headers.getlist("x-forwarded-for")):
            return None
        secure = "; Secure" if is_encrypted(scope, self.trusted) else ""
        life = f"Path=/; Max-Age={MAX_AGE}; HttpOnly; SameSite=Strict{secure}"
        return f"{COOKIE}={self.signer.new()}; {life}"

    def unsent(self, peer: str | None, forwarded: Sequence[str]) -> str | None:
        """An owner that no browser is told, for runs that are only watched; None if too many.

        Args:
            peer: the other end of the connection, whose cookies it counts as one of.
            forwarded: the `X-Forwarded-For` lines of its request.
        """
        return self.signer.owner(self.signer.new()) if self._admits(peer, forwarded) else None

    def _admits(self, peer: str | None, forwarded: Sequence[str]) -> bool:
        """Count a new owner of an address; False if it had too many."""
        address = source(peer, forwarded, self.trusted)
        known = self.allowance.wait(address) is not None
        if self.allowance.take(address):
            return True
        if not known:
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
    """The owner that a cookie of ours names; None for any other text."""
    return None if cookie is None else issuer().signer.owner(cookie)


def owner_in(headers: Headers) -> str | None:
    """The owner a browser is, by the first of its cookies that holds."""
    return next(filter(None, map(verify, cookie_values(headers, COOKIE))), None)


class OwnerCookie:
    """ASGI middleware that gives every browser its cookie.

    A visitor coming from another site sends no SameSite=Strict cookie with the page itself, though
    it may have one. So a page opened from there is left alone, and the cookie is handed out with
    the page's first own request instead, which does carry the one there is. One that does not hold
    is replaced by the same rules. An address that has had too many gets the page without one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on, with a cookie in the answer where one is due."""
        cookie = None
        if scope["type"] == "http" and _needs_cookie(scope):
            cookie = issuer().cookie(scope)
        if cookie is None:
            await self._app(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(scope, receive, with_cookie)


def _needs_cookie(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    if owner_in(headers) is not None:
        return False
    if scope["path"].endswith(_BEFORE_SOCKET):
        return True
    if is_plain(scope["path"]) or _from_elsewhere(headers):
        return False
    # Every browser asks for a page in these words; monitors of the server's health do not.
    page = headers.get("sec-fetch-dest", "document") == "document"
    return page and "html" in headers.get("accept", "")


def _from_elsewhere(headers: Headers) -> bool:
    """Whether another site's page led here. Without encryption browsers tell only by Referer."""
    site, referer = headers.get("sec-fetch-site"), headers.get("referer")
    if site is not None or referer is None:
        return site == "cross-site"
    try:
        return urlsplit(referer).netloc != headers.get("host")
    except ValueError:
        return True
