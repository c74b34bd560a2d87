"""Signed cookie that identifies a phone as a voter, separate from the owner cookie.

A scanned link opens from another app, which browsers treat as another site. Browsers would not send
a SameSite=Strict cookie then, so a returning phone would count as new. `bnviz_ballot` is
SameSite=Lax, which browsers do not send with a cross-site POST, so other sites cannot vote with it.
"""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from bnviz.live.client_addresses import read_ip_networks
from bnviz.live.errors import TooOften
from bnviz.live.rate_limit import RateLimiter
from bnviz.live.settings import Settings
from bnviz.live.web.cookies import Signer, set_cookie, signed_name
from bnviz.live.web.request_source import client_address
from bnviz.words.phrase import phrase

COOKIE = "bnviz_ballot"
PURPOSE = b"bnviz ballot 1:"
# Lifetime of the cookie in seconds (120 days), so that a weekly class keeps its ballots for a term.
MAX_AGE = 120 * 24 * 3600


class BallotIssuer:
    """Issuer of ballots, with rate limits per address for ballots, new classes and wrong codes."""

    def __init__(self, settings: Settings) -> None:
        self.signer = Signer(settings.secret, PURPOSE)
        self._trusted = read_ip_networks(settings.trusted_proxies)
        self._ballots = RateLimiter(settings.cookies_per_minute)
        self._rooms = RateLimiter(settings.rooms_per_minute)
        self._wrong_codes = RateLimiter(settings.wrong_codes_per_minute)

    def address(self, scope: Scope) -> str:
        return client_address(scope, self._trusted)

    def ballot_in(self, headers: Headers) -> str | None:
        return signed_name(headers, COOKIE, self.signer)

    def new(self, request: Request) -> tuple[str, str]:
        """Return a new ballot and the `Set-Cookie` header that stores it, or raise `TooOften`."""
        self._take(self._ballots, request.scope, "errors.too_many_ballots")
        signed = self.signer.new()
        cookie = set_cookie(
            COOKIE, signed, request.scope, self._trusted, seconds=MAX_AGE, same_site="Lax"
        )
        return signed.partition(".")[0], cookie

    def count_room(self, scope: Scope) -> None:
        """Count a new class for the client's address; raise `TooOften` above the limit."""
        self._take(self._rooms, scope, "errors.too_many_new_rooms")

    def may_try(self, scope: Scope) -> bool:
        """Return whether an address is below its limit of wrong codes."""
        return self._wrong_codes.may_take(self.address(scope))

    def check_tries(self, scope: Scope) -> None:
        """Raise `TooOften` if an address has reached its limit of wrong codes."""
        if not self.may_try(scope):
            self._refuse(self._wrong_codes, scope, "errors.too_many_wrong_codes")

    def count_wrong(self, scope: Scope) -> None:
        self._wrong_codes.take(self.address(scope))

    def _take(self, limiter: RateLimiter, scope: Scope, key: str) -> None:
        if not limiter.take(self.address(scope)):
            self._refuse(limiter, scope, key)

    def _refuse(self, limiter: RateLimiter, scope: Scope, key: str) -> None:
        seconds = limiter.wait(self.address(scope)) or 1
        raise TooOften(seconds, phrase(key, seconds=seconds))
